#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "featsieve/tree_prediction.hpp"

namespace featsieve {

/// One tree of a forest, with what its nodes answer.
struct ForestTree {
  const TreeRouter* router;
  std::span<const double> answers;              // n_outputs per node
  std::span<const std::int32_t> class_of_node;  // empty for numbers
};

/// Which rows each tree is not asked about: one flag per tree and row, tree by tree;
/// empty if there are none.
using LeftOut = std::span<const std::uint8_t>;

/// The class each tree gives each row, tree by tree; -1 for rows left out.
std::vector<std::int32_t> classify_by_trees(std::span<const ForestTree> trees,
                                            const TreeRows& rows, std::size_t n_classes,
                                            LeftOut left_out);

/// How many trees vote for each class of each row, n_classes per row.
std::vector<double> count_votes(std::span<const ForestTree> trees, const TreeRows& rows,
                                std::size_t n_classes, LeftOut left_out);

/// The leaf of each row in each tree, row by row.
std::vector<std::int32_t> leaves_of_trees(std::span<const ForestTree> trees,
                                          const TreeRows& rows);

/// What is known of the rows whose local relevance is asked for.
struct LocalTarget {
  std::span<const std::int32_t> classes;  // or
  std::span<const double> numbers;
};

/// Local relevance (thesis, eq. 8.3) of every feature for each row of a range: how much
/// better its target is known after a test of the feature than before, on average over
/// the tests on its way through all trees, or in sum.
/// information: per tree and node, log2 of the share of every class, or the mean.
std::vector<double> local_relevance(
    std::span<const TreeRouter* const> routers,
    std::span<const std::span<const double>> information, const TreeRows& rows,
    RowRange range, const LocalTarget& target, LeftOut left_out, bool mean);

}  // namespace featsieve
