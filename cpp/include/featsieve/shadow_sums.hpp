#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "featsieve/log_factorials.hpp"
#include "featsieve/shadow_search.hpp"
#include "featsieve/shadows.hpp"

namespace featsieve {

/// What features and their shadows gained where features were drawn, summed by feature
/// over the nodes of trees.
struct ShadowSums {
  ShadowSums(std::size_t n_features, std::size_t n_shadows);

  std::size_t n_shadows;
  std::vector<std::int64_t> n_draws;
  std::vector<double> weight;
  std::vector<double> gain;         // times weight
  std::vector<double> shadow_gain;  // times weight, by feature and shadow
};

/// Watches a tree grow and compares every feature drawn at a node with its shadows on
/// the same rows. Draws below a split on the same feature are left out: what the
/// feature has by chance it has used up there, and its shadows have not.
class ShadowWatch {
 public:
  /// Draws weigh the complexity of their node to this power. All must outlive the
  /// watch; rows must have equal weights.
  ShadowWatch(const Shadows& shadows, const TreeTarget& target, double power,
              ShadowSums& sums);

  /// Forgets the nodes of the last tree.
  void begin_tree();
  /// A feature was tried; `gain` is 0 if there was no test, per row, and of a number
  /// the reduction of its variance.
  void see(std::size_t node, std::span<const std::uint32_t> rows, std::size_t feature,
           double gain);
  void split(std::size_t node, std::size_t feature, std::size_t n_children);

 private:
  struct Step {
    std::int32_t parent;
    std::int32_t feature;  // the parent was split on
  };

  bool is_fresh(std::size_t node, std::size_t feature) const;
  void turn_to(std::size_t node, std::span<const std::uint32_t> rows);
  double complexity(std::span<const std::uint32_t> rows);
  double variance(std::span<const std::uint32_t> rows) const;

  const Shadows* shadows_;
  const TreeTarget* target_;
  double power_;
  ShadowSums* sums_;
  ShadowSearch search_;
  LogFactorials factorials_;
  std::vector<std::uint32_t> outcome_;  // by row: the class, or which number it is
  std::vector<std::int64_t> counts_;    // by outcome
  std::vector<Step> steps_;             // by node
  std::size_t node_ = 0;
  bool turned_ = false;
  double weight_ = 0;
  double variance_ = 1;
  std::vector<double> shadow_gains_;
};

}  // namespace featsieve
