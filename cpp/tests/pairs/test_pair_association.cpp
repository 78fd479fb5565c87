#include <cmath>
#include <map>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "pairs/pair_association.hpp"
#include "random/random.hpp"
#include "ranks/concordance.hpp"

using namespace featsieve;

namespace {

constexpr PairMeasure kUncertainty = PairMeasure::kSymmetricalUncertainty;

/// Column-major: the third column is the first, renamed; the last has a level per row.
const std::vector<std::int32_t> kCodes = {0, 0, 1, 1, 0, 1, 0, 1, 7, 7,
                                          3, 3, 0, 1, 2, 3, 9, 8, 7, 6};
const std::vector<std::int32_t> kClasses = {0, 0, 1, 1};

AssociationScanner make(Missing missing, std::span<const std::int32_t> codes = kCodes,
                        std::span<const double> weights = {},
                        Instructions instructions = best_instructions()) {
  const MatrixView<std::int32_t> view{codes.data(), 4, codes.size() / 4, 1, 4};
  return AssociationScanner(view, kClasses, missing, instructions, weights);
}

CASE("rows and matrix") {
  for (const auto instructions :
       {Instructions::kPortable, Instructions::kAvx2, Instructions::kAvx512}) {
    if (!has_instructions(instructions)) continue;
    const auto scanner = make(Missing::kLevel, kCodes, {}, instructions);
    check::that(scanner.n_features() == 5, "the class is not counted");
    // Two bits tell one of two: 2 * 1 / (1 + 2).
    const auto first = scanner.row(0, kUncertainty);
    const std::vector<double> expected = {1, 0, 1, 2.0 / 3, 2.0 / 3};
    for (std::size_t j = 0; j < expected.size(); ++j)
      check::equal(first[j], expected[j], "uncertainty", 1e-12);
    check::that(scanner.row(5, kUncertainty) == first, "the class is the first column");
    const auto bits = scanner.row(3, PairMeasure::kMutualInformation);
    check::equal(bits[3], 2, "what a column tells about itself", 1e-12);
    std::vector<double> matrix(25, -1.0);
    scanner.fill(0, 2, kUncertainty, matrix);
    scanner.fill(2, 5, kUncertainty, matrix);
    for (std::size_t i = 0; i < 5; ++i) {
      const auto row = scanner.row(i, kUncertainty);
      for (std::size_t j = 0; j < 5; ++j)
        check::equal(matrix[i * 5 + j], row[j], "matrix and rows agree");
    }
  }
}

CASE("missing values") {
  const std::vector<std::int32_t> codes = {0, 0, 1, -1, 0, -1, 1, -1};
  // Known on both sides: rows 0 and 2, where the columns agree.
  check::equal(make(Missing::kIgnore, codes).row(0, kUncertainty)[1], 1, "ignored",
               1e-12);
  // Row 1 is shared out 1 : 1 over the second column, row 3 over the two cells.
  const std::vector<double> spread = {2, 0.5, 0, 1.5};
  double first = 0;
  double joint = 0;
  double second = 0;
  for (std::size_t a = 0; a < 2; ++a) {
    first -= x_log2_x((spread[2 * a] + spread[2 * a + 1]) / 4);
    second -= x_log2_x((spread[a] + spread[2 + a]) / 4);
  }
  for (const double cell : spread) joint -= x_log2_x(cell / 4);
  const double expected = 2 * (first + second - joint) / (first + second);
  check::equal(make(Missing::kSpread, codes).row(0, kUncertainty)[1], expected,
               "spread", 1e-12);
  const std::vector<double> ones(4, 1.0);
  check::equal(make(Missing::kSpread, codes, ones).row(0, kUncertainty)[1], expected,
               "spread, weighted", 1e-12);
  const std::vector<std::int32_t> unknown(8, -1);
  check::equal(make(Missing::kIgnore, unknown).row(0, kUncertainty)[1], 0, "nothing");
}

/// Many levels: rows are walked instead of counted in a table.
CASE("many levels") {
  const std::size_t n = 3000;
  std::vector<std::int32_t> codes;
  for (std::size_t i = 0; i < n; ++i)
    codes.push_back(static_cast<std::int32_t>(i) - (i == 0 ? 1 : 0));
  for (std::size_t i = 0; i < n; ++i)
    codes.push_back(static_cast<std::int32_t>(i / 2 * 7));
  const std::vector<std::int32_t> classes(n, 0);
  const MatrixView<std::int32_t> view{codes.data(), n, 2, 1,
                                      static_cast<std::ptrdiff_t>(n)};
  const double rows = static_cast<double>(n);
  const double pairs = std::log2(rows / 2);
  const std::vector<double> ones(n, 1.0);
  for (const auto& weights : {std::vector<double>{}, ones}) {
    const AssociationScanner level(view, classes, Missing::kLevel, best_instructions(),
                                   weights);
    check::equal(level.row(0, PairMeasure::kMutualInformation)[1], pairs, "walked",
                 1e-9);
    const AssociationScanner ignore(view, classes, Missing::kIgnore,
                                    best_instructions(), weights);
    // One row less: one pair has a single row.
    const double known =
        std::log2(rows - 1) - (rows / 2 - 1) * x_log2_x(2.0) / (rows - 1);
    check::equal(ignore.row(0, PairMeasure::kMutualInformation)[1], known, "ignored",
                 1e-9);
  }
}

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
      const AssociationScanner pairs(view, {}, missing, each);
      for (std::size_t i = 0; i < p; ++i) {
        const auto row = pairs.row(i, kUncertainty);
        for (std::size_t j = 0; j < p; ++j)
          check::equal(
              row[j],
              plain_uncertainty(codes.data() + i * kRows, codes.data() + j * kRows,
                                missing == Missing::kIgnore),
              "uncertainty", 1e-12);
      }
    }
}

CASE("concordance by definition") {
  const auto codes = make_codes();
  const std::size_t p = codes.size() / kRows;
  const MatrixView<std::int32_t> view{codes.data(), kRows, p, 1, kRows};
  const AssociationScanner scanner(view, {}, Missing::kIgnore, best_instructions(), {},
                                   2000);
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
  for (std::size_t i = 0; i < p; ++i) {
    const auto taus = scanner.row(i, PairMeasure::kTauB);
    const auto gammas = scanner.row(i, PairMeasure::kGamma);
    for (std::size_t j = 0; j < p; ++j) {
      const auto counts = counter.count(ranked[i], ranked[j]);
      check::equal(taus[j], tau_b(counts), "tau-b");
      check::equal(gammas[j], gamma(counts, 2000), "gamma");
    }
  }
}

CASE("refuses what makes no sense") {
  const auto scanner = make(Missing::kLevel);
  std::vector<double> small(4);
  std::vector<double> square(25);
  check::throws<std::out_of_range>([&] { scanner.row(6, kUncertainty); }, "column");
  check::refuses([&] { scanner.row(0, PairMeasure::kTauB); }, "order of a gap");
  const auto weighted = make(Missing::kIgnore, kCodes, std::vector<double>(4, 1.0));
  check::refuses([&] { weighted.row(0, PairMeasure::kGamma); }, "order of weights");
  check::refuses([&] { scanner.fill(0, 5, kUncertainty, small); }, "matrix");
  check::throws<std::out_of_range>([&] { scanner.fill(3, 6, kUncertainty, square); },
                                   "range");
  const std::vector<double> short_weights(3, 1.0);
  check::refuses([&] { make(Missing::kLevel, kCodes, short_weights); }, "weights");
  const MatrixView<std::int32_t> five{kCodes.data(), 5, 1, 1, 5};
  check::refuses(
      [&] { AssociationScanner(five, kClasses, Missing::kLevel, best_instructions()); },
      "classes");
  const MatrixView<std::int32_t> empty{kCodes.data(), 0, 2, 1, 0};
  const AssociationScanner nothing(empty, {}, Missing::kLevel, best_instructions());
  check::that(nothing.n_features() == 2, "no class");
  check::equal(nothing.row(0, kUncertainty)[1], 0, "no rows");
}

}  // namespace
