#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "neighbours/coarse_distance.hpp"
#include "neighbours/mixed_rows.hpp"

namespace featsieve {

/// What is to be explained. Rows lie class by class.
struct ReliefTarget {
  std::span<const std::int32_t> begins;  // first row of each class, and the end
  /// Classes × classes: what the mean difference from neighbours of a class (column)
  /// counts for an anchor of a class (row). Hits, on the diagonal, are negative.
  std::span<const double> factors;
  /// The target of a regression, scaled to 0..1; empty with classes. There is then one
  /// class, and no factor.
  std::span<const double> quantities;
};

struct NeighbourRule {
  std::size_t n_neighbours = 10;
  /// Neighbour r (from 0) counts exp(−(r / sigma)²); 0: all count the same.
  double sigma = 0;
  /// Columns in the order in which distances are added up, for Weka's neighbours:
  /// rows are seen in file order, and one takes the place of the first farthest kept
  /// one only if it is nearer. Empty: equally far rows share their places.
  std::span<const std::int32_t> file_order;
};

/// What anchors tell, one line each.
struct ReliefTerms {
  /// With classes: what the anchor adds to every feature's score (0 if it counts not).
  /// With quantities, and k nearest: two lines per anchor, the weighted mean difference
  /// of each feature, and the same times that of the target.
  std::vector<double> terms;
  std::vector<double> target_differences;  // weighted means; empty with classes
  /// Of k nearest: whether the anchor has hits and misses, or any neighbour.
  std::vector<std::uint8_t> counts;
};

/// Relief: how much the neighbours of a row, the anchor, differ from it in a feature if
/// they differ in the target, and how much if they do not.
///
/// Weights count copies: a row of weight w is w rows at the same place, of which an
/// anchor is one. Memory beyond the rows is O(rows). Scanning is const and
/// single-threaded, and an anchor's terms do not depend on the others.
class ReliefScanner {
 public:
  /// Spans are the caller's, and must outlive the scanner. weights: empty for 1 each.
  ReliefScanner(const MixedRows& rows, const ReliefTarget& target,
                std::span<const double> weights, Instructions instructions);

  std::size_t n_features() const { return distances_.rows().groups.total(); }
  std::size_t n_rows() const { return distances_.rows().n_rows; }

  /// ReliefF and RReliefF: the nearest rows of each class.
  ReliefTerms nearest(std::span<const std::int32_t> anchors,
                      const NeighbourRule& rule) const;

  /// MultiSURF: rows nearer than the mean distance less half its standard deviation.
  /// Of a regression, rows whose target differs by less than `same` are hits.
  ReliefTerms near(std::span<const std::int32_t> anchors, double same) const;

 private:
  struct Neighbour {
    double distance;
    double weight;
    std::int32_t row;
  };
  struct Scratch;

  ReliefTerms empty_terms(std::size_t n_anchors, std::size_t lines) const;
  std::size_t class_of(std::size_t row) const;
  /// Of a row as a neighbour; an anchor is one of its own copies.
  double weight(std::size_t row, std::size_t anchor) const {
    const double weight = weights_.empty() ? 1 : weights_[row];
    return row != anchor ? weight : weight > 1 ? weight - 1 : 0;
  }
  void check_anchors(std::span<const std::int32_t> anchors) const;
  void find_shared(std::size_t anchor, std::size_t group, const std::int32_t* coarse,
                   const NeighbourRule& rule, Scratch& scratch) const;
  /// A coarse distance within which rows weigh as much as is wanted.
  std::int32_t bound_by_weight(std::size_t anchor, std::size_t begin, std::size_t end,
                               const std::int32_t* coarse, double wanted) const;
  void find_in_file_order(std::size_t anchor, std::size_t group,
                          const std::int32_t* coarse, const NeighbourRule& rule,
                          Scratch& scratch) const;
  double distance_in_order(std::size_t a, std::size_t b,
                           std::span<const std::int32_t> order) const;
  void explain(std::size_t anchor, std::size_t line, const std::int32_t* coarse,
               const NeighbourRule& rule, Scratch& scratch, ReliefTerms& result) const;
  void add_near(std::size_t anchor, double same, std::span<const double> distances,
                std::span<double> sums, std::span<double> out) const;
  double near_bound(std::size_t anchor, std::span<const double> distances) const;

  RowDistances distances_;
  CoarseDistances coarse_;
  ReliefTarget target_;
  std::span<const double> weights_;
};

}  // namespace featsieve
