#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace featsieve {

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

}  // namespace featsieve
