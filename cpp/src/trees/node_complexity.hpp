#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "common/log_factorials.hpp"

namespace featsieve {

/// The complexity of a node in bits, from how often each of its different outcomes
/// occurs: log2 M - (1 - A / M), where M arrangements of the outcomes are possible and
/// A of them equal their own reflection (thesis, eq. 7.5, for any number of classes).
/// Counts may be weights; those that are not whole have no such reflection.
class NodeComplexity {
 public:
  explicit NodeComplexity(const LogFactorials& factorials) : factorials_(&factorials) {}

  /// Take an outcome that occurs so often, which is more than 0.
  void add(double count) {
    total_ += count;
    if (count == 1) {  // the most frequent of all: ln 1! and ln 0! are 0
      ++odd_;
      return;
    }
    arrangements_ -= log_factorial(count);
    whole_ = whole_ && is_whole(count);
    if (!whole_ || odd_ > 1) return;
    const double half = std::floor(count / 2);
    odd_ += half * 2 == count ? 0 : 1;
    symmetric_ -= log_factorial(half);
  }

  double bits() const {
    const double all = arrangements_ + log_factorial(total_);
    double share = 0;
    if (whole_ && odd_ <= 1) {
      // Halves of the counts arrange half of the cases; an odd one sits in the middle.
      const double mirrored = symmetric_ + log_factorial(std::floor(total_ / 2));
      share = std::exp(mirrored - all);
    }
    return std::max(0.0, all * std::numbers::log2e - (1 - share));
  }

 private:
  /// Stirling's series is exact to rounding from here on.
  static constexpr double kStirlingFrom = 32;

  static bool is_whole(double x) { return x == std::floor(x); }

  /// ln x! for any x >= 0.
  double log_factorial(double x) const {
    if (is_whole(x)) return (*factorials_)(static_cast<std::int64_t>(x));
    double product = 0;
    for (; x < kStirlingFrom; x += 1) product += std::log(x + 1);
    return LogFactorials::stirling(x) - product;
  }

  const LogFactorials* factorials_;
  double total_ = 0;
  double arrangements_ = 0;
  double symmetric_ = 0;
  int odd_ = 0;
  bool whole_ = true;
};

}  // namespace featsieve
