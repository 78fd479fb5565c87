#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "featsieve/counting.hpp"
#include "pairs/pair_tables.hpp"
#include "pairs/plane_scanner.hpp"
#include "ranks/concordance.hpp"

namespace featsieve {

/// What is made of the table of two coded columns.
enum class PairMeasure : std::uint8_t { kSymmetricalUncertainty, kTauB, kGamma };

/// Association of all pairs of coded columns, from their contingency tables.
///
/// Keeps its own encoding of the codes. Few levels: planes of bits, counted side by
/// side. Many: joint histograms; where these would be larger than the data, rows sorted
/// by the first column (for symmetrical uncertainty only: ordinal columns of many
/// levels are the job of RankedColumn).
class LevelPairs : private PlaneScanner {
 public:
  /// missing: kLevel or kIgnore, which leaves out rows that either column lacks.
  /// For kTauB and kGamma levels ascend, and missing values must be ignored.
  LevelPairs(const CodeMatrix& codes, PairMeasure measure, Missing missing,
             std::int64_t min_untied, Instructions instructions);

  std::size_t n_features() const { return n_columns(); }

  /// Writes the association of pairs (i, j), i in [begin, end) and j > i, in order.
  void scan(std::size_t begin, std::size_t end, std::span<double> values) const;
  using PlaneScanner::n_pairs;

  /// Writes the association of feature i with every feature; with itself too.
  void row(std::size_t i, std::span<double> values) const;

 private:
  struct Scratch {
    std::vector<std::uint32_t> table;  // of a pair
    std::vector<std::int64_t> known;   // the same without missing values
  };

  template <class Sink>
  void visit(std::size_t begin, std::size_t end, Seconds seconds,
             const Sink& sink) const;
  double from_planes(std::size_t i, std::size_t j, const std::uint32_t* counts,
                     Scratch& scratch) const;
  double from_rows(std::size_t i, std::size_t j, Scratch& scratch) const;
  double from_table(std::size_t i, std::size_t j, Scratch& scratch) const;
  double uncertainty_of(const JointSums<std::uint32_t>& sums) const;
  double uncertainty_of(std::int64_t first, std::int64_t second,
                        std::int64_t joint) const;

  PairMeasure measure_;
  std::int64_t min_untied_;
  std::vector<std::int64_t> entropies_;  // n × entropy, in units of log_
};

}  // namespace featsieve
