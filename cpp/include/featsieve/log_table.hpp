#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace featsieve {

/// x · log2 x, with 0 · log2 0 = 0.
inline double x_log2_x(double x) { return x > 0 ? x * std::log2(x) : 0.0; }

/// c · log2 c for whole counts: looked up while c is small, computed beyond. The same
/// double either way, so the size of the table never changes an answer. All tables
/// share one array, which only grows: ten thousand logarithms would cost as much as
/// cutting a column of as many rows.
class LogTable {
 public:
  /// Large enough for the counts that are looked up most, small enough for L2.
  static constexpr std::size_t kLargest = 1U << 15U;

  explicit LogTable(std::size_t largest_count);

  double operator()(std::int64_t count) const {
    const auto c = static_cast<std::size_t>(count);
    return c < values_->size() ? (*values_)[c] : x_log2_x(static_cast<double>(count));
  }

  std::size_t size() const { return values_->size(); }

 private:
  std::shared_ptr<const std::vector<double>> values_;
};

}  // namespace featsieve
