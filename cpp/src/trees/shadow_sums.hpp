#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/log_factorials.hpp"
#include "trees/shadow_search.hpp"
#include "trees/shadows.hpp"

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

/// How features are compared with their shadows.
struct ShadowRule {
  /// Draws weigh the complexity of their node to this power.
  double power = 1;
  /// Empty, or for each feature which others use it up, row by row.
  std::span<const std::uint8_t> used_up_by;
};

/// Watches a tree grow and compares every feature drawn at a node with its shadows on
/// the same rows. Draws below a split on the same feature, or on one that uses it up,
/// are left out: what the feature has it has spent there, and its shadows have not.
class ShadowWatch {
 public:
  /// All must outlive the watch; rows must have equal weights.
  ShadowWatch(const Shadows& shadows, const TreeTarget& target, const ShadowRule& rule,
              ShadowSums& sums);

  /// Forgets the nodes of the last tree.
  void begin_tree();
  /// A feature was tried; `gain` is 0 if there was no test, per row, and of a number
  /// the reduction of its variance. Returns the mean gain of its shadows in the same
  /// unit, for trees to choose without favour for features of many values; 0 if that
  /// is not `asked` and not summed up either.
  double see(std::size_t node, std::span<const std::uint32_t> rows, std::size_t feature,
             double gain, bool asked);
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
  const ShadowRule* rule_;
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
