#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "neighbours/neighbour_search.hpp"

namespace featsieve {

/// What neighbours say: their weighted mean label, or its sign (0 on a tie).
enum class Vote : std::uint8_t { kReal, kSign };

/// What conflicting labels of equal descriptions change: nothing, the weights of the
/// rounds, or the weights of rounds and criterion.
enum class Conflict : std::uint8_t { kNone, kRounds, kRoundsAndCriterion };

struct BoostingRules {
  std::size_t n_rounds = 50;
  Vote vote = Vote::kReal;
  Conflict conflict = Conflict::kNone;
};

/// Rows of equal description, counted together, with their neighbours.
///
/// Rows of one description and label always have the same weight, so that a
/// description stands for all its rows. Rows that are not counted together are
/// descriptions of one row each.
struct DescribedRows {
  std::span<const std::int32_t> counts;  // descriptions × classes
  std::size_t n_classes = 0;
  /// Descriptions near each description, the description itself perhaps among them.
  const NeighbourLists* neighbours = nullptr;
  /// Whether a row is left out of the neighbours of its own description.
  bool leave_one_out = true;
  /// |n⁺ − n⁻| / (n⁺ + n⁻) of the rows that have the same description, descriptions ×
  /// classes; empty without conflicts.
  std::span<const double> agreement;

  std::size_t size() const { return n_classes == 0 ? 0 : counts.size() / n_classes; }
};

/// One class against the others: what every round did.
struct BoostingRounds {
  std::vector<double> correlations;  // r of every round, the one that ended it too
  std::vector<double> confidences;   // alpha of every round that counts
  std::vector<double> criterion;     // Z after 1, 2, … rounds; the last one stays
  std::vector<double> weights;       // one row's in the end, descriptions × {+, −}
  std::vector<double> margins;       // F, descriptions × {+, −}
};

/// Boosts leave-one-out nearest neighbours for one class against the others.
BoostingRounds boost(const DescribedRows& rows, std::size_t positive,
                     const BoostingRules& rules);

/// Z after 1, 2, … n_rounds rounds: the mean over one class against the others, or, of
/// two classes, over one problem.
std::vector<double> boosting_curve(const DescribedRows& rows,
                                   const BoostingRules& rules);

/// How many rows are classified rightly by the votes of their neighbours. Of equal
/// votes the class with more rows wins, then the first.
std::int64_t count_right(const DescribedRows& rows);

}  // namespace featsieve
