#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace featsieve {

/// ln k!: looked up while k is small, by Stirling's series beyond, whose error is below
/// rounding there. As with LogTable, all share one array that only grows.
class LogFactorials {
 public:
  static constexpr std::size_t kLargest = 1U << 17U;

  explicit LogFactorials(std::int64_t largest);

  double operator()(std::int64_t k) const {
    const auto index = static_cast<std::size_t>(k);
    return index < values_->size() ? (*values_)[index]
                                   : stirling(static_cast<double>(k));
  }

  /// ln 0!, ln 1!, ...: what is looked up.
  std::span<const double> table() const { return *values_; }

  static double stirling(double k) {
    constexpr double kHalfLogTwoPi = 0.91893853320467274178;
    return (k + 0.5) * std::log(k) - k + kHalfLogTwoPi + 1 / (12 * k) -
           1 / (360 * k * k * k);
  }

 private:
  std::shared_ptr<const std::vector<double>> values_;
};

}  // namespace featsieve
