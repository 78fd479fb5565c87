#include <array>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "neighbours/neighbour_scan.hpp"

using namespace featsieve;

namespace {

/// Eight points on a line, classes + + + − + − − −; + is class 1.
const std::vector<double> kLine{0, 1, 2.1, 3.3, 4.6, 6, 7.5, 9.1};
const std::vector<std::int32_t> kLabels{1, 1, 1, 0, 1, 0, 0, 0};
const std::vector<std::int32_t> kDifferent{0, 1, 2, 3, 4, 5, 6, 7};
const std::vector<std::int32_t> kEight{8};
const std::vector<Difference> kNumber{Difference::kNumeric};
const std::vector<std::int32_t> kFirst{0};
const std::vector<std::int64_t> kOne{0, 1};

ScannedRows line() {
  return {kLine, kNumber, {kDifferent, kEight, 8}, kLabels, 2, {}, true};
}

CASE("rounds on a line") {
  const NeighbourScanner scanner(line(), best_instructions());
  const BoostingRounds sign = scanner.rounds(kFirst, 3, 1, {3, Vote::kSign, {}});
  check::equal(sign.correlations[0], 0.5, "r", 1e-12);
  check::equal(sign.correlations[1], -0.833333, "r that ends it", 1e-6);
  check::equal(sign.criterion[2], 0.866025, "Z", 1e-6);
  check::equal(sign.weights[3], 0.25, "weight of a wrong row", 1e-12);
  const BoostingRounds real = scanner.rounds(kFirst, 3, 1, {3, Vote::kReal, {}});
  check::equal(real.criterion[2], 0.992365, "Z of real votes", 1e-6);
  check::equal(real.margins[3], 0.137318, "F", 1e-6);
  const auto curve = scanner.boosting({kFirst, kOne}, 3, {3, Vote::kReal, {}});
  check::equal(curve[0], 0.993825, "Z after one round", 1e-6);
  check::equal(curve[2], real.criterion[2], "the same rounds");
  check::equal(scanner.right({kFirst, kOne}, 1)[0], 5, "rows");
}

CASE("equal descriptions are counted together") {
  // Each of three values four times: descriptions are compared, not rows.
  std::vector<double> values;
  std::vector<std::int32_t> codes;
  std::vector<std::int32_t> labels;
  for (int i = 0; i < 12; ++i) {
    values.push_back(i / 4);
    codes.push_back(i / 4);
    labels.push_back(i < 3 || i == 4 || i == 5 ? 1 : 0);
  }
  const std::vector<std::int32_t> levels{3};
  const std::vector<std::int32_t> unequal{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  const std::vector<std::int32_t> twelve{12};
  for (const bool leave_one_out : {true, false})
    for (const Vote vote : {Vote::kReal, Vote::kSign}) {
      const NeighbourScanner together(
          {values, kNumber, {codes, levels, 12}, labels, 2, {}, leave_one_out},
          best_instructions());
      // Codes that tell all rows apart force the comparison of rows.
      const NeighbourScanner apart(
          {values, kNumber, {unequal, twelve, 12}, labels, 2, {}, leave_one_out},
          best_instructions());
      const BoostingRules rules{10, vote, Conflict::kNone};
      const auto a = together.boosting({kFirst, kOne}, 3, rules);
      const auto b = apart.boosting({kFirst, kOne}, 3, rules);
      for (std::size_t t = 0; t < a.size(); ++t) check::equal(a[t], b[t], "Z", 1e-12);
      check::that(together.right({kFirst, kOne}, 3) == apart.right({kFirst, kOne}, 3),
                  "rows");
      const auto rounds = together.rounds(kFirst, 3, 1, rules);
      const auto other = apart.rounds(kFirst, 3, 1, rules);
      for (std::size_t i = 0; i < 12; ++i)
        check::equal(rounds.weights[i], other.weights[i], "weights", 1e-12);
    }
}

CASE("conflicts weigh less") {
  // u (3+, 1−), v (2+, 2−), w (0+, 2−).
  const std::vector<double> values{0, 0, 0, 0, 1, 1, 1, 1, 2, 2};
  const std::vector<std::int32_t> codes{0, 0, 0, 0, 1, 1, 1, 1, 2, 2};
  const std::vector<std::int32_t> labels{1, 1, 1, 0, 1, 1, 0, 0, 0, 0};
  const std::vector<std::int32_t> levels{3};
  const NeighbourScanner scanner(
      {values, kNumber, {codes, levels, 10}, labels, 2, {}, true}, best_instructions());
  const auto rounds =
      scanner.rounds(kFirst, 1, 1, {1, Vote::kSign, Conflict::kRoundsAndCriterion});
  // Right: three of u and both of w; wrong: the minority of u. r = 1 − 2/8.
  check::equal(rounds.correlations[0], 0.75, "r under D'", 1e-12);
  check::equal(rounds.criterion[0], std::sqrt(1 - 0.75 * 0.75), "Z'", 1e-12);
}

CASE("choices among ties are left open") {
  const std::vector<double> rows{1, -1, 2, 5};
  const std::vector<double> queries{0, 4};
  const std::vector<std::int32_t> classes{0, 1, 1, 0};
  const NeighbourSearch search({rows, queries, kNumber, 4, 2}, {}, best_instructions());
  const auto one = votes_of_exactly(search, {kFirst, kOne}, 1, classes, 2, {});
  check::that(one == std::vector<std::int32_t>{kUndecided, 0}, "one of two at 1");
  const auto two = votes_of_exactly(search, {kFirst, kOne}, 2, classes, 2, {});
  check::that(two == std::vector<std::int32_t>{0, 0}, "one vote each: the first class");
  const auto three = votes_of_exactly(search, {kFirst, kOne}, 3, classes, 2, {});
  check::that(three == std::vector<std::int32_t>{1, 0}, "no choice");
  const std::vector<double> slack{10};
  const auto rounded = votes_of_exactly(search, {kFirst, kOne}, 1, classes, 2, slack);
  check::that(rounded[1] == kUndecided, "distances are known up to the slack");
  const std::vector<std::int32_t> order{1, 0};
  const auto ties = votes_with_ties(search, {kFirst, kOne}, 1, classes, order);
  check::that(ties == std::vector<std::int32_t>{1, 0}, "equal votes go by the order");
}

CASE("bad input is refused") {
  ScannedRows rows = line();
  const std::vector<std::int32_t> seven{7};
  rows.descriptions.n_levels = seven;
  check::refuses([&] { NeighbourScanner(rows, Instructions::kPortable); },
                 "a code too large");
  rows = line();
  rows.n_classes = 1;
  check::refuses([&] { NeighbourScanner(rows, Instructions::kPortable); },
                 "a class too large");
  const NeighbourScanner scanner(line(), Instructions::kPortable);
  check::throws<std::out_of_range>(
      [&] { scanner.rounds(kFirst, 3, 2, {3, Vote::kReal, {}}); }, "no such class");
  const NeighbourSearch search({kLine, kLine, kNumber, 8, 8}, {},
                               Instructions::kPortable);
  check::refuses([&] { votes_of_exactly(search, {kFirst, kOne}, 9, kLabels, 2, {}); },
                 "more neighbours than rows");
}

}  // namespace
