#include <limits>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "random/random.hpp"
#include "ranks/concordance.hpp"

using namespace featsieve;

namespace {

const double kNan = std::numeric_limits<double>::quiet_NaN();

/// By the definition, over all pairs of rows.
Concordance plain(const std::vector<double>& x, const std::vector<double>& y) {
  Concordance counts;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i] != x[i] || y[i] != y[i]) continue;
    ++counts.rows;
    for (std::size_t j = 0; j < i; ++j) {
      if (x[j] != x[j] || y[j] != y[j]) continue;
      if (x[i] == x[j] && y[i] == y[j])
        ++counts.tied_both;
      else if (x[i] == x[j])
        ++counts.tied_first;
      else if (y[i] == y[j])
        ++counts.tied_second;
      else if ((x[i] < x[j]) == (y[i] < y[j]))
        ++counts.concordant;
      else
        ++counts.discordant;
    }
  }
  return counts;
}

bool same(const Concordance& a, const Concordance& b) {
  return a.rows == b.rows && a.concordant == b.concordant &&
         a.discordant == b.discordant && a.tied_first == b.tied_first &&
         a.tied_second == b.tied_second && a.tied_both == b.tied_both;
}

std::vector<double> draw(Random& random, std::size_t n, std::uint64_t levels,
                         bool gaps) {
  std::vector<double> values;
  for (std::size_t i = 0; i < n; ++i) {
    const bool gap = gaps && random.below(5) == 0;
    values.push_back(gap ? kNan : static_cast<double>(random.below(levels)));
  }
  return values;
}

CASE("agrees with the definition") {
  Random random(1);
  ConcordanceCounter counter;
  for (const std::size_t n : {0, 1, 2, 60, 64, 65, 200, 1100})
    for (const std::uint64_t first : {1, 3, 50, 1000000})
      for (const std::uint64_t second : {2, 30, 1000000})
        for (const bool gaps : {false, true}) {
          const auto x = draw(random, n, first, gaps);
          const auto y = draw(random, n, second, gaps);
          check::that(
              same(counter.count(RankedColumn(x), RankedColumn(y)), plain(x, y)),
              "n = " + std::to_string(n) + ", levels " + std::to_string(first) +
                  " and " + std::to_string(second));
        }
}

CASE("tables and measures") {
  const std::vector<double> x = {1, 2, 2, 3, 3, 3};
  const std::vector<double> y = {0, 0, 1, 1, 0, 1};
  const std::vector<std::int64_t> table = {1, 0, 1, 1, 1, 2};
  const Concordance counts = concordance_of_table(table, 3, 2);
  check::that(same(counts, plain(x, y)), "table");
  check::equal(tau_b(counts), 0.402015, "tau-b", 1e-6);
  check::equal(gamma(counts, 6), 0.666667, "gamma", 1e-6);
  check::equal(gamma(counts, 7), 0, "too few pairs");
  check::equal(tau_b({}), 0, "no rows");
}

CASE("classes against the rest") {
  Random random(2);
  ConcordanceCounter counter;
  for (const std::uint64_t levels : {2, 9, 1000000}) {
    const RankedColumn column(draw(random, 300, levels, true));
    std::vector<std::int32_t> classes;
    for (int i = 0; i < 300; ++i)
      classes.push_back(static_cast<std::int32_t>(random.below(4)));
    const auto found = count_by_class(column, classes, 5);
    for (std::int32_t c = 0; c < 5; ++c) {
      std::vector<double> member;
      for (const std::int32_t each : classes) member.push_back(each == c ? 1 : 0);
      const auto expected = counter.count(column, RankedColumn(member));
      check::that(same(found[static_cast<std::size_t>(c)], expected), "counts");
    }
  }
}

CASE("refuses what does not fit") {
  const std::vector<double> three(3, 0.0);
  const RankedColumn column(three);
  const std::vector<std::int32_t> wrong = {0, 1, 2};
  ConcordanceCounter counter;
  check::refuses(
      [&] { counter.count(column, RankedColumn(std::span(three).first(2))); }, "rows");
  check::refuses([&] { count_by_class(column, wrong, 2); }, "classes");
  check::refuses([&] { count_by_class(column, std::span(wrong).first(2), 3); },
                 "length");
  check::refuses([&] { count_by_class(column, wrong, -1); }, "number of classes");
}

CASE("ranks") {
  const std::vector<double> values = {2, kNan, 1, 2};
  const auto found = RankedColumn(values).mid_ranks();
  check::equal(found[0], 2.5, "tie");
  check::equal(found[1], kNan, "missing");
  check::equal(found[2], 1, "smallest");
  const auto codes = RankedColumn(values).codes();
  check::that(codes == std::vector<std::int32_t>{1, -1, 0, 1}, "codes");
}

}  // namespace
