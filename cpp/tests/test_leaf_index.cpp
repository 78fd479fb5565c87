#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "featsieve/bag.hpp"
#include "featsieve/leaf_index.hpp"

using namespace featsieve;

namespace {

void rows_share_leaves() {
  // Three rows, two trees.
  const std::vector<std::int32_t> leaves{1, 4, 1, 5, 2, 4};
  const LeafIndex index(leaves, 2);
  const std::vector<std::int32_t> asked{1, 4, 9, 9};
  const auto counts = index.shared(asked);
  const std::vector<float> expected{2, 1, 1, 0, 0, 0};
  check::that(counts == expected, "counts");
}

void outcomes_are_weighted_by_cubes() {
  const std::vector<std::int32_t> leaves{1, 4, 1, 5, 2, 4};
  const LeafIndex index(leaves, 2);
  const std::vector<std::int8_t> outcomes{1, 0, -1, 1, 0, -1};
  const std::vector<std::int32_t> asked{1, 4};
  const auto means = index.outcome_means(asked, outcomes, -1);
  check::equal(means[0], (1 - 0.125) / (1 + 0.125), "first tree", 1e-12);
  check::equal(means[1], 0, "second tree: one right, one wrong", 1e-12);
  const auto without = index.outcome_means(asked, outcomes, 0);
  check::equal(without[0], -1, "none counts for itself", 1e-12);
  const std::vector<std::int32_t> alone{9, 9};
  check::equal(index.outcome_means(alone, outcomes, -1)[0], 0, "nobody near");
}

void what_does_not_fit_is_refused() {
  const std::vector<std::int32_t> leaves{1, 4, 1};
  check::throws<std::invalid_argument>([&] { LeafIndex(leaves, 2); }, "half a row");
  check::throws<std::invalid_argument>([&] { LeafIndex(leaves, 0); }, "no tree");
  const std::vector<std::int32_t> negative{-1};
  check::throws<std::invalid_argument>([&] { LeafIndex(negative, 1); }, "negative");
  const LeafIndex index(leaves, 1);
  const std::vector<std::int8_t> outcomes{1};
  check::throws<std::invalid_argument>(
      [&] { index.outcome_means(leaves, outcomes, -1); }, "too few outcomes");
}

void bags_hold_as_many_rows_as_there_are() {
  double drawn = 0;
  for (const double count : draw_bag(1000, {}, 3, false)) drawn += count;
  check::equal(drawn, 1000, "rows drawn");
  const std::vector<double> chances{0, 1, 0, 3, 0};
  const auto bag = draw_bag(5, chances, 3, false);
  check::equal(bag[1] + bag[3], 5, "never a row without a chance");
  for (const double count : draw_bag(5, chances, 3, true))
    check::that(count == 0 || count == 1, "distinct rows count once");
  check::that(draw_bag(0, {}, 3, false).empty(), "nothing of nothing");
  check::throws<std::invalid_argument>([&] { draw_bag(4, chances, 3, false); },
                                       "a chance too many");
}

}  // namespace

int main() {
  return check::run({
      {"rows share leaves", rows_share_leaves},
      {"outcomes are weighted by cubes", outcomes_are_weighted_by_cubes},
      {"what does not fit is refused", what_does_not_fit_is_refused},
      {"bags hold as many rows as there are", bags_hold_as_many_rows_as_there_are},
  });
}
