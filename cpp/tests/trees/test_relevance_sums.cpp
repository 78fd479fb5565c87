#include <cmath>
#include <numbers>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "featsieve/trees.hpp"
#include "trees/relevance_sums.hpp"

using namespace featsieve;

namespace {

double bits(const std::vector<double>& counts) {
  return arrangement_bits(counts, LogFactorials(1000));
}

CASE("complexities are those of the spec") {
  check::equal(bits({1, 1}), 0, "two rows", 1e-12);
  check::equal(bits({7, 0}), 0, "one class", 1e-12);
  check::equal(bits({2, 1}), 0.918296, "2, 1", 1e-6);
  check::equal(bits({4, 2}), 3.106891, "4, 2", 1e-6);
  check::equal(bits({50, 50}), 95.348717, "50, 50", 1e-6);
  check::equal(bits({3, 2, 1}), 4.906891, "3, 2, 1", 1e-6);
  check::equal(bits({5, 5, 5, 5}), 32.4498215, "four classes", 1e-6);
  check::equal(bits({1, 1, 1, 1, 1}), 5.906890596, "five values", 1e-8);
}

CASE("parts of rows have a complexity too") {
  const double expected =
      (std::lgamma(5.5) - std::lgamma(3.5) - std::lgamma(3.0)) * std::numbers::log2e -
      1;
  check::equal(bits({2.5, 2}), expected, "2.5, 2", 1e-10);
  check::equal(bits({0.25, 0.25}), 0, "never negative");
}

CASE("chance gains are those of the spec") {
  check::equal(chance_gain(2).lower, 1, "n = 2, lower", 1e-12);
  check::equal(chance_gain(2).upper, 1, "n = 2, upper", 1e-12);
  check::equal(chance_gain(10).lower, 0.236803, "n = 10, lower", 1e-6);
  check::equal(chance_gain(10).upper, 0.267205, "n = 10, upper", 1e-6);
  check::equal(chance_gain(1).lower, 1, "n = 1 is defined");
}

CASE("sums of a tree of one split") {
  TreeColumns columns(4);
  columns.add_numeric(std::vector<double>{1, 2, 3, 4});
  columns.add_numeric(std::vector<double>{5, 5, 5, 5});
  const std::vector<std::int32_t> classes{0, 0, 1, 1};
  TreeTarget target;
  target.classes = classes;
  target.n_classes = 2;
  RelevanceSums sums(2, 4, {});
  grow_tree(columns, target, {}, GrowthRules{}, {.relevance = &sums});
  const auto& values = sums.values();
  const double phi = 1.918295834;
  check::equal(values[RelevanceSums::kTries], 1, "one try");
  check::equal(values[RelevanceSums::kGain], 1, "one bit", 1e-12);
  check::equal(values[RelevanceSums::kPhiGainSquared], phi, "phi", 1e-8);
  const double* constant = &values[RelevanceSums::kEntries];
  check::equal(constant[RelevanceSums::kFailed], 1, "a constant fails");
  check::equal(constant[RelevanceSums::kPhiFailed], phi, "in the same node", 1e-8);
  check::equal(constant[RelevanceSums::kPhiGain], 0, "and gains nothing");
}

CASE("numbers are told by parts of the variance") {
  TreeColumns columns(6);
  columns.add_numeric(std::vector<double>{0, 1, 2, 3, 4, 5});
  const std::vector<double> numbers{1, 2, 1, 5, 6, 5};
  const std::vector<std::int32_t> codes{0, 1, 0, 2, 3, 2};
  TreeTarget target;
  target.numbers = numbers;
  GrowthRules rules;
  rules.score = SplitScore::kVariance;
  rules.stop.max_depth = 1;
  RelevanceSums sums(1, 6, codes);
  grow_tree(columns, target, {}, rules, {.relevance = &sums});
  check::equal(sums.values()[RelevanceSums::kGain], 0.9473684211, "R squared", 1e-9);
  // Counts 2, 1, 2, 1: 180 arrangements, none its own reflection.
  check::equal(sums.values()[RelevanceSums::kPhi], std::log2(180.0) - 1, "phi", 1e-9);
}

/// phi of a node with these values, drawn so often, of which the column tells all.
double bits_of_values(const std::vector<std::int32_t>& codes,
                      const std::vector<double>& weights) {
  const std::size_t n = codes.size();
  TreeColumns columns(n);
  std::vector<double> numbers(n);
  for (std::size_t i = 0; i < n; ++i) numbers[i] = codes[i];
  columns.add_numeric(numbers);
  TreeTarget target;
  target.numbers = numbers;
  GrowthRules rules;
  rules.score = SplitScore::kVariance;
  rules.stop.max_depth = 1;
  RelevanceSums sums(1, n, codes);
  grow_tree(columns, target, weights, rules, {.relevance = &sums});
  return sums.values()[RelevanceSums::kPhi];
}

CASE("values that differ weigh as often as they were drawn") {
  check::equal(bits_of_values({0, 1, 2, 3, 4}, {1, 2, 0, 3, 1}), bits({1, 2, 3, 1}),
               "three odd counts", 1e-12);
  check::equal(bits_of_values({0, 1, 2}, {2, 4, 1}), bits({2, 4, 1}), "one odd", 1e-12);
  check::equal(bits_of_values({0, 1, 2}, {2, 0, 2}), bits({2, 2}), "none", 1e-12);
  check::equal(bits_of_values({0, 1, 2}, {1.5, 1, 1}), bits({1.5, 1, 1}), "parts",
               1e-12);
  check::equal(bits_of_values({0, 1, 2}, {500000, 1, 1}), bits({500000, 1, 1}),
               "more than any table knows", 1e-8);
}

CASE("equal values are counted together") {
  check::equal(bits_of_values({0, 0, 1, 1, 2, 0}, {1, 2, 2, 1, 1, 0}), bits({3, 3, 1}),
               "three odd counts", 1e-12);
  check::equal(bits_of_values({0, 1, 0, 1}, {1, 1, 1, 1}), bits({2, 2}), "none odd",
               1e-12);
  check::equal(bits_of_values({0, 1, 0}, {0.5, 1, 1}), bits({1.5, 1}), "parts", 1e-12);
}

CASE("codes are checked") {
  const std::vector<std::int32_t> codes{0, -1};
  check::refuses([&] { RelevanceSums(1, 2, codes); }, "a negative code");
  check::refuses([&] { RelevanceSums(1, 3, codes); }, "a code too few");
}

CASE("rows that only constants help are still divided") {
  // The first feature helps these rows and is constant; the second one divides
  // them.
  TreeColumns columns(2);
  columns.add_numeric(std::vector<double>{1, 1});
  columns.add_numeric(std::vector<double>{1, 2});
  const std::vector<std::int32_t> classes{0, 1};
  TreeTarget target;
  target.classes = classes;
  target.n_classes = 2;
  const std::vector<double> row_chances{1, -1, 1, -1};
  GrowthRules rules;
  rules.features.n_drawn = 1;
  rules.features.row_chances = row_chances;
  check::equal(grow_tree(columns, target, {}, rules).size(), 3, "nodes");
  rules.features.failed_draw = FailedDraw::kLeaf;
  check::equal(grow_tree(columns, target, {}, rules).size(), 1,
               "a failed draw may end it");
}

}  // namespace
