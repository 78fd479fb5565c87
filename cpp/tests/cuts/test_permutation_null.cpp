#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "cuts/permutation_null.hpp"
#include "random/random.hpp"

using namespace featsieve;

namespace {

constexpr Score kGain{Measure::kInformationGain, Missing::kLevel};

CASE("exact tail") {
  // Margins (5, 5) and (5, 5): the perfect table and its mirror have 2 / C(10, 5).
  const std::vector<std::int64_t> levels{5, 5, 0};
  const std::vector<std::int64_t> classes{5, 5};
  const std::vector<double> observed{1.0, 0.0};
  const std::int64_t draws = 400'000;
  const auto results = table_null(levels, classes, observed, kGain, {draws, draws}, 7);
  const double share =
      static_cast<double>(results[0].at_least) / static_cast<double>(draws);
  const double exact = 2.0 / 252;
  const double slack = 4 * std::sqrt(exact / static_cast<double>(draws));
  check::equal(share, exact, "share of perfect tables", slack);
  check::equal(results[1].at_least, draws, "every table gains at least 0");
}

CASE("large margins") {
  const std::vector<std::int64_t> levels{6000, 3000, 1000, 500};
  const std::vector<std::int64_t> classes{7000, 2000, 1500};
  std::vector<std::int64_t> known{6000, 3000, 1000};
  // The median of 2 n ln 2 · gain is close to that of chi-square with 6 degrees.
  const double median = 5.348 / (2 * 10500 * std::log(2.0));
  const std::vector<double> observed{median};
  const auto results =
      table_null(levels, classes, observed, kGain, {20'000, 20'000}, 3);
  check::equal(static_cast<double>(results[0].at_least) / 20'000, 0.5, "median", 0.02);
}

/// Gain of the 2 × 2 table with these margins and k rows in its first cell.
double gain_of(std::int64_t good, std::int64_t bad, std::int64_t sample,
               std::int64_t k) {
  const std::vector<std::int64_t> table{k, sample - k, good - k, bad - sample + k,
                                        0, 0};
  return measure_of(table_entropies(table, 2, Missing::kLevel, LogTable(1000)),
                    Measure::kInformationGain);
}

CASE("hypergeometric tails") {
  // Narrow laws are drawn by inversion, wide ones by ratio of uniforms; shares beyond
  // one half must not matter.
  struct Margins {
    std::int64_t good, bad, sample;
  };
  for (const auto [good, bad, sample] :
       {Margins{30, 70, 20}, Margins{300, 700, 400}, Margins{700, 300, 400},
        Margins{700, 300, 850}, Margins{5000, 5000, 5000}}) {
    const std::int64_t least = std::max<std::int64_t>(0, sample - bad);
    const std::int64_t most = std::min(good, sample);
    const auto lf = [](std::int64_t k) {
      return std::lgamma(static_cast<double>(k + 1));
    };
    std::vector<double> probability;
    std::vector<double> gain;
    for (std::int64_t k = least; k <= most; ++k) {
      probability.push_back(std::exp(lf(good) - lf(k) - lf(good - k) + lf(bad) -
                                     lf(sample - k) - lf(bad - sample + k) +
                                     lf(sample) + lf(good + bad - sample) -
                                     lf(good + bad)));
      gain.push_back(gain_of(good, bad, sample, k));
    }
    const auto mode = static_cast<std::size_t>(
        std::max_element(probability.begin(), probability.end()) - probability.begin());
    std::vector<double> observed;
    for (const std::size_t away : {1U, 3U, 6U}) {
      observed.push_back(gain[mode + away]);
      observed.push_back(gain[mode - away]);
    }
    const std::int64_t draws = 100'000;
    const auto results = table_null(
        std::vector<std::int64_t>{sample, good + bad - sample, 0},
        std::vector<std::int64_t>{good, bad}, observed, kGain, {draws, draws}, 11);
    for (std::size_t i = 0; i < observed.size(); ++i) {
      double exact = 0;
      for (std::size_t k = 0; k < gain.size(); ++k)
        if (gain[k] >= observed[i] - 1e-12) exact += probability[k];
      const double share =
          static_cast<double>(results[i].at_least) / static_cast<double>(draws);
      const double slack = 4 * std::sqrt(exact * (1 - exact) / double(draws)) + 1e-9;
      check::equal(share, exact, "tail of " + std::to_string(sample), slack);
    }
  }
}

CASE("long runs") {
  // Two values: the only cut is between them, and it is worth its price for some
  // tables; those must be as frequent as when the table is drawn by levels.
  const std::vector<std::int64_t> classes{60, 60};
  const std::vector<double> observed{0.05};
  const std::int64_t draws = 100'000;
  const auto by_levels = table_null(std::vector<std::int64_t>{60, 60, 0}, classes,
                                    observed, kGain, {draws, draws}, 3);
  const auto by_runs = mdl_null(std::vector<std::int64_t>{60, 60}, 0, classes, observed,
                                CutPrice::kBetter, kGain, {draws, draws}, 4);
  check::that(by_levels[0].at_least > 10, "not impossible");
  const double slack = 4 * std::sqrt(2.0 * double(by_levels[0].at_least));
  check::equal(double(by_runs[0].at_least), double(by_levels[0].at_least), "as often",
               slack);
}

CASE("stops early") {
  const std::vector<std::int64_t> levels{50, 50, 0};
  const std::vector<std::int64_t> classes{50, 50};
  const std::vector<double> observed{0.001, 0.9};
  const auto first = table_null(levels, classes, observed, kGain, {5000, 10}, 1);
  check::equal(first[0].at_least, 10, "stopped at ten");
  check::that(first[0].draws < 200, "soon");
  check::equal(first[1].draws, 5000, "went on");
  const auto again = table_null(levels, classes, observed, kGain, {5000, 10}, 1);
  check::that(again[0].draws == first[0].draws, "same seed, same answer");
  const auto other = table_null(levels, classes, observed, kGain, {5000, 10}, 2);
  check::that(other[0].draws != first[0].draws, "another seed, another answer");
}

CASE("cutting anew") {
  // 100 distinct values, 10 missing; under permutation the search finds a cut worth
  // its price only now and then, so a small positive score is rare but not unheard of.
  const std::vector<std::int64_t> runs(100, 1);
  const std::vector<std::int64_t> classes{55, 55};
  const std::vector<double> observed{0.0, 1e-6, 2.0};
  const Score score{Measure::kInformationGain, Missing::kIgnore};
  const auto results = mdl_null(runs, 10, classes, observed, CutPrice::kFayyadIrani,
                                score, {4000, 4000}, 5);
  check::equal(results[0].at_least, 4000, "0 is always reached");
  check::that(results[1].at_least > 0 && results[1].at_least < 400, "cuts are rare");
  check::equal(results[2].at_least, 0, "2 bits are impossible");
}

CASE("together") {
  const std::vector<std::int64_t> classes{50, 40, 30};
  const std::vector<std::int64_t> tied{10, 1, 1, 30, 8, 50};  // 20 missing
  const std::vector<std::int64_t> distinct(120, 1);
  const std::vector<double> few{0.0, 0.03, 0.05};
  const std::vector<double> one{0.08};
  const DrawLimits limits{8'000, 8'000};
  const auto together =
      mdl_null_together(std::vector<TiedScores>{{tied, few}, {distinct, one}}, classes,
                        CutPrice::kBetter, kGain, limits, 1);
  const auto first =
      mdl_null(tied, 20, classes, few, CutPrice::kBetter, kGain, limits, 2);
  const auto second =
      mdl_null(distinct, 0, classes, one, CutPrice::kBetter, kGain, limits, 3);
  const auto close = [](const Exceedances& a, const Exceedances& b) {
    const double slack = 4 * std::sqrt(2.0 * double(b.at_least + 1));
    check::equal(double(a.at_least), double(b.at_least), "as often", slack);
  };
  for (std::size_t i = 0; i < few.size(); ++i) close(together[i], first[i]);
  close(together[3], second[0]);
  check::that(first[2].at_least > 10 && second[0].at_least > 10, "not impossible");
  // Alone or in company, in any order: the same permutations.
  const auto alone = mdl_null_together(std::vector<TiedScores>{{distinct, one}},
                                       classes, CutPrice::kBetter, kGain, limits, 1);
  check::that(alone[0].at_least == together[3].at_least, "company is no matter");
  const auto stopped = mdl_null_together(std::vector<TiedScores>{{tied, few}}, classes,
                                         CutPrice::kBetter, kGain, {8'000, 10}, 1);
  check::equal(double(stopped[0].draws), 10, "settled after ten");
  const std::vector<std::int64_t> empty_run{120, 0};
  const std::vector<std::int64_t> too_many{121};
  for (const auto& runs : {empty_run, too_many})
    check::refuses(
        [&] {
          mdl_null_together(std::vector<TiedScores>{{runs, one}}, classes,
                            CutPrice::kBetter, kGain, limits, 1);
        },
        "wrong runs");
}

CASE("margins must agree") {
  const std::vector<std::int64_t> levels{1, 2, 0};
  const std::vector<std::int64_t> classes{1, 1};
  const std::vector<double> observed{0.0};
  check::refuses([&] { table_null(levels, classes, observed, kGain, {10, 10}, 0); },
                 "table");
  const std::vector<std::int64_t> negative{-2, 4, 0};
  check::refuses([&] { table_null(negative, classes, observed, kGain, {10, 10}, 0); },
                 "negative level");
  check::refuses(
      [&] {
        mdl_null(negative, 0, classes, observed, CutPrice::kBetter, kGain, {10, 10}, 0);
      },
      "negative run");
  check::refuses(
      [&] {
        mdl_null(std::vector<std::int64_t>{4}, -2, classes, observed, CutPrice::kBetter,
                 kGain, {10, 10}, 0);
      },
      "negative missing");
  check::refuses(
      [&] {
        mdl_null(levels, 0, classes, observed, CutPrice::kBetter, kGain, {10, 10}, 0);
      },
      "runs");
}

CASE("bounded draws") {
  Random random(9);
  std::vector<int> counts(7, 0);
  for (int i = 0; i < 70'000; ++i) ++counts[random.below(7)];
  for (const int count : counts) check::equal(count, 10'000, "bucket", 450);
  const std::uint64_t large = (1ULL << 40U) + 3;
  for (int i = 0; i < 1000; ++i) check::that(random.below(large) < large, "bound");
  std::vector<int> order(10);
  std::iota(order.begin(), order.end(), 0);
  random.shuffle(std::span<int>(order));
  check::equal(std::accumulate(order.begin(), order.end(), 0), 45, "a permutation");
}

}  // namespace
