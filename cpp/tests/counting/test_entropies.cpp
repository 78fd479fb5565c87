#include <cmath>
#include <cstdint>
#include <numbers>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "featsieve/counting.hpp"

using namespace featsieve;

namespace {

/// outlook (sunny, overcast, rainy) against play (no, yes), nothing missing.
const std::vector<std::int64_t> kOutlook{3, 2, 0, 4, 2, 3, 0, 0};

CASE("weather") {
  const LogTable logs(14);
  const auto e = table_entropies(kOutlook, 2, Missing::kLevel, logs);
  check::equal(measure_of(e, Measure::kInformationGain), 0.2467498198, "gain", 1e-10);
  check::equal(measure_of(e, Measure::kGainRatio), 0.1564275624, "ratio", 1e-10);
  check::equal(measure_of(e, Measure::kSymmetricalUncertainty), 0.1960126942, "SU",
               1e-10);
  check::equal(e.levels, 3, "levels");
  check::equal(e.cells, 5, "cells");
}

CASE("missing rows") {
  const LogTable logs(6);
  // Level 0: (2, 0), level 1: (0, 2), missing: (1, 1).
  const std::vector<std::int64_t> table{2, 0, 0, 2, 1, 1};
  const auto gain = [&](Missing missing) {
    return measure_of(table_entropies(table, 2, missing, logs),
                      Measure::kInformationGain);
  };
  check::equal(gain(Missing::kIgnore), 1.0, "ignored", 1e-12);
  check::equal(gain(Missing::kLevel), 2.0 / 3, "as a level", 1e-12);
  // Spread: level 0 (2.5, 0.5), level 1 (0.5, 2.5).
  const double h = -(5.0 / 6 * std::log2(5.0 / 6) + 1.0 / 6 * std::log2(1.0 / 6));
  check::equal(gain(Missing::kSpread), 1 - h, "spread", 1e-12);
  const std::vector<double> real(table.begin(), table.end());
  check::equal(
      measure_of(table_entropies(real, 2, Missing::kSpread), Measure::kInformationGain),
      1 - h, "spread, weighted", 1e-12);
}

CASE("nothing known") {
  const LogTable logs(2);
  const std::vector<std::int64_t> table{0, 0, 1, 1};
  for (const auto missing : {Missing::kIgnore, Missing::kSpread}) {
    const auto e = table_entropies(table, 2, missing, logs);
    check::equal(e.known, 0, "known");
    check::equal(e.total, 2, "total");
    for (const auto measure : {Measure::kInformationGain, Measure::kGainRatio,
                               Measure::kSymmetricalUncertainty})
      check::equal(measure_of(e, measure), 0, "nothing");
  }
}

CASE("large counts") {
  const LogTable logs(10'000'000);
  check::equal(logs(5'000'000), 5e6 * std::log2(5e6), "beyond the table", 1e-6);
  check::that(logs.size() <= LogTable::kLargest + 1, "the table stays small");
}

CASE("mean of all tables") {
  // Two rows, two classes: half of the permutations give 1 bit, half give 1 too; with
  // margins (2, 2) x (2, 2): tables 2|0 (prob 1/6), 1|1 (4/6), 0|2 (1/6).
  const std::vector<std::int64_t> two{2, 2};
  check::equal(expected_information(two, two), 1.0 / 3, "margins 2 2", 1e-12);
  const std::vector<std::int64_t> one{4};
  check::equal(expected_information(one, two), 0, "one level", 1e-12);
  const std::vector<std::int64_t> none{0};
  check::equal(expected_information(none, none), 0, "no rows");
  const std::vector<std::int64_t> negative{-2, 6};
  check::refuses([&] { expected_information(negative, two); }, "negative");
  check::refuses([&] { expected_information(one, none); }, "another total");
  const std::vector<std::int64_t> with_zero{2, 0, 2};
  check::equal(expected_information(with_zero, two), 1.0 / 3, "empty level", 1e-12);
  // An identifier tells the class in every permutation: one bit of a fair coin.
  const std::vector<std::int64_t> names(1000, 1);
  const std::vector<std::int64_t> coin{500, 500};
  check::equal(expected_information(names, coin), 1, "an identifier", 1e-12);
  // With many rows: (levels - 1)(classes - 1) / (2 n ln 2) to first order.
  const std::vector<std::int64_t> many{300'000, 200'000, 500'000};
  const std::vector<std::int64_t> halves{500'000, 500'000};
  check::equal(expected_information(many, halves), 1 / (1e6 * std::numbers::ln2),
               "many rows", 1e-10);
}

}  // namespace
