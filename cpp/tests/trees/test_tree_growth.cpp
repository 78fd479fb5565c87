#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "featsieve/trees.hpp"
#include "random/random.hpp"

using namespace featsieve;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
using Integers = std::vector<std::int32_t>;
using Numbers = std::vector<double>;

CASE("every score finds the cut") {
  TreeColumns columns(6);
  columns.add_numeric(Numbers{5, 1, 3, 2, 6, 4});
  const Integers classes{1, 0, 0, 0, 1, 1};
  const Integers three{1, 0, 0, 0, 2, 1};
  for (const SplitScore score :
       {SplitScore::kInformationGain, SplitScore::kGini, SplitScore::kGainRatio}) {
    GrowthRules rules;
    rules.score = score;
    for (const Numbers& weights : {Numbers{}, Numbers(6, 0.5)}) {
      const FlatTree tree = grow_tree(columns, {classes, 2, {}}, weights, rules);
      check::that(tree.size() == 3, "one test");
      check::equal(tree.threshold[0], 3.5, "threshold");
      check::equal(tree.gain[0], score == SplitScore::kGini ? 0.5 : 1.0, "gain", 1e-12);
      check::that(grow_tree(columns, {three, 3, {}}, weights, rules).size() == 5,
                  "two tests for three classes");
    }
  }
  GrowthRules rules;
  rules.score = SplitScore::kVariance;
  const Numbers numbers{10, 0, 0, 0, 10, 10};
  const FlatTree tree = grow_tree(columns, {{}, 0, numbers}, {}, rules);
  check::that(tree.size() == 3, "one test");
  check::equal(tree.gain[0], 25, "all of the variance", 1e-12);
  check::equal(tree.value[2], 10, "mean", 1e-12);
}

CASE("infinities and huge numbers are cut") {
  const Integers classes{0, 0, 1, 1};
  GrowthRules rules;
  for (const Numbers& values :
       {Numbers{-kInfinity, -kInfinity, kInfinity, kInfinity},
        Numbers{0, 1, 5, kInfinity}, Numbers{-kInfinity, 0, 1, 2},
        Numbers{-1.7e308, 1e308, 1.5e308, 1.7e308},
        Numbers{0, 5e-324, 1e-323, 1.5e-323}}) {
    TreeColumns columns(4);
    columns.add_numeric(values);
    const FlatTree tree = grow_tree(columns, {classes, 2, {}}, {}, rules);
    check::that(tree.size() == 3, "one test");
    check::that(values[1] <= tree.threshold[0] && tree.threshold[0] < values[2],
                "threshold " + std::to_string(tree.threshold[0]));
  }
}

CASE("branches for levels that occur") {
  TreeColumns columns(4);
  columns.add_nominal(Integers{7, 7, 2, 59999}, 60000);
  const Integers classes{0, 0, 1, 0};
  GrowthRules rules;
  const FlatTree tree = grow_tree(columns, {classes, 2, {}}, {}, rules);
  check::that(tree.level == Integers{-1, 2, 7, 59999}, "sparse");
  rules.all_levels = true;
  check::that(grow_tree(columns, {classes, 2, {}}, {}, rules).size() == 60001, "all");
}

CASE("missing values go where they should") {
  TreeColumns columns(5);
  columns.add_numeric(Numbers{1, 2, 3, 8, kNaN});
  const Integers classes{0, 0, 0, 1, 1};
  GrowthRules rules;
  const FlatTree parts = grow_tree(columns, {classes, 2, {}}, {}, rules);
  check::equal(parts.weight[1], 3.75, "three quarters");
  check::equal(parts.weight[2], 1.25, "a quarter");
  // 4/5 of the gain of the known: H(3, 1).
  const double entropy = -(0.75 * std::log2(0.75) + 0.25 * std::log2(0.25));
  check::equal(parts.gain[0], 0.8 * entropy, "gain", 1e-12);
  rules.missing = MissingCases::kLargest;
  const FlatTree heaviest = grow_tree(columns, {classes, 2, {}}, {}, rules);
  check::equal(heaviest.weight[1], 4, "with the three");
}

CASE("many levels, missing") {
  // A copy of each row without a level for each level would be 16 million. Parts of
  // a row stay above a hundredth, so they all follow the first branch.
  constexpr std::int32_t kLevels = 4000;
  Integers levels;
  Integers classes;
  for (std::int32_t i = 0; i < kLevels; ++i) {
    levels.insert(levels.end(), {i, -1});
    classes.insert(classes.end(), {i % 2, i % 2});
  }
  TreeColumns columns(levels.size());
  columns.add_nominal(levels, kLevels);
  GrowthRules rules;
  rules.stop.max_depth = 1;
  const FlatTree tree = grow_tree(columns, {classes, 2, {}}, {}, rules);
  check::that(tree.size() == kLevels + 1, "a branch per level");
  check::equal(tree.weight[1], kLevels + 1, "one, and all the missing");
  check::equal(tree.weight[2], 1, "one");
}

CASE("drawn features follow the rules") {
  constexpr std::size_t kRows = 64;
  Random random(2);
  TreeColumns columns(kRows);
  Integers classes(kRows);
  for (auto& c : classes) c = static_cast<std::int32_t>(random.below(2));
  for (int j = 0; j < 4; ++j) {
    Numbers values(kRows);
    for (auto& value : values) value = random.uniform();
    columns.add_numeric(values);
  }
  Numbers by_row(kRows * 4, 0.0);
  for (std::size_t i = 0; i < kRows; ++i) by_row[4 * i + 3] = 1;
  const Numbers chances{0, 1, 1, 0};
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    GrowthRules rules;
    rules.features.n_drawn = 1;
    rules.features.seed = seed;
    rules.features.chances = chances;
    TriedFeatures tried;
    FlatTree tree = grow_tree(columns, {classes, 2, {}}, {}, rules, {.tried = &tried});
    std::set<std::int32_t> used(tree.feature.begin(), tree.feature.end());
    check::that(!used.contains(0) && !used.contains(3), "never those of chance 0");
    check::that(tried.node.size() == tree.size() / 2, "one feature per test");
    rules.features.chances = {};
    rules.features.row_chances = by_row;
    tree = grow_tree(columns, {classes, 2, {}}, {}, rules);
    used = {tree.feature.begin(), tree.feature.end()};
    check::that(used == std::set<std::int32_t>{-1, 3}, "chances of the rows");
  }
}

CASE("a failed draw may end the branch") {
  TreeColumns columns(4);
  columns.add_numeric(Numbers{1, 1, 1, 1});
  columns.add_numeric(Numbers{1, 2, 3, 4});
  const Integers classes{0, 0, 1, 1};
  const Numbers chances{1, 1e-300};
  GrowthRules rules;
  rules.features.n_drawn = 1;
  rules.features.chances = chances;
  check::that(grow_tree(columns, {classes, 2, {}}, {}, rules).size() == 3, "redrawn");
  rules.features.failed_draw = FailedDraw::kLeaf;
  check::that(grow_tree(columns, {classes, 2, {}}, {}, rules).size() == 1, "a leaf");
}

CASE("very many thresholds") {
  TreeColumns columns(8);
  columns.add_numeric(Numbers{0, 1, 2, 3, 4, 5, 6, 1000});
  const Integers classes{0, 0, 0, 1, 1, 1, 1, 1};
  GrowthRules rules;
  rules.cut.n_thresholds = 20;
  // Thresholds 47.6, 95.2, ...: only the last row can be split off.
  check::equal(grow_tree(columns, {classes, 2, {}}, {}, rules).threshold[0],
               1000.0 / 21, "20", 1e-9);
  rules.cut.n_thresholds = 1000000000;
  const double threshold = grow_tree(columns, {classes, 2, {}}, {}, rules).threshold[0];
  check::that(2 <= threshold && threshold < 2.001, "the first above 2");
}

CASE("deep chains grow") {
  constexpr std::size_t kRows = 3000;
  Numbers values(kRows);
  Integers classes(kRows);
  for (std::size_t i = 0; i < kRows; ++i) {
    values[i] = static_cast<double>(i);
    classes[i] = static_cast<std::int32_t>(i % 2);
  }
  TreeColumns columns(kRows);
  columns.add_numeric(values);
  const FlatTree tree = grow_tree(columns, {classes, 2, {}}, {}, GrowthRules{});
  check::that(tree.size() == 2 * kRows - 1, "a leaf per row");
}

CASE("weights near the limit") {
  TreeColumns columns(4);
  columns.add_numeric(Numbers{1, 2, 3, 4});
  const Integers classes{0, 1, 1, 0};
  for (const double weight : {268435455.0, 268435456.0, 1e15, 1e250}) {
    const FlatTree tree =
        grow_tree(columns, {classes, 2, {}}, Numbers(4, weight), GrowthRules{});
    check::that(tree.size() == 5, "two tests");
    check::equal(tree.gain[0], 0.311278124459133, "gain", 1e-9);
  }
}

CASE("splits pay for their description") {
  // 10:10 into 9:1 and 1:9 saves 10.62 bits and costs 6.93 and log2 of the
  // features.
  Integers levels(20, 0);
  Integers classes(20, 0);
  Numbers values(20, 0.0);
  for (std::size_t i = 0; i < 20; ++i) {
    levels[i] = i < 10 ? 0 : 1;
    values[i] = levels[i];
    classes[i] = i == 9 || i == 19 ? 1 - levels[i] : levels[i];
  }
  const Numbers constant(20, 1.0);
  for (const std::size_t n_features : {12U, 13U}) {
    for (const bool nominal : {false, true}) {
      TreeColumns columns(20);
      if (nominal)
        columns.add_nominal(levels, 2);
      else
        columns.add_numeric(values);
      for (std::size_t j = 1; j < n_features; ++j) columns.add_numeric(constant);
      GrowthRules rules;
      rules.stop.description_length = true;
      const FlatTree tree = grow_tree(columns, {classes, 2, {}}, {}, rules);
      check::that(tree.size() == (n_features == 12 ? 3 : 1), "by the full price");
      rules.stop.feature_cost = FeatureCost::kNone;
      check::that(grow_tree(columns, {classes, 2, {}}, {}, rules).size() == 3, "none");
      rules.score = SplitScore::kVariance;
      const FlatTree mean = grow_tree(columns, {{}, 0, values}, {}, rules);
      check::that(mean.size() == 3, "numbers");
    }
  }
}

CASE("actual thresholds occur in the bag") {
  TreeColumns columns(5);
  columns.add_numeric(Numbers{1, 2, 3, 4, 9});
  const Integers classes{0, 0, 0, 0, 1};
  GrowthRules rules;
  rules.cut.actual_value = true;
  const FlatTree all = grow_tree(columns, {classes, 2, {}}, {}, rules);
  check::equal(all.threshold[0], 4, "the greatest up to 6.5");
  // The midpoint of 2 and 9 is 5.5, but 3 and 4 are out of the bag.
  const Numbers weights{1, 1, 0, 0, 2};
  const FlatTree bag = grow_tree(columns, {classes, 2, {}}, weights, rules);
  check::equal(bag.threshold[0], 2, "a value of the bag");
}

CASE("bad rules are refused") {
  TreeColumns columns(2);
  columns.add_numeric(Numbers{1, 2});
  const Integers classes{0, 1};
  const Numbers numbers{0, 1};
  GrowthRules rules;
  check::refuses([&] { grow_tree(columns, {{}, 0, numbers}, {}, rules); },
                 "numbers by entropy");
  rules.score = SplitScore::kVariance;
  check::refuses([&] { grow_tree(columns, {classes, 2, {}}, {}, rules); },
                 "classes by variance");
  rules.score = SplitScore::kGini;
  const Numbers three(3, 1.0);
  rules.features.row_chances = three;
  check::refuses([&] { grow_tree(columns, {classes, 2, {}}, {}, rules); },
                 "row_chances");
}

}  // namespace
