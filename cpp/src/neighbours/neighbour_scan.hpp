#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "neighbours/boosting.hpp"
#include "neighbours/descriptions.hpp"
#include "neighbours/neighbour_search.hpp"
#include "neighbours/subset_list.hpp"

namespace featsieve {

/// Rows with classes, compared with each other. Somebody else owns all of it.
struct ScannedRows {
  std::span<const double> values;  // column by column
  std::span<const Difference> kinds;
  CodedColumns descriptions;
  std::span<const std::int32_t> classes;  // from 0, one per row
  std::size_t n_classes = 0;
  /// Rows that do not vote for a row: empty if it is the row itself (or nothing, see
  /// below), else ranges, which hold the row.
  std::span<const LeftOut> left_out;
  /// Without ranges: whether the row itself is left out.
  bool leave_one_out = true;
};

/// How well nearest neighbours in subsets of columns tell the classes.
///
/// Where rows repeat, so that at most half of them are different, descriptions are
/// compared instead of rows.
class NeighbourScanner {
 public:
  NeighbourScanner(const ScannedRows& rows, Instructions instructions);

  /// Rows that are classified rightly, per subset.
  std::vector<std::int64_t> right(const SubsetList& subsets, std::size_t k) const;

  /// Z after 1, 2, … rounds, subset by subset.
  std::vector<double> boosting(const SubsetList& subsets, std::size_t k,
                               const BoostingRules& rules) const;

  /// All about the rounds for one subset and class, with weights and margins by row.
  BoostingRounds rounds(std::span<const std::int32_t> subset, std::size_t k,
                        std::size_t positive, const BoostingRules& rules) const;

 private:
  /// Rows or descriptions of one subset, and their neighbours.
  struct Evaluated {
    NeighbourLists lists;
    std::vector<std::int32_t> counts;
    std::vector<std::int32_t> numbers;  // of rows; empty if they stand for themselves
    std::vector<double> agreement;
  };

  template <class Use>
  void each(const SubsetList& subsets, std::size_t k, Conflict conflict,
            const Use& use) const;
  void look_at_descriptions(std::span<const std::int32_t> subset, std::size_t k,
                            Conflict conflict, const Descriptions& found,
                            Evaluated& out) const;
  DescribedRows described(const Evaluated& evaluated) const;

  ScannedRows rows_;
  Instructions instructions_;
  std::vector<std::int32_t> row_counts_;  // rows × classes
  std::vector<LeftOut> itself_;
};

/// A class by the k nearest rows, or a word that they do not decide it.
inline constexpr std::int32_t kUndecided = -1;

/// Votes for queries by k rows and no more, in subsets of columns: the most frequent
/// class, the first of equals. Undecided where rows that are equally near (within
/// kSameDistance and `slack`, one per subset) could be chosen so or so, and the class
/// depends on it. Subset by subset.
std::vector<std::int32_t> votes_of_exactly(const NeighbourSearch& search,
                                           const SubsetList& subsets, std::size_t k,
                                           std::span<const std::int32_t> classes,
                                           std::size_t n_classes,
                                           std::span<const double> slack);

/// Votes by the k nearest rows and all that are as near as the last of them. Of equal
/// votes the first class in `order` wins.
std::vector<std::int32_t> votes_with_ties(const NeighbourSearch& search,
                                          const SubsetList& subsets, std::size_t k,
                                          std::span<const std::int32_t> classes,
                                          std::span<const std::int32_t> order);

}  // namespace featsieve
