#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "featsieve/interactions.hpp"
#include "pairs/pair_tables.hpp"
#include "pairs/plane_scanner.hpp"
#include "pairs/tuple_gain.hpp"

namespace featsieve {

/// Joint information gain of all pairs of features with a class.
///
/// The scanner keeps its own encoding of the codes. A new permutation of the classes is
/// a new scanner: building one costs O(n p) against O(n p²) for a scan.
///
/// Few levels: planes of bits, counted side by side. Many: joint histograms; where
/// these would be larger than the data, and with weights, rows are split into cells.
/// Missing values may not be spread: what that means for a pair is not settled.
class PairScanner : private PlaneScanner {
 public:
  PairScanner(const CodeMatrix& codes, std::span<const std::int32_t> classes,
              std::int32_t n_classes, Missing missing, Instructions instructions,
              std::span<const double> weights = {});

  std::size_t n_features() const { return n_columns(); }

  /// Gain of every feature alone; with kIgnore over its own known rows.
  std::span<const double> gains() const { return gains_; }

  /// Pairs (i, j) with i in [begin, end) and j > i.
  using PlaneScanner::n_pairs;

  /// Writes the gains of those pairs in the order (i, j); both spans hold n_pairs
  /// values.
  void scan(std::size_t begin, std::size_t end, std::span<double> joint_gain,
            std::span<double> synergy) const;

  /// The best k of those pairs, best first; ties go to the lowest (i, j).
  std::vector<Pair> scan_top(std::size_t begin, std::size_t end, std::size_t k,
                             PairScore score) const;

  /// Where a scan may be cut at no cost: first features of blocks that fill the
  /// counting kernel, and the number of features.
  std::vector<std::size_t> block_begins() const;

 private:
  struct Scratch;

  template <class Sink>
  void scan_rows(std::size_t begin, std::size_t end, const Sink& sink) const;
  template <class Sink>
  void score_lanes(std::size_t i, std::size_t group, std::size_t member,
                   const std::uint32_t* counts, std::size_t class_stride,
                   Scratch& scratch, const Sink& sink) const;
  void find_gains();

  GainsOfPair from_planes(std::size_t i, std::size_t j, const std::uint32_t* counts,
                          std::size_t class_stride, Scratch& scratch) const;
  GainsOfPair from_rows(std::size_t i, std::size_t j, Scratch& scratch) const;
  GainsOfPair from_cells(std::size_t i, std::size_t j, Scratch& scratch) const;
  GainsOfPair from_table(std::size_t i, std::size_t j, Scratch& scratch) const;
  GainsOfPair from_total(std::size_t i, std::size_t j, std::int64_t joint_total) const {
    const std::int64_t joint = std::max<std::int64_t>(0, joint_total);
    return {static_cast<double>(joint) * per_unit_,
            static_cast<double>(joint - totals_[i] - totals_[j]) * per_unit_};
  }

  std::vector<std::vector<SecondFeature>> seconds_;  // by group
  bool weighted_;
  std::optional<TupleScanner> split_;  // only if rows must be split
  std::vector<std::int64_t> totals_;   // n × gain of every feature, in units of log_
  std::vector<double> gains_;
  double per_unit_ = 0;  // bits per unit of log_
};

}  // namespace featsieve
