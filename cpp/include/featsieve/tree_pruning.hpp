#pragma once

#include <span>

#include "featsieve/case_lists.hpp"
#include "featsieve/flat_tree.hpp"
#include "featsieve/tree_columns.hpp"

namespace featsieve {

/// How C4.5 cuts a tree back.
struct PruneRules {
  double confidence = 0.25;
  double deviate = 0.6925;  // the normal deviate that belongs to the confidence
  bool subtree_raising = true;
  bool j48 = false;
};

/// Errors to add to the `errors` seen among cases of weight `weight` for the upper
/// limit of their binomial confidence interval.
double extra_errors(double weight, double errors, const PruneRules& rules);

/// Makes leaves of subtrees that do not err less than a leaf on the training cases:
/// bottom up, or top down as in J48.
void collapse_tree(FlatTree& tree, bool j48);

/// Replaces subtrees by leaves or by their heaviest branch where that lowers the
/// pessimistic estimate of errors. Counts of nodes become those of the cases given.
/// Nodes that can no longer be reached stay; see FlatTree::compacted.
void prune_tree(FlatTree& tree, const TreeColumns& columns, const TreeTarget& target,
                std::span<const double> weights, const PruneRules& rules);

}  // namespace featsieve
