#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/log_factorials.hpp"
#include "trees/case_lists.hpp"
#include "trees/split_search.hpp"

namespace featsieve {

/// Bits of arrangements of rows of these class weights along a feature, those counted
/// once that are mirror images (thesis, eq. 7.5): log2 M - (1 - A / M). Weights that
/// are not whole have no arrangement that equals its own reflection.
double arrangement_bits(std::span<const double> counts,
                        const LogFactorials& log_factorials);

/// What an irrelevant feature is expected to gain in a node of n rows of two classes:
/// a lower and an upper approximation (thesis, eq. 7.13 and 7.14).
struct ChanceGain {
  double lower;
  double upper;
};
ChanceGain chance_gain(double n);

/// Of how often each outcome occurs in a node, where that is a whole number.
struct WholeCounts {
  double log_factorials = 0;  // their sum
  std::int64_t n_odd = 0;     // how many are odd
};

/// Sums, by feature, of what features gained in the nodes of a tree where they were
/// tried, as it grows. A feature that is constant in a node fails there and gains 0.
class RelevanceSums {
 public:
  /// Numbers kept per feature; phi is the node's complexity.
  enum Entry : std::size_t {
    kTries,
    kFailed,
    kGain,
    kPhi,
    kPhiFailed,
    kPhiGain,
    kPhiGainSquared,
    kPhiLower,  // of ChanceGain, failed tries left out; 0 for numbers
    kPhiUpper,
    kEntries
  };

  /// value_codes: of a number to predict, which of its different values each row has,
  /// all numbers below the greatest used; empty for classes.
  RelevanceSums(std::size_t n_features, std::size_t n_rows,
                std::span<const std::int32_t> value_codes);

  void begin_node(const CaseLists& lists, const OpenNode& node,
                  std::span<const double> sums);
  void add(std::size_t feature, bool valid, double gain);

  /// kEntries numbers per feature.
  std::vector<double>& values() { return values_; }

 private:
  double complexity_of_values(const CaseLists& lists, const OpenNode& node);
  double exact_complexity(const CaseLists& lists, const OpenNode& node);
  WholeCounts count_different(std::span<const std::uint32_t> members,
                              std::span<const double> weights) const;
  WholeCounts count_equal(const CaseLists& lists, const OpenNode& node);

  LogFactorials log_factorials_;
  std::span<const std::int32_t> value_codes_;
  bool all_differ_ = false;  // no two rows have the same value
  std::vector<double> weight_of_value_;
  std::vector<std::uint32_t> count_of_value_;
  std::vector<std::int32_t> seen_;
  std::vector<double> seen_weights_;
  double phi_ = 0;
  double scale_ = 1;  // of gains: 1, or 1 / variance of the node's numbers
  ChanceGain chance_{0, 0};
  std::vector<double> values_;
};

}  // namespace featsieve
