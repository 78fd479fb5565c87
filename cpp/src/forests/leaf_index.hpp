#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace featsieve {

/// Which rows are in which leaf of every tree of a forest, to find the rows that share
/// leaves with others without comparing all pairs. Memory: 4 bytes per row and tree.
class LeafIndex {
 public:
  /// leaves: of each row in each tree, row by row; not negative.
  LeafIndex(std::span<const std::int32_t> leaves, std::size_t n_trees);

  std::size_t n_rows() const { return n_rows_; }
  std::size_t n_trees() const { return trees_.size(); }

  /// How many trees put each of the rows in `leaves` together with each row of the
  /// index: n_rows() numbers per row.
  std::vector<float> shared(std::span<const std::int32_t> leaves) const;

  /// For each row in `leaves` and each tree, the mean of the outcomes of the rows of
  /// the index, weighted by the cube of the share of trees in which the rows are
  /// together (thesis, eq. 7.20 and 7.21); 0 if no row is.
  /// outcomes: per row of the index and tree: 1 right, -1 wrong, 0 not to be counted.
  /// own_row: what the first row of `leaves` is in the index, if the rows are known to
  /// it: none counts for itself; -1 if they are not.
  std::vector<double> outcome_means(std::span<const std::int32_t> leaves,
                                    std::span<const std::int8_t> outcomes,
                                    std::int64_t own_row) const;

 private:
  struct TreeLeaves {
    std::vector<std::uint32_t> starts;  // by leaf
    std::vector<std::uint32_t> rows;
  };

  /// Adds 1 for every tree and row together with one row; returns rows seen first.
  template <class Count>
  void count_shared(const std::int32_t* leaves, Count* counts,
                    std::vector<std::uint32_t>* seen) const;
  std::size_t count_rows(std::span<const std::int32_t> leaves) const;

  std::size_t n_rows_;
  std::vector<TreeLeaves> trees_;
};

}  // namespace featsieve
