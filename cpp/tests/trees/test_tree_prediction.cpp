#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "featsieve/tree_prediction.hpp"

using namespace featsieve;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
using Integers = std::vector<std::int32_t>;
using Numbers = std::vector<double>;

/// x0 <= 2: node 1; else x1 of levels {0, 2} out of four: nodes 3 and 4.
struct Arrays {
  Integers feature{0, -1, 1, -1, -1};
  Numbers threshold{2, kNaN, kNaN, kNaN, kNaN};
  Integers first_child{1, -1, 3, -1, -1};
  Integers n_children{2, 0, 2, 0, 0};
  Integers level{-1, -1, -1, 0, 2};
  Numbers weight{8, 2, 6, 4, 2};
  Integers n_levels{0, 4};

  TreeRouter router(bool fractional) const {
    return {{feature, threshold, first_child, n_children, level, weight, n_levels},
            fractional};
  }
};

const Numbers kRows{1, 0, 3, 0, 3, 2, 3, 1, 3, 9, kNaN, 2, kNaN, kNaN};
const Numbers kAnswers{0, 100, 0, 1, 10};

CASE("leaves of whole and divided rows") {
  const TreeRows rows(kRows, 2);
  Numbers sums(7, 0.0);
  Arrays().router(true).predict(rows, {0, 7}, kAnswers, 1, sums);
  // Levels 1 and 9 have no branch: 4/6 of 1 and 2/6 of 10.
  const Numbers expected{100, 1, 10, 4, 4, 25 + 7.5, 25 + 3};
  for (std::size_t i = 0; i < 7; ++i)
    check::equal(sums[i], expected[i], "row " + std::to_string(i), 1e-12);
  Integers leaves(7);
  Arrays().router(true).apply(rows, leaves);
  check::that(leaves == Integers{1, 3, 4, 3, 3, 4, 3}, "leaf of the greatest share");
}

CASE("missing may follow the heaviest") {
  const TreeRows rows(kRows, 2);
  Numbers sums(7, 0.0);
  Arrays().router(false).predict(rows, {0, 7}, kAnswers, 1, sums);
  check::that(sums == Numbers{100, 1, 10, 1, 1, 10, 1}, "one leaf each");
}

CASE("paths hold every node on the way") {
  const TreeRows rows(kRows, 2);
  std::vector<std::int64_t> starts;
  Integers nodes;
  Arrays().router(true).paths(rows, starts, nodes);
  check::that(starts == std::vector<std::int64_t>{0, 2, 5, 8, 12, 16, 20, 25},
              "starts");
  check::that(Integers(nodes.begin() + 8, nodes.begin() + 12) == Integers{0, 2, 3, 4},
              "a divided row");
}

CASE("weights of zero share equally") {
  Arrays arrays;
  arrays.weight = {2, 2, 0, 0, 0};
  const TreeRows rows(kRows, 2);
  Numbers sums(7, 0.0);
  arrays.router(true).predict(rows, {0, 7}, kAnswers, 1, sums);
  check::equal(sums[3], 5.5, "half of 1 and of 10");
  check::equal(sums[6], 100, "the empty branch is skipped");
}

CASE("many rows go eight at a time") {
  // A chain of cuts, each row to its own leaf.
  constexpr std::int32_t kDepth = 40;
  Integers feature;
  Numbers threshold;
  Integers first_child;
  Integers n_children;
  Integers level(2 * kDepth + 1, -1);
  Numbers weight(2 * kDepth + 1, 1.0);
  Numbers answers;
  for (std::int32_t node = 0; node <= 2 * kDepth; ++node) {
    const bool inner = node % 2 == 0 && node < 2 * kDepth;
    feature.push_back(inner ? 0 : -1);
    threshold.push_back(inner ? node / 2 : kNaN);
    first_child.push_back(inner ? node + 1 : -1);
    n_children.push_back(inner ? 2 : 0);
    answers.push_back(node % 2 == 1 ? node / 2 : kDepth);
  }
  const TreeRouter router(
      {feature, threshold, first_child, n_children, level, weight, Integers{0}}, true);
  Numbers values;
  for (int i = 0; i <= kDepth; ++i) values.push_back(i);
  values[20] = kNaN;
  values[3] = -std::numeric_limits<double>::infinity();
  values[4] = std::numeric_limits<double>::infinity();
  const TreeRows rows(values, 1);
  Numbers sums(values.size(), 0.0);
  router.predict(rows, {0, values.size()}, answers, 1, sums);
  Integers leaves(values.size());
  router.apply(rows, leaves);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i == 20) continue;
    const double expected = i == 3 ? 0 : i == 4 ? kDepth : static_cast<double>(i);
    check::equal(sums[i], expected, "row " + std::to_string(i));
    check::equal(answers[static_cast<std::size_t>(leaves[i])], expected, "leaf");
  }
  // Halves, quarters, ...: sum of i / 2^(i + 1) = 1 but for the tail.
  check::equal(sums[20], 1.0, "the missing one", 1e-9);
}

CASE("bad arrays are refused") {
  const auto refused = [](const Arrays& arrays, const char* what) {
    check::refuses([&] { arrays.router(true); }, what);
  };
  Arrays arrays;
  arrays.level.pop_back();
  refused(arrays, "lengths");
  arrays = {};
  arrays.first_child[2] = 4;
  refused(arrays, "children beyond the end");
  arrays = {};
  arrays.first_child[2] = 1;
  refused(arrays, "children before the node");
  arrays = {};
  arrays.feature[0] = 2;
  refused(arrays, "no such feature");
  arrays = {};
  arrays.n_children[2] = 0;
  refused(arrays, "a test without branches");
  arrays = {};
  arrays.n_levels[1] = 0;
  arrays.n_children[2] = 1;
  refused(arrays, "a cut with one branch");
  const TreeRouter router = Arrays().router(true);
  Numbers sums(7);
  check::refuses([&] { router.predict(TreeRows(kRows, 7), {0, 2}, kAnswers, 1, sums); },
                 "columns");
  check::refuses([&] { router.predict(TreeRows(kRows, 2), {0, 7}, kAnswers, 2, sums); },
                 "answers");
  check::refuses([&] { router.predict(TreeRows(kRows, 2), {0, 8}, kAnswers, 1, sums); },
                 "range");
}

}  // namespace
