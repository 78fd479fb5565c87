#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "featsieve/bit_planes.hpp"
#include "featsieve/concordance.hpp"
#include "featsieve/dense_column.hpp"
#include "featsieve/exact_log_table.hpp"
#include "featsieve/missing.hpp"
#include "featsieve/views.hpp"

namespace featsieve {

/// What is made of the table of two coded columns.
enum class PairMeasure : std::uint8_t { kSymmetricalUncertainty, kTauB, kGamma };

/// Association of all pairs of coded columns, from their contingency tables.
///
/// Keeps its own encoding of the codes. Scanning is const and single-threaded; ranges
/// may be scanned at the same time and give the same bits however they are cut. Few
/// levels: planes of bits, counted side by side. Many: joint histograms; where these
/// would be larger than the data, rows sorted by the first column (for symmetrical
/// uncertainty only: ordinal columns of many levels are the job of RankedColumn).
class LevelPairs {
 public:
  /// missing: kLevel or kIgnore, which leaves out rows that either column lacks.
  /// For kTauB and kGamma levels ascend, and missing values must be ignored.
  template <class Code>
  LevelPairs(const MatrixView<Code>& codes, PairMeasure measure, Missing missing,
             std::int64_t min_untied, Instructions instructions);

  std::size_t n_features() const { return has_missing_.size(); }

  /// Writes the association of pairs (i, j), i in [begin, end) and j > i, in order.
  void scan(std::size_t begin, std::size_t end, std::span<double> values) const;
  std::size_t n_pairs(std::size_t begin, std::size_t end) const;

  /// Writes the association of feature i with every feature; with itself too.
  void row(std::size_t i, std::span<double> values) const;

 private:
  struct Scratch {
    std::vector<std::uint32_t> counts;  // of a tile of planes
    std::vector<std::uint32_t> table;   // of a pair
    std::vector<std::int64_t> known;    // the same without missing values
    std::vector<std::uint32_t> cells;   // of one level of the first column
  };
  using Sink = std::function<void(std::size_t, std::size_t, double)>;

  void visit(std::size_t begin, std::size_t end, bool upper, const Sink& sink) const;
  void visit_planes(std::size_t begin, std::size_t end, std::size_t group, bool upper,
                    Scratch& scratch, const Sink& sink) const;
  double from_planes(std::size_t i, std::size_t j, const std::uint32_t* counts,
                     Scratch& scratch) const;
  double from_rows(std::size_t i, std::size_t j, Scratch& scratch) const;
  double from_sorted_rows(std::size_t i, std::size_t j, Scratch& scratch) const;
  double from_table(std::size_t i, std::size_t j, Scratch& scratch) const;
  double uncertainty_of(std::int64_t first, std::int64_t second,
                        std::int64_t joint) const;
  std::size_t known_levels(std::size_t feature) const;
  bool leaves_rows_out(std::size_t i, std::size_t j) const;
  bool prefers_planes(std::size_t feature, const BitPlanes::Group& group) const;

  ClassRows rows_;
  PairMeasure measure_;
  Missing missing_;
  std::int64_t min_untied_;
  ExactLogTable log_;
  BitPlanes planes_;
  std::vector<bool> has_missing_;
  std::vector<DenseColumn> columns_;     // only if histograms are needed
  std::vector<std::int64_t> entropies_;  // n × entropy, in units of log_
};

}  // namespace featsieve
