#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

// Decision trees: training columns, the rules of growth, growing and pruning. Rows are
// sent down a tree by tree_prediction.hpp.

namespace featsieve {

class RelevanceSums;
class ShadowWatch;

/// The code of a missing value. The greatest code, so that it sorts behind all others.
inline constexpr std::uint32_t kMissingCode = 0xFFFFFFFFU;

/// Training columns of trees, coded once and shared by all trees grown on them.
///
/// A numeric column is coded by the rank of each value among its different values, a
/// nominal one by its level. Growing meets codes only; `values` leads back.
class TreeColumns {
 public:
  explicit TreeColumns(std::size_t n_rows);

  /// NaN is missing.
  void add_numeric(std::span<const double> values);
  /// A negative level is missing; levels are below n_levels.
  void add_nominal(std::span<const std::int32_t> levels, std::uint32_t n_levels);

  /// These columns only, in this order, without coding them again.
  TreeColumns select(std::span<const std::uint32_t> columns) const;

  std::size_t n_rows() const { return n_rows_; }
  std::size_t n_columns() const { return columns_.size(); }

  bool is_nominal(std::size_t column) const { return columns_[column].nominal; }
  bool has_missing(std::size_t column) const { return columns_[column].missing; }
  /// Levels declared, or different values.
  std::uint32_t n_codes(std::size_t column) const { return columns_[column].n_codes; }
  const std::uint32_t* codes(std::size_t column) const {
    return columns_[column].codes.data();
  }
  /// The different values of a numeric column, ascending.
  std::span<const double> values(std::size_t column) const {
    return columns_[column].values;
  }

 private:
  struct Column {
    bool nominal;
    bool missing;
    std::uint32_t n_codes;
    std::vector<std::uint32_t> codes;
    std::vector<double> values;
  };

  void check_length(std::size_t length) const;

  std::size_t n_rows_;
  std::vector<Column> columns_;
};

/// What a tree is to predict: classes, or numbers if there are any.
struct TreeTarget {
  std::span<const std::int32_t> classes;
  std::size_t n_classes = 0;
  std::span<const double> numbers;

  bool is_number() const { return n_classes == 0; }
  /// Length of the sums of a set of cases: class weights, or the weight, the sum and
  /// the sum of squares of the number.
  std::size_t n_sums() const { return is_number() ? 3 : n_classes; }
};

/// J48 compares with this slack throughout.
inline constexpr double kSlackJ48 = 1e-6;
/// Release 8 compares exactly, but in its own rounding: branch weights that ours has
/// put below a whole number still count as it.
inline constexpr double kSlackC45 = 1e-9;
/// Gains that differ by less are equal: what doubles lose in sums of logarithms.
inline constexpr double kGainTie = 1e-12;

/// What a split is scored by.
enum class SplitScore : std::uint8_t {
  kInformationGain,  // bits
  kGainRatio,        // C4.5: gain ratio among the features of at least average gain
  kGini,
  kVariance,  // of a number, instead of classes
};

/// Where a case goes whose value is missing.
enum class MissingCases : std::uint8_t {
  kFractional,  // to every branch, with the branch's share of the known weight
  kLargest,     // to the branch of greatest known weight
};

/// What becomes of a node when every feature drawn for it is constant there.
enum class FailedDraw : std::uint8_t { kRedraw, kLeaf };

/// Price of naming a feature in the MDL rule.
enum class FeatureCost : std::uint8_t { kNone, kWithoutKey, kFull };

/// Where a numeric cut may lie.
struct CutRule {
  /// C4.5: each side holds at least a tenth of what a class holds on average, between
  /// `min_cases` and 25. Without it, any side that is not empty will do.
  bool minimum_share = false;
  double min_cases = 0;
  /// Neighbours must differ by more than this.
  double min_gap = 0;
  /// C4.5 release 8: a cut pays log2(cuts tried) / N of its gain.
  bool penalty = false;
  /// The threshold is the greatest training value up to the midpoint.
  bool actual_value = false;
  /// If positive, only that many equally spaced thresholds per node are tried.
  std::uint32_t n_thresholds = 0;
};

/// When a node stays a leaf.
struct StopRule {
  /// Weight below which a node is not split.
  double min_weight = 0;
  std::size_t max_depth = std::numeric_limits<std::size_t>::max();
  /// Split only if it shortens the description of the classes.
  bool description_length = false;
  FeatureCost feature_cost = FeatureCost::kFull;
};

/// Which features a node may be split on.
struct FeatureRule {
  /// Features drawn per node; 0 for all, in order.
  std::size_t n_drawn = 0;
  FailedDraw failed_draw = FailedDraw::kRedraw;
  /// Empty for equal chances; else one chance per feature, never drawn if 0.
  std::span<const double> chances;
  /// Empty, or one number per row and feature (row by row): the chance of a feature in
  /// a node is the sum over the node's rows, if positive.
  std::span<const double> row_chances;
  std::uint64_t seed = 0;
};

/// All that sets one kind of tree apart from another.
struct GrowthRules {
  SplitScore score = SplitScore::kInformationGain;
  CutRule cut;
  StopRule stop;
  FeatureRule features;
  MissingCases missing = MissingCases::kFractional;
  /// A branch for every declared level, also for those absent from the node.
  bool all_levels = false;
  /// C4.5 as Weka's J48 has it, not as Quinlan's release 8.
  bool j48 = false;
  /// Choose by gain ratio rather than by gain among the features of average gain.
  bool use_ratio = true;
  /// Rows that count for the rule on features of many levels, if not those of the bag.
  std::size_t n_all_rows = 0;
};

/// The first class whose weight is the greatest, or less by no more than `slack`.
inline std::size_t heaviest_class(std::span<const double> weights, double slack) {
  const double most = *std::max_element(weights.begin(), weights.end());
  return static_cast<std::size_t>(
      std::find_if(weights.begin(), weights.end(),
                   [=](double weight) { return weight >= most - slack; }) -
      weights.begin());
}

/// A tree in flat arrays. The root is node 0, children have consecutive numbers, and
/// these are greater than their parent's.
struct FlatTree {
  std::size_t n_outputs = 0;              // classes, or 1 for a number
  std::vector<std::int32_t> feature;      // -1 at a leaf
  std::vector<double> threshold;          // x <= threshold: first child; else NaN
  std::vector<std::int32_t> first_child;  // -1 at a leaf
  std::vector<std::int32_t> n_children;
  std::vector<std::int32_t> level;  // of the parent's nominal test; else -1
  std::vector<double> weight;
  std::vector<double> value;             // n_outputs per node: class weights, or mean
  std::vector<std::int32_t> prediction;  // class
  std::vector<double> gain;              // of the test

  std::size_t size() const { return feature.size(); }
  bool is_leaf(std::size_t node) const { return feature[node] < 0; }

  /// Appends `count` leaves and returns the number of the first.
  std::size_t add(std::size_t count);
  void make_leaf(std::size_t node);
  /// Gives `node` the test and the children of `other`, which is below it.
  void replace(std::size_t node, std::size_t other);
  /// The nodes that can be reached from the root, numbered anew.
  FlatTree compacted() const;
};

/// Every feature that was tried at every node, in order, for those who want to look.
struct TriedFeatures {
  std::vector<std::int32_t> node;
  std::vector<std::int32_t> feature;
  std::vector<double> gain;          // 0 if the feature is constant in the node
  std::vector<std::uint8_t> passes;  // it could have been split on under the rules
};

/// Those who look on while a tree grows; null for nobody, which costs nothing.
struct Observers {
  TriedFeatures* tried = nullptr;      // records what was tried
  RelevanceSums* relevance = nullptr;  // sums up what features gained
  ShadowWatch* shadows = nullptr;      // compares what is tried with shadows
};

/// Grows a tree, depth first, first child first.
/// weights: empty, or one per row; rows of weight 0 or without a class are not used.
/// Shadows need rows that are whole: no cases divided by missing values.
FlatTree grow_tree(const TreeColumns& columns, const TreeTarget& target,
                   std::span<const double> weights, const GrowthRules& rules,
                   const Observers& observers = {});

/// How C4.5 cuts a tree back.
struct PruneRules {
  double confidence = 0.25;
  double deviate = 0.6925;  // the normal deviate that belongs to the confidence
  bool subtree_raising = true;
  bool j48 = false;
};

/// Errors to add to the `errors` seen among cases of weight `weight` for the upper
/// limit of their binomial confidence interval.
double extra_errors(double weight, double errors, const PruneRules& rules);

/// Makes leaves of subtrees that do not err less than a leaf on the training cases:
/// bottom up, or top down as in J48.
void collapse_tree(FlatTree& tree, bool j48);

/// Replaces subtrees by leaves or by their heaviest branch where that lowers the
/// pessimistic estimate of errors. Counts of nodes become those of the cases given.
/// Nodes that can no longer be reached stay; see FlatTree::compacted.
void prune_tree(FlatTree& tree, const TreeColumns& columns, const TreeTarget& target,
                std::span<const double> weights, const PruneRules& rules);

}  // namespace featsieve
