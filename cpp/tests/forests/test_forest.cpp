#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "forests/forest.hpp"

using namespace featsieve;

namespace {

const double kNaN = std::numeric_limits<double>::quiet_NaN();

/// The tree of six rows of the spec: x0 <= 0.5 is class 0; else x1 <= 0.5 is class 1.
struct SixRows {
  std::vector<std::int32_t> feature{0, -1, 1, -1, -1};
  std::vector<double> threshold{0.5, kNaN, 0.5, kNaN, kNaN};
  std::vector<std::int32_t> first_child{1, -1, 3, -1, -1};
  std::vector<std::int32_t> n_children{2, 0, 2, 0, 0};
  std::vector<std::int32_t> level{-1, -1, -1, -1, -1};
  std::vector<double> weight{6, 3, 3, 1, 2};
  std::vector<double> value{5, 1, 3, 0, 2, 1, 0, 1, 2, 0};
  std::vector<std::int32_t> prediction{0, 0, 0, 1, 0};
  std::vector<std::int32_t> n_levels{0, 0};
  std::vector<double> rows{0, 0, 0, 1, 1, 0, 1, 1, 0, 0, 1, 1};
  std::vector<std::int32_t> classes{0, 0, 1, 0, 0, 0};

  TreeRouter router(bool fractional) const {
    return {{feature, threshold, first_child, n_children, level, weight, n_levels},
            fractional};
  }
  std::vector<double> shares() const {
    std::vector<double> all = value;
    for (std::size_t i = 0; i < all.size(); ++i) all[i] /= weight[i / 2];
    return all;
  }
  std::vector<double> information() const {
    std::vector<double> all = shares();
    for (double& share : all) share = std::log2(share);
    return all;
  }
};

CASE("local relevance of the spec") {
  const SixRows six;
  const TreeRouter router = six.router(false);
  const TreeRouter* routers[] = {&router};
  const auto information = six.information();
  const std::span<const double> known[] = {information};
  const TreeRows rows(six.rows, 2);
  LocalTarget target;
  target.classes = six.classes;
  const auto values = local_relevance(routers, known, rows, {0, 6}, target, {}, true);
  const double expected[] = {0.2630344058,
                             0,
                             0.2630344058,
                             0,
                             1,
                             1.584962501,
                             -0.3219280949,
                             0.5849625007,
                             0.2630344058,
                             0,
                             -0.3219280949,
                             0.5849625007};
  for (std::size_t i = 0; i < 12; ++i)
    check::equal(values[i], expected[i], "cell " + std::to_string(i), 1e-9);
  const auto part = local_relevance(routers, known, rows, {2, 4}, target, {}, false);
  check::equal(part[1], expected[5], "a range of rows", 1e-9);
  const std::vector<std::uint8_t> left_out{0, 0, 1, 0, 0, 0};
  const auto fewer =
      local_relevance(routers, known, rows, {0, 6}, target, left_out, true);
  check::equal(fewer[4], 0, "a row left out has no relevance");
}

CASE("numbers come closer to their mean") {
  const SixRows six;
  const TreeRouter router = six.router(true);
  const TreeRouter* routers[] = {&router};
  const std::vector<double> means{2, 1, 3, 4, 2};
  const std::span<const double> known[] = {means};
  const std::vector<double> one{1, kNaN};
  const TreeRows rows(one, 2);
  const std::vector<double> numbers{4};
  LocalTarget target;
  target.numbers = numbers;
  const auto values = local_relevance(routers, known, rows, {0, 1}, target, {}, true);
  check::equal(values[0], 3, "4 - 1", 1e-12);
  // A third of the row goes to the mean 4, two thirds to the mean 2.
  check::equal(values[1], 1.0 / 3 * (1 - 0) + 2.0 / 3 * (1 - 4), "spread", 1e-12);
}

CASE("trees vote") {
  const SixRows six;
  const TreeRouter plain = six.router(false);
  const TreeRouter fractional = six.router(true);
  const auto shares = six.shares();
  const ForestTree trees[] = {{&plain, shares, six.prediction},
                              {&fractional, shares, six.prediction}};
  std::vector<double> values = six.rows;
  for (int repeat = 0; repeat < 2; ++repeat)  // more than eight rows together
    values.insert(values.end(), six.rows.begin(), six.rows.end());
  values.insert(values.end(), {1, kNaN});
  const TreeRows rows(values, 2);
  const auto labels = classify_by_trees(trees, rows, 2, {});
  for (std::size_t i = 0; i < 18; ++i) {
    check::that(labels[i] == six.classes[i % 6], "the class of the leaf");
    check::that(labels[19 + i] == six.classes[i % 6], "also if rows may spread");
  }
  check::that(labels[18] == 0 && labels[37] == 0, "the heavier branch");
  std::vector<std::uint8_t> left_out(38, 0);
  left_out[0] = 1;
  check::that(classify_by_trees(trees, rows, 2, left_out)[0] == -1, "left out");
  const auto votes = count_votes(trees, rows, 2, left_out);
  check::equal(votes[0], 1, "one vote less");
  check::equal(votes[2 * 2 + 1], 2, "two for the second class");
  const auto leaves = leaves_of_trees(trees, rows);
  check::that(leaves[2 * 2] == 3 && leaves[2 * 2 + 1] == 3, "the leaf");
  check::refuses([&] { count_votes(trees, rows, 2, std::span(left_out).first(5)); },
                 "too few flags");
}

}  // namespace
