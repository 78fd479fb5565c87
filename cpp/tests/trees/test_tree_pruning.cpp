#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "check.hpp"
#include "featsieve/trees.hpp"
#include "random/random.hpp"

using namespace featsieve;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

PruneRules release8() {
  PruneRules rules;
  rules.deviate = 0.84 + (0.25 - 0.84) * 0.05 / 0.2;  // Quinlan's table at 0.25
  return rules;
}

PruneRules weka() {
  PruneRules rules;
  rules.deviate = 0.6744897501960817;
  rules.j48 = true;
  return rules;
}

GrowthRules c45(bool j48) {
  GrowthRules rules;
  rules.score = SplitScore::kGainRatio;
  rules.all_levels = true;
  rules.j48 = j48;
  return rules;
}

CASE("extra errors of the book") {
  const std::vector<std::pair<double, double>> cases{
      {6, 0},  {9, 0}, {1, 0}, {16, 1},    {5, 2},
      {14, 5}, {2, 1}, {3, 2}, {2.3, 0.6}, {100, 10}};
  const std::vector<double> quinlan{1.237797, 1.284804, 0.75,     1.506894, 1.239583,
                                    1.794993, 0.796241, 0.799524, 0.955643, 2.814705};
  const std::vector<double> j48{1.237797, 1.284804, 0.75,     1.475715, 1.221972,
                                1.761120, 0.791493, 0.794862, 0.951129, 2.749611};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto [weight, errors] = cases[i];
    const std::string what = "case " + std::to_string(i);
    check::equal(extra_errors(weight, errors, release8()), quinlan[i], what, 1e-6);
    check::equal(extra_errors(weight, errors, weka()), j48[i], what + " J48", 1e-6);
  }
  // Nearly all are wrong: two thirds of what is left, or all of it.
  check::equal(extra_errors(3, 2.6, release8()), 0.67 * 0.4, "mostly wrong", 1e-12);
  check::equal(extra_errors(3, 2.6, weka()), 0.4, "mostly wrong, J48", 1e-12);
}

CASE("useless splits collapse") {
  // 4:2 into 2:1 and 2:1 errs as often as before.
  TreeColumns columns(6);
  columns.add_nominal(std::vector<std::int32_t>{0, 0, 0, 1, 1, 1}, 2);
  const std::vector<std::int32_t> classes{0, 0, 1, 0, 0, 1};
  FlatTree tree;
  tree.n_outputs = 2;
  tree.add(3);
  tree.feature[0] = 0;
  tree.first_child[0] = 1;
  tree.n_children[0] = 2;
  tree.weight = {6, 3, 3};
  tree.value = {4, 2, 2, 1, 2, 1};
  for (const bool j48 : {false, true}) {
    FlatTree copy = tree;
    collapse_tree(copy, j48);
    check::that(copy.is_leaf(0), "a leaf");
  }
  tree.value = {4, 2, 3, 0, 1, 2};
  collapse_tree(tree, false);
  check::that(!tree.is_leaf(0), "a split that errs less stays");
}

/// Blocks of a sorted column, each of one class, in turn: a tree that is a chain.
CASE("long chains are soon pruned") {
  constexpr std::size_t kRows = 6000;
  std::vector<double> values(kRows);
  std::vector<std::int32_t> classes(kRows);
  for (std::size_t i = 0; i < kRows; ++i) {
    values[i] = static_cast<double>(i);
    classes[i] = static_cast<std::int32_t>((i / 4) % 2);
  }
  TreeColumns columns(kRows);
  columns.add_numeric(values);
  const TreeTarget target{classes, 2, {}};
  FlatTree tree = grow_tree(columns, target, {}, c45(true));
  check::that(tree.size() == 2 * (kRows / 4) - 1, "a leaf per block");
  prune_tree(tree, columns, target, {}, weka());
  // Four right ones: 4 (1 - 0.25^(1/4)) = 1.17 a leaf; eight half wrong: 5.5.
  check::that(tree.compacted().size() == 2 * (kRows / 4) - 1, "nothing to prune");
}

/// A branch that is raised: the root's test only splits off two cases.
CASE("heavy branches are raised") {
  TreeColumns columns(22);
  std::vector<double> first(22);
  std::vector<double> second(22);
  std::vector<std::int32_t> classes(22);
  for (std::size_t i = 0; i < 22; ++i) {
    first[i] = i < 2 ? 0 : 1;
    second[i] = static_cast<double>(i);
    classes[i] = i < 12 ? 0 : 1;
  }
  columns.add_numeric(first);
  columns.add_numeric(second);
  FlatTree tree;
  tree.n_outputs = 2;
  tree.add(5);
  tree.feature = {0, -1, 1, -1, -1};
  tree.threshold = {0.5, kNaN, 11.5, kNaN, kNaN};
  tree.first_child = {1, -1, 3, -1, -1};
  tree.n_children = {2, 0, 2, 0, 0};
  for (const PruneRules& rules : {release8(), weka()}) {
    FlatTree raised = tree;
    prune_tree(raised, columns, {classes, 2, {}}, {}, rules);
    raised = raised.compacted();
    check::that(raised.size() == 3 && raised.feature[0] == 1, "the branch is the root");
    check::equal(raised.weight[1], 12, "all cases go down it");
    PruneRules without = rules;
    without.subtree_raising = false;
    FlatTree kept = tree;
    prune_tree(kept, columns, {classes, 2, {}}, {}, without);
    check::that(kept.compacted().size() == 5, "stays without raising");
  }
}

/// A missing value nobody has changes nothing; one that is there takes the long way.
CASE("missing values, long way") {
  Random random(4);
  for (int trial = 0; trial < 60; ++trial) {
    constexpr std::size_t kRows = 80;
    std::vector<double> numbers(kRows);
    std::vector<std::int32_t> levels(kRows);
    std::vector<std::int32_t> classes(kRows);
    std::vector<double> weights(kRows, 1.0);
    for (std::size_t i = 0; i < kRows; ++i) {
      numbers[i] = static_cast<double>(random.below(20));
      levels[i] = static_cast<std::int32_t>(random.below(3));
      const bool noise = random.below(4) == 0;
      classes[i] = noise
                       ? static_cast<std::int32_t>(random.below(2))
                       : static_cast<std::int32_t>((numbers[i] > 9) ^ (levels[i] == 1));
    }
    TreeColumns whole(kRows);
    whole.add_numeric(numbers);
    whole.add_nominal(levels, 3);
    // One more row, of hardly any weight, that misses both values.
    numbers.push_back(kNaN);
    levels.push_back(-1);
    TreeColumns holed(kRows + 1);
    holed.add_numeric(numbers);
    holed.add_nominal(levels, 3);
    for (const bool j48 : {false, true}) {
      const PruneRules rules = j48 ? weka() : release8();
      FlatTree first = grow_tree(whole, {classes, 2, {}}, {}, c45(j48));
      FlatTree second = first;
      prune_tree(first, whole, {classes, 2, {}}, {}, rules);
      auto more_classes = classes;
      more_classes.push_back(0);
      auto more_weights = weights;
      more_weights.push_back(1e-11);
      prune_tree(second, holed, {more_classes, 2, {}}, more_weights, rules);
      first = first.compacted();
      second = second.compacted();
      check::that(first.feature == second.feature, "the same tests");
      check::equal(second.weight[0], kRows, "weight", 1e-9);
    }
  }
}

CASE("bad trees are refused") {
  TreeColumns columns(3);
  columns.add_nominal(std::vector<std::int32_t>{0, 1, 2}, 3);
  const std::vector<std::int32_t> classes{0, 1, 1};
  FlatTree tree;
  tree.n_outputs = 2;
  tree.add(3);
  tree.feature[0] = 0;
  tree.first_child[0] = 1;
  tree.n_children[0] = 2;
  check::refuses([&] { prune_tree(tree, columns, {classes, 2, {}}, {}, release8()); },
                 "a level without a branch");
  const std::vector<double> numbers{1, 2, 3};
  check::refuses([&] { prune_tree(tree, columns, {{}, 0, numbers}, {}, release8()); },
                 "numbers");
}

}  // namespace
