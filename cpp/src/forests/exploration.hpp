#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/exact_log_table.hpp"
#include "counting/dense_column.hpp"
#include "featsieve/counting.hpp"
#include "featsieve/instructions.hpp"
#include "pairs/bit_planes.hpp"
#include "random/random.hpp"

namespace featsieve {

/// How far an exploring tree goes.
struct ExplorationRules {
  std::size_t depth = 1;       // levels of nodes below the root
  std::size_t least_rows = 1;  // smaller nodes are neither looked at nor split
};

/// Shallow trees that split at random, not by what a split gains, and ask *every*
/// feature what it would gain at every node: so few trees are needed until features
/// that matter together only have met. Costs little because features of few levels are
/// counted by bit planes.
class Exploration {
 public:
  /// Missing codes (negative) are a level of their own.
  /// is_nominal: one flag per column. A nominal column is split into any two sets of
  /// its levels, another one at a cut.
  Exploration(const CodeMatrix& codes, std::span<const std::int32_t> classes,
              std::int32_t n_classes, std::span<const std::uint8_t> is_nominal,
              Instructions instructions);

  std::size_t n_features() const { return planes_.features().size(); }

  /// Grows one tree per seed whose root is split on the given feature, all other nodes
  /// on features drawn by their chances. Adds up the surprise of each feature over the
  /// nodes of a level: sums[level * n_features + feature], and how many nodes there
  /// were. The surprise of a gain of b bits in all rows of a node, at d degrees of
  /// freedom, is 2^((b - d) / 2), at least 1: its mean stays small if nothing matters
  /// (1 without the limit), and a rare but clear gain outweighs many that chance
  /// explains.
  struct Sums {
    std::vector<double> surprise;
    std::vector<std::int64_t> n_nodes;  // by level
  };
  Sums grow(std::span<const std::uint32_t> roots, std::span<const std::uint64_t> seeds,
            std::span<const double> chances, const ExplorationRules& rules) const;

 private:
  struct Level;
  struct NodeTotals {
    std::span<const std::uint32_t> rows;  // by class
    std::int64_t bits = 0;                // of all its rows less those of its classes
    int n_classes = 0;                    // that it has
  };
  struct Node {
    std::vector<std::uint32_t> path;  // features split on above, and here
    std::size_t n_rows = 0;
  };

  void split(std::uint32_t feature, const std::uint8_t* rows, std::uint8_t* left,
             std::uint8_t* right, Random& random) const;
  void count(const std::uint8_t* rows, std::uint32_t* totals) const;
  void look(const Level& level, double* surprise) const;
  template <std::size_t kClasses, std::size_t kPlanes>
  double surprise(const std::uint32_t* counts, std::size_t class_stride,
                  std::size_t n_planes, const NodeTotals& totals) const;

  ClassRows rows_;
  ExactLogTable logs_;
  BitPlanes planes_;
  PlaneFormat format_;
  std::vector<std::size_t> class_begin_;  // in the bytes of a plane
  std::vector<std::uint8_t> is_nominal_;
  std::vector<std::uint8_t> has_missing_;
  std::vector<std::uint8_t> all_rows_;  // the root
};

}  // namespace featsieve
