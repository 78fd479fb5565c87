#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "featsieve/counting.hpp"
#include "featsieve/cuts.hpp"
#include "featsieve/interactions.hpp"
#include "featsieve/tree_prediction.hpp"
#include "featsieve/trees.hpp"

// Every public header, used once: what the class of an exclusive or looks like to
// single features, to a pair, to cuts and to a tree.

namespace {

int n_failed = 0;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::printf("not true: %s\n", what);
  ++n_failed;
}

}  // namespace

int main() {
  using namespace featsieve;
  // Three columns of eight rows; the class is the exclusive or of the first two.
  const std::vector<std::uint8_t> codes = {0, 0, 1, 1, 0, 0, 1, 1, 0, 1, 0, 1,
                                           0, 1, 0, 1, 0, 0, 0, 0, 1, 1, 1, 1};
  const std::vector<std::int32_t> classes = {0, 1, 1, 0, 0, 1, 1, 0};
  const MatrixView<std::uint8_t> view{codes.data(), 8, 3, 1, 8};

  const LogTable logs(classes.size());
  visit_counts(view, classes, 2, {},
               [&](std::size_t, std::int32_t, std::span<const std::int64_t> cells) {
                 const auto found = table_entropies(cells, 2, Missing::kLevel, logs);
                 expect(measure_of(found, Measure::kInformationGain) == 0,
                        "no feature tells anything alone");
               });

  const auto pairs =
      best_pairs(view, classes, 2, Missing::kLevel, 1, PairScore::kSynergy);
  expect(pairs.size() == 1 && pairs[0].first == 0 && pairs[0].second == 1,
         "the first two features tell the class together");
  expect(std::abs(pairs[0].synergy - 1) < 1e-12, "they tell one bit");
  const auto triples =
      best_triples(view, classes, 2, Missing::kLevel, 5, TripleScore::kJointGain);
  expect(triples.size() == 1 && std::abs(triples[0].gains.joint_gain - 1) < 1e-12,
         "three features tell no more");

  std::vector<double> values;
  std::vector<std::int32_t> halves;
  for (int i = 0; i < 40; ++i) {
    values.push_back(i);
    halves.push_back(i < 25 ? 0 : 1);
  }
  const auto cuts = mdl_cuts(values, halves, 2, {}, CutPrice::kFayyadIrani);
  expect(cuts == std::vector<double>{24.5}, "one cut between the classes");
  expect(apply_cuts(values, cuts) == halves, "its levels are the classes");

  TreeColumns columns(values.size());
  columns.add_numeric(values);
  const FlatTree tree = grow_tree(columns, {halves, 2, {}}, {}, {});
  const std::vector<std::int32_t> n_levels = {0};
  const TreeRouter router({tree.feature, tree.threshold, tree.first_child,
                           tree.n_children, tree.level, tree.weight, n_levels},
                          true);
  std::vector<std::int32_t> leaves(values.size());
  router.apply(TreeRows(values, 1), leaves);
  bool right = true;
  for (std::size_t i = 0; i < values.size(); ++i)
    right = right && tree.prediction[static_cast<std::size_t>(leaves[i])] == halves[i];
  expect(tree.size() == 3 && right, "a tree of one test predicts the classes");

  if (n_failed == 0) std::printf("featsieve works without Python\n");
  return n_failed;
}
