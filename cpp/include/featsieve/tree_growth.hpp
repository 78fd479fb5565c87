#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "featsieve/case_lists.hpp"
#include "featsieve/flat_tree.hpp"
#include "featsieve/growth_rules.hpp"
#include "featsieve/relevance_sums.hpp"
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

/// Those who look on while a tree grows; null for nobody, which costs nothing.
struct Observers {
  TriedFeatures* tried = nullptr;      // records what was tried
  RelevanceSums* relevance = nullptr;  // sums up what features gained
  ShadowWatch* shadows = nullptr;      // compares what is tried with shadows
};

/// Grows a tree, depth first, first child first.
/// weights: empty, or one per row; rows of weight 0 or without a class are not used.
/// Shadows need rows that are whole: no cases divided by missing values.
FlatTree grow_tree(const TreeColumns& columns, const TreeTarget& target,
                   std::span<const double> weights, const GrowthRules& rules,
                   const Observers& observers = {});

}  // namespace featsieve
