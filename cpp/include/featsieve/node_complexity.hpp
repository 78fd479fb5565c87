#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

#include "featsieve/log_factorials.hpp"

namespace featsieve {

/// The complexity of a node in bits, from how often each of its different outcomes
/// occurs: log2 M - (1 - A / M), where M arrangements of the outcomes are possible and
/// A of them equal their own reflection (thesis, eq. 7.5, for any number of classes).
class NodeComplexity {
 public:
  explicit NodeComplexity(const LogFactorials& factorials) : factorials_(&factorials) {}

  void add(std::int64_t count) {
    n_ += count;
    odd_ += count % 2;
    parts_ += (*factorials_)(count);
    halves_ += (*factorials_)(count / 2);
  }
  double bits() const {
    const double all = (*factorials_)(n_)-parts_;
    const double symmetric = (*factorials_)(n_ / 2) - halves_;
    // Halves of the counts arrange half of the cases; an odd one sits in the middle.
    const double share = odd_ <= 1 ? std::exp(symmetric - all) : 0.0;
    const double bits = all / std::numbers::ln2 - (1 - share);
    return bits > 0 ? bits : 0.0;
  }

 private:
  const LogFactorials* factorials_;
  std::int64_t n_ = 0;
  std::int64_t odd_ = 0;
  double parts_ = 0;
  double halves_ = 0;
};

}  // namespace featsieve
