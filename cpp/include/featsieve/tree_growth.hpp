#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "featsieve/case_lists.hpp"
#include "featsieve/flat_tree.hpp"
#include "featsieve/growth_rules.hpp"
#include "featsieve/shadow_sums.hpp"
#include "featsieve/tree_columns.hpp"

namespace featsieve {

/// Every feature that was tried at every node, in order, for those who want to look.
struct TriedFeatures {
  std::vector<std::int32_t> node;
  std::vector<std::int32_t> feature;
  std::vector<double> gain;          // 0 if the feature is constant in the node
  std::vector<std::uint8_t> passes;  // it could have been split on under the rules
};

/// Grows a tree, depth first, first child first.
/// weights: empty, or one per row; rows of weight 0 or without a class are not used.
/// tried: null, or where to record what was tried.
/// watch: null, or who compares what is tried with shadows; rows must be whole.
FlatTree grow_tree(const TreeColumns& columns, const TreeTarget& target,
                   std::span<const double> weights, const GrowthRules& rules,
                   TriedFeatures* tried = nullptr, ShadowWatch* watch = nullptr);

}  // namespace featsieve
