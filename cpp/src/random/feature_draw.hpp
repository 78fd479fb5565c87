#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "random/random.hpp"

namespace featsieve {

/// Draws different features for a node, one after another, each in proportion to its
/// chance among those not drawn yet.
class FeatureDraw {
 public:
  /// chances: empty for equal ones, else one per feature; a chance of 0 is never drawn.
  FeatureDraw(std::size_t n_features, std::span<const double> chances,
              std::uint64_t seed);

  /// Begins a new node.
  void begin();
  /// Begins a new node with chances of its own; equal ones if none is positive.
  void begin(std::span<const double> chances);
  /// The next feature; false when none is left.
  bool next(std::size_t& feature);

 private:
  bool next_uniform(std::size_t& feature);
  bool next_weighted(std::size_t& feature);
  void recount();

  Random random_;
  bool uniform_;
  std::vector<std::uint32_t> order_;  // uniform: the first `n_drawn_` are drawn
  std::size_t n_drawn_ = 0;
  std::vector<double> chances_;
  double total_ = 0;
  std::vector<double> left_;  // chances of features not drawn yet
  double total_left_ = 0;
  double counted_ = 0;  // the total when it was last exact
};

}  // namespace featsieve
