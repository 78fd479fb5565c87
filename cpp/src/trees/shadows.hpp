#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/exact_log_table.hpp"
#include "featsieve/trees.hpp"

namespace featsieve {

/// Row-permuted copies of the columns of a table: the same values, ties and gaps in
/// each, and no relation to the target. All columns of one copy are permuted alike, so
/// what they know of each other stays. Nothing is copied: a permutation leads from each
/// row to the row whose values it gets. The columns must outlive the shadows.
class Shadows {
 public:
  /// Any row gets the values of any other.
  Shadows(const TreeColumns& columns, std::size_t n_shadows, std::uint64_t seed);
  /// For each shadow and row: whose values it gets, where rows may not be exchanged
  /// freely. A row may be taken more than once.
  Shadows(const TreeColumns& columns, std::vector<std::vector<std::uint32_t>> rows);

  const TreeColumns& columns() const { return *columns_; }
  std::size_t n_shadows() const { return rows_.size(); }
  /// For each row: whose values it gets in this shadow.
  std::span<const std::uint32_t> rows(std::size_t shadow) const {
    return rows_[shadow];
  }
  /// For each code of a numeric column: how many rows have a smaller one. Empty where
  /// that is the code itself, because no two rows have the same.
  std::span<const std::uint32_t> places(std::size_t column) const {
    return places_[column];
  }
  /// Logarithms for counts up to the number of rows, for all trees to share.
  const ExactLogTable& logs() const { return logs_; }

 private:
  const TreeColumns* columns_;
  ExactLogTable logs_;
  std::vector<std::vector<std::uint32_t>> rows_;
  std::vector<std::vector<std::uint32_t>> places_;
};

}  // namespace featsieve
