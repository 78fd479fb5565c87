#include <cmath>
#include <map>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "pairs/level_pairs.hpp"
#include "random/random.hpp"

using namespace featsieve;

namespace {

constexpr std::size_t kRows = 150;

/// Columns of many kinds, one after another: few and many levels, with gaps.
std::vector<std::int32_t> make_codes() {
  Random random(3);
  std::vector<std::int32_t> codes;
  for (const std::uint64_t levels : {2, 3, 1, 5, 30, 70, 300, 400, 2})
    for (std::size_t row = 0; row < kRows; ++row)
      codes.push_back(
          random.below(7) == 0 ? -1 : static_cast<std::int32_t>(random.below(levels)));
  return codes;
}

double entropy(const std::map<std::pair<int, int>, int>& counts, double n) {
  double sum = 0;
  for (const auto& [key, count] : counts) sum -= count / n * std::log2(count / n);
  return sum;
}

double plain_uncertainty(const std::int32_t* x, const std::int32_t* y, bool ignore) {
  std::map<std::pair<int, int>, int> both;
  std::map<std::pair<int, int>, int> first;
  std::map<std::pair<int, int>, int> second;
  double n = 0;
  for (std::size_t row = 0; row < kRows; ++row) {
    if (ignore && (x[row] < 0 || y[row] < 0)) continue;
    ++both[{x[row], y[row]}];
    ++first[{x[row], 0}];
    ++second[{y[row], 0}];
    ++n;
  }
  const double sum = entropy(first, n) + entropy(second, n);
  return sum > 0 ? 2 * (sum - entropy(both, n)) / sum : 0;
}

CASE("uncertainty by definition") {
  const auto codes = make_codes();
  const std::size_t p = codes.size() / kRows;
  const MatrixView<std::int32_t> view{codes.data(), kRows, p, 1, kRows};
  for (const Missing missing : {Missing::kLevel, Missing::kIgnore})
    for (const Instructions each :
         {Instructions::kPortable, Instructions::kAvx2, Instructions::kAvx512}) {
      if (!has_instructions(each)) continue;
      const LevelPairs pairs(view, PairMeasure::kSymmetricalUncertainty, missing, 1,
                             each);
      std::vector<double> all(pairs.n_pairs(0, p));
      pairs.scan(0, p, all);
      std::size_t at = 0;
      std::vector<double> row(p);
      for (std::size_t i = 0; i < p; ++i) {
        pairs.row(i, row);
        for (std::size_t j = i + 1; j < p; ++j, ++at) {
          const double expected =
              plain_uncertainty(codes.data() + i * kRows, codes.data() + j * kRows,
                                missing == Missing::kIgnore);
          check::equal(all[at], expected, "scan", 1e-12);
          check::equal(row[j], all[at], "row");
        }
      }
    }
}

CASE("concordance by definition") {
  const auto codes = make_codes();
  const std::size_t p = codes.size() / kRows;
  const MatrixView<std::int32_t> view{codes.data(), kRows, p, 1, kRows};
  const LevelPairs tau(view, PairMeasure::kTauB, Missing::kIgnore, 1,
                       best_instructions());
  const LevelPairs gamma(view, PairMeasure::kGamma, Missing::kIgnore, 1,
                         best_instructions());
  std::vector<RankedColumn> ranked;
  for (std::size_t j = 0; j < p; ++j) {
    std::vector<double> values;
    for (std::size_t row = 0; row < kRows; ++row) {
      const std::int32_t code = codes[j * kRows + row];
      values.push_back(code < 0 ? std::nan("") : code);
    }
    ranked.emplace_back(values);
  }
  ConcordanceCounter counter;
  std::vector<double> taus(p);
  std::vector<double> gammas(p);
  for (std::size_t i = 0; i < p; ++i) {
    tau.row(i, taus);
    gamma.row(i, gammas);
    for (std::size_t j = 0; j < p; ++j) {
      const auto counts = counter.count(ranked[i], ranked[j]);
      check::equal(taus[j], measure_of(counts, ConcordanceMeasure::kTauB, 1), "tau-b");
      check::equal(gammas[j], measure_of(counts, ConcordanceMeasure::kGamma, 1),
                   "gamma");
    }
  }
}

CASE("refuses what is not there") {
  const std::vector<std::uint8_t> codes(6, 0);
  const MatrixView<std::uint8_t> view{codes.data(), 3, 2, 1, 3};
  const auto make = [&](PairMeasure measure, Missing missing) {
    return LevelPairs(view, measure, missing, 1, best_instructions());
  };
  check::refuses([&] { make(PairMeasure::kTauB, Missing::kLevel); }, "order of a gap");
  check::refuses([&] { make(PairMeasure::kTauB, Missing::kSpread); }, "spread");
  const auto pairs = make(PairMeasure::kTauB, Missing::kIgnore);
  std::vector<double> one(1);
  std::vector<double> two(2);
  check::throws<std::out_of_range>([&] { pairs.scan(0, 3, one); }, "range");
  check::refuses([&] { pairs.scan(0, 2, two); }, "size");
  check::throws<std::out_of_range>([&] { pairs.row(2, two); }, "feature");
  check::refuses([&] { pairs.row(0, one); }, "row size");
}

}  // namespace
