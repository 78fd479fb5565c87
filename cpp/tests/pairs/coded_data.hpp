#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "featsieve/counting.hpp"
#include "random/random.hpp"

/// Random columns of codes with classes, and gains by maps of counts.
struct CodedData {
  std::size_t n_rows;
  std::size_t n_columns;
  std::vector<std::int32_t> codes;  // by column
  std::vector<std::int32_t> classes;

  featsieve::MatrixView<std::int32_t> view() const {
    return {codes.data(), n_rows, n_columns, 1, static_cast<std::ptrdiff_t>(n_rows)};
  }
  std::int32_t code(std::size_t row, std::size_t j) const {
    return codes[j * n_rows + row];
  }

  /// Rows that count for these columns: all, or those in which none is missing.
  std::vector<std::size_t> rows(const std::vector<std::size_t>& columns,
                                featsieve::Missing missing) const {
    std::vector<std::size_t> found;
    for (std::size_t row = 0; row < n_rows; ++row) {
      bool known = true;
      for (const std::size_t j : columns) known = known && code(row, j) >= 0;
      if (known || missing == featsieve::Missing::kLevel) found.push_back(row);
    }
    return found;
  }

  /// Gain of some columns over the rows given.
  double gain(const std::vector<std::size_t>& columns,
              const std::vector<std::size_t>& counted) const {
    std::map<std::vector<std::int32_t>, double> cells;
    std::map<std::vector<std::int32_t>, double> joint;
    std::map<std::int32_t, double> sizes;
    for (const std::size_t row : counted) {
      std::vector<std::int32_t> key;
      for (const std::size_t j : columns) key.push_back(code(row, j));
      ++cells[key];
      key.push_back(classes[row]);
      ++joint[key];
      ++sizes[classes[row]];
    }
    const auto n = static_cast<double>(counted.size());
    double sum = featsieve::x_log2_x(n);
    for (const auto& [key, count] : joint) sum += featsieve::x_log2_x(count);
    for (const auto& [key, count] : cells) sum -= featsieve::x_log2_x(count);
    for (const auto& [key, count] : sizes) sum -= featsieve::x_log2_x(count);
    return n > 0 ? sum / n : 0;
  }
};

inline CodedData make_data(std::size_t n_rows, const std::vector<std::uint64_t>& levels,
                           std::uint64_t n_classes, double missing_share) {
  featsieve::Random random(n_rows + levels.size());
  CodedData data{n_rows, levels.size(), {}, {}};
  for (const std::uint64_t n : levels)
    for (std::size_t row = 0; row < n_rows; ++row)
      data.codes.push_back(random.uniform() < missing_share
                               ? -1
                               : static_cast<std::int32_t>(random.below(n)));
  for (std::size_t row = 0; row < n_rows; ++row)
    data.classes.push_back(static_cast<std::int32_t>(random.below(n_classes)));
  return data;
}
