#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "featsieve/interactions.hpp"
#include "pairs/plane_scanner.hpp"
#include "pairs/tuple_gain.hpp"

namespace featsieve {

/// Joint information gain of triples of features with a class.
///
/// Few levels: the planes of two features are ANDed once and counted side by side
/// against those of all third features; cells of a level 0 follow from the tables of
/// pairs. Many levels, and weights: rows are split into cells. A missing value is one
/// more level, or a reason to leave the row out of all gains of the triple.
class TripleScanner : private PlaneScanner {
 public:
  TripleScanner(const CodeMatrix& codes, std::span<const std::int32_t> classes,
                std::int32_t n_classes, Missing missing, Instructions instructions,
                std::span<const double> weights = {});

  std::size_t n_features() const { return n_columns(); }

  /// Counts the tables of these features with all others, which scans need: four bytes
  /// a cell, class and pair. Call before scanning, once for all features in use.
  void prepare(std::span<const std::int32_t> features);

  /// Triples (i, j, k) with i in [begin, end) and i < j < k.
  std::size_t n_triples(std::size_t begin, std::size_t end) const;

  /// Writes the gains of those triples in that order, three numbers each: joint gain,
  /// third order, synergy.
  void scan(std::size_t begin, std::size_t end, std::span<double> gains) const;

  /// The best k of those triples, best first; ties go to the lowest indices.
  std::vector<Triple> scan_top(std::size_t begin, std::size_t end, std::size_t k,
                               TripleScore score) const;

  /// Writes the same for every pair (firsts[m], seconds[m]) with every other feature,
  /// ascending: n_features - 2 triples a pair.
  void scan_with_pairs(std::span<const std::int32_t> firsts,
                       std::span<const std::int32_t> seconds,
                       std::span<double> gains) const;

 private:
  /// A feature beside all others: tables and gains of its pairs.
  struct PairRow {
    std::vector<std::size_t> begin;     // of the table with each feature
    std::vector<std::uint32_t> tables;  // as TripleTables has them
    std::vector<TupleScanner::Sum> sums;
  };
  struct FeaturePair {
    std::uint32_t first;
    std::uint32_t second;
  };
  struct Scratch;

  template <class Sink>
  void scan_rows(std::size_t begin, std::size_t end, const Sink& sink) const;
  template <class Sink>
  void scan_pairs(std::span<const FeaturePair> pairs, bool only_above,
                  const Sink& sink) const;
  template <class Sink>
  void scan_tile(std::span<const FeaturePair> pairs, std::size_t group,
                 std::size_t n_planes, bool only_above, Scratch& scratch,
                 const Sink& sink) const;
  static bool takes(const FeaturePair& pair, std::size_t third, bool only_above);
  void intersect_planes(const FeaturePair& pair, std::uint8_t* planes) const;
  static bool few_planes(std::size_t n_planes, const BitPlanes::Group& group);
  bool have_planes(const FeaturePair& pair) const;
  std::size_t planes_of(const FeaturePair& pair) const;
  bool leaves_out(const FeaturePair& pair, std::size_t third) const {
    return leaves_rows_out(pair.first, pair.second) || leaves_rows_out(third, third);
  }

  PairRow make_row(std::size_t feature) const;
  void count_row(std::size_t feature, PairRow& row) const;
  TupleScanner::Sum sum_of_table(const std::uint32_t* table, std::size_t first_levels,
                                 std::size_t second_levels) const;

  TripleGains from_planes(const FeaturePair& pair, std::size_t third,
                          const std::uint32_t* counts, std::size_t class_stride,
                          Scratch& scratch) const;
  TripleGains from_rows(const FeaturePair& pair, std::size_t third,
                        Scratch& scratch) const;
  TripleGains from_known_rows(const FeaturePair& pair, std::size_t third) const;
  TripleGains from_sums(const TupleScanner::Sum& joint, const FeaturePair& pair,
                        std::size_t third) const;

  bool weighted_;
  std::optional<TupleScanner> walk_;     // only if rows must be split
  std::vector<TupleScanner::Sum> sums_;  // of single features
  std::vector<PairRow> pair_rows_;       // empty where a feature was not prepared
};

}  // namespace featsieve
