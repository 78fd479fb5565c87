#include <cmath>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "pairs/pair_uncertainty.hpp"

using namespace featsieve;

namespace {

constexpr Measure kUncertainty = Measure::kSymmetricalUncertainty;

/// Column-major: the third column is the first, renamed; the last has a level per row.
const std::vector<std::int32_t> kCodes = {0, 0, 1, 1, 0, 1, 0, 1, 7, 7,
                                          3, 3, 0, 1, 2, 3, 9, 8, 7, 6};
const std::vector<std::int32_t> kClasses = {0, 0, 1, 1};

UncertaintyScanner make(Missing missing, std::span<const std::int32_t> codes = kCodes,
                        std::span<const double> weights = {},
                        Instructions instructions = best_instructions()) {
  const MatrixView<std::int32_t> view{codes.data(), 4, codes.size() / 4, 1, 4};
  return UncertaintyScanner(view, kClasses, missing, instructions, weights);
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
    const auto bits = scanner.row(3, Measure::kInformationGain);
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
    const UncertaintyScanner level(view, classes, Missing::kLevel, best_instructions(),
                                   weights);
    check::equal(level.row(0, Measure::kInformationGain)[1], pairs, "walked", 1e-9);
    const UncertaintyScanner ignore(view, classes, Missing::kIgnore,
                                    best_instructions(), weights);
    // One row less: one pair has a single row.
    const double known =
        std::log2(rows - 1) - (rows / 2 - 1) * x_log2_x(2.0) / (rows - 1);
    check::equal(ignore.row(0, Measure::kInformationGain)[1], known, "ignored", 1e-9);
  }
}

CASE("refuses what makes no sense") {
  const auto scanner = make(Missing::kLevel);
  std::vector<double> small(4);
  std::vector<double> square(25);
  check::throws<std::out_of_range>([&] { scanner.row(6, kUncertainty); }, "column");
  check::refuses([&] { scanner.row(0, Measure::kGainRatio); }, "measure");
  check::refuses([&] { scanner.fill(0, 5, kUncertainty, small); }, "matrix");
  check::throws<std::out_of_range>([&] { scanner.fill(3, 6, kUncertainty, square); },
                                   "range");
  const std::vector<double> short_weights(3, 1.0);
  check::refuses([&] { make(Missing::kLevel, kCodes, short_weights); }, "weights");
  const MatrixView<std::int32_t> five{kCodes.data(), 5, 1, 1, 5};
  check::refuses(
      [&] { UncertaintyScanner(five, kClasses, Missing::kLevel, best_instructions()); },
      "classes");
  const MatrixView<std::int32_t> empty{kCodes.data(), 0, 2, 1, 0};
  const UncertaintyScanner nothing(empty, {}, Missing::kLevel, best_instructions());
  check::equal(nothing.row(0, kUncertainty)[1], 0, "no rows");
}

}  // namespace
