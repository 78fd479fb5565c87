#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "common/exact_log_table.hpp"
#include "featsieve/trees.hpp"
#include "trees/case_lists.hpp"
#include "trees/cut_scan.hpp"
#include "trees/split_scores.hpp"

namespace featsieve {

/// A node that is to be split.
struct OpenNode {
  std::size_t node = 0;
  std::size_t depth = 0;
  Segment cases;
  double weight = 0;
};

/// The best test of one feature in one node.
struct Candidate {
  std::size_t feature = 0;
  bool valid = false;    // there is a test
  double gain = 0;       // per case of the node
  double by_chance = 0;  // what it is held against where features compete
  double split_info = 0;
  std::uint32_t cut = 0;    // numeric: the greatest code on the left
  std::uint32_t above = 0;  // and the least one on the right
  double threshold = 0;     // if it is one of few
  double price = 0;         // in bits, by the MDL rule, without naming the feature
  double saved_bits = 0;    // what the rule weighs it against, for numbers
};

/// Finds the best test of a feature among the cases of a node.
class SplitSearch {
 public:
  SplitSearch(const TreeColumns& columns, const CaseLists& lists,
              const GrowthRules& rules, std::size_t n_classes);

  /// `sums` are those of the node's cases.
  Candidate evaluate(const OpenNode& node, const double* sums, std::size_t feature);
  /// The threshold of a numeric test. weights: empty, or one per row; values of rows of
  /// weight 0 do not count among the actual ones.
  double threshold(const Candidate& candidate, std::span<const double> weights);
  /// Levels of a nominal feature that occur in the node, ascending.
  void levels_present(const OpenNode& node, std::size_t feature,
                      std::vector<std::uint32_t>& levels);

 private:
  template <class Task>
  auto with_score(bool whole, Task&& task);
  Candidate evaluate_numeric(const OpenNode& node, const double* sums,
                             std::size_t feature);
  Candidate evaluate_nominal(const OpenNode& node, std::size_t feature);
  std::span<const CodedCase> sorted_cases(const OpenNode& node, std::size_t feature);
  CutLimits limits_for(const OpenNode& node, double known, double base) const;
  void settle_cut(const OpenNode& node, std::span<const CodedCase> cases,
                  const double* known, const FoundCut& cut, Candidate& candidate);
  void collect_levels(const OpenNode& node, std::size_t feature);
  void collect_few_levels(const std::uint32_t* codes,
                          std::span<const std::uint32_t> members, std::size_t n_levels);
  /// What the MDL rule asks for a split into branches with these sums.
  void set_price(double weight, const double* known, std::span<const double> branches,
                 Candidate& candidate) const;
  double saved_bits(const double* known, std::span<const double> branches) const;
  double total_weight(const double* sums) const;
  /// Which codes of a numeric column occur among rows that count.
  const std::vector<std::uint8_t>& used_codes(std::size_t feature,
                                              std::span<const double> weights);

  const TreeColumns* columns_;
  const CaseLists* lists_;
  const GrowthRules* rules_;
  std::size_t n_classes_;
  std::size_t n_sums_;
  double response_tie_ = 0;    // score differences of numbers below are rounding
  double least_variance_ = 0;  // of a number, in the MDL rule
  std::shared_ptr<const ExactLogTable> logs_;  // trees of one forest share it
  EntropyOfTwo entropy_of_two_;
  EntropyOfCounts entropy_of_counts_;
  EntropyOfWeights entropy_of_weights_;
  Gini gini_;
  Variance variance_;

  std::vector<std::uint32_t> far_codes_;               // by feature; see CutLimits
  std::vector<std::vector<std::uint8_t>> used_codes_;  // by feature, once asked for
  std::vector<CodedCase> cases_, case_scratch_;
  std::vector<double> known_;
  std::vector<std::uint32_t> slot_;    // by level
  std::vector<std::uint32_t> levels_;  // that occur in the node, ascending
  std::vector<double> level_sums_;     // of these levels
};

}  // namespace featsieve
