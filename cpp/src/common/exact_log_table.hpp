#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "featsieve/log_table.hpp"

namespace featsieve {

/// c · log2 c for whole counts, in fixed point. Sums of these are exact whatever their
/// order, so a gain has the same bits on every path, in every block and thread, after
/// any shuffle of rows, levels, classes or columns, and equal gains tie exactly.
///
/// The unit is the finest in which the sums of a table of n rows fit 62 bits, so
/// nothing is lost against sums of doubles, which keep 53.
class ExactLogTable {
 public:
  /// Beyond this count the logarithm is computed: 2 MiB of table is what L2 and L3
  /// serve well, and such counts are rare against the rows that made them.
  static constexpr std::size_t kLargest = 1U << 18U;

  explicit ExactLogTable(std::size_t n_rows) {
    const double most = x_log2_x(static_cast<double>(n_rows)) + 1;
    int exponent = 0;
    std::frexp(most, &exponent);
    bits_ = 60 - exponent;
    unit_ = std::ldexp(1.0, -bits_);
    is_whole_ = n_rows <= kLargest;
    const std::size_t size = (is_whole_ ? n_rows : kLargest) + 1;
    values_.reserve(size);
    for (std::size_t c = 0; c < size; ++c) values_.push_back(compute(c));
  }

  std::int64_t operator()(std::size_t count) const {
    return count < values_.size() ? values_[count] : compute(count);
  }

  /// Whether no count of these rows lies beyond the table, and the table.
  bool is_whole() const { return is_whole_; }
  const std::int64_t* values() const { return values_.data(); }

  /// The size of one unit.
  double unit() const { return unit_; }

 private:
  std::int64_t compute(std::size_t count) const {
    return std::llround(std::ldexp(x_log2_x(static_cast<double>(count)), bits_));
  }

  int bits_ = 0;
  bool is_whole_ = false;
  double unit_ = 1;
  std::vector<std::int64_t> values_;
};

}  // namespace featsieve
