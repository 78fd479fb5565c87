#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "pairs/tuple_gain.hpp"

using namespace featsieve;

namespace {

/// Four rows: an exclusive or of the first two columns; the third is missing once.
const std::vector<std::int32_t> kCodes = {0, 0, 1, 1, 0, 1, 0, 1, 5, -1, 5, 900000};
const std::vector<std::int32_t> kClasses = {0, 1, 1, 0};

TupleScanner make(Missing missing, std::span<const double> weights = {}) {
  const MatrixView<std::int32_t> view{kCodes.data(), 4, 3, 1, 4};
  return TupleScanner(view, kClasses, 2, missing, weights);
}

CASE("gains of sets") {
  const std::vector<std::int32_t> features = {0, 0, 1, 0, 1, 2, 2};
  const std::vector<std::int64_t> begins = {0, 0, 1, 3, 6, 7};
  const auto level = make(Missing::kLevel).gains(features, begins);
  const std::vector<double> expected = {0, 0, 1, 1, 0.5};
  check::that(level == expected, "missing as a level");
  const auto ignored = make(Missing::kIgnore).gains(features, begins);
  check::equal(ignored[4], 0.25162916738782287, "missing rows left out", 1e-12);
  const std::vector<double> ones(4, 1.0);
  const auto weighted = make(Missing::kLevel, ones).gains(features, begins);
  for (std::size_t k = 0; k < expected.size(); ++k)
    check::equal(weighted[k], expected[k], "weights of one", 1e-12);
}

CASE("refuses what is not there") {
  const auto scanner = make(Missing::kLevel);
  const std::vector<std::int64_t> begins = {0, 1};
  const std::vector<std::int64_t> backwards = {1, 0};
  const std::vector<std::int32_t> wrong = {3};
  const std::vector<std::int32_t> right = {2};
  check::throws<std::out_of_range>([&] { scanner.gains(wrong, begins); }, "feature");
  check::throws<std::out_of_range>([&] { scanner.gains(right, backwards); }, "begins");
  const std::vector<double> short_weights(3, 1.0);
  check::refuses([&] { make(Missing::kLevel, short_weights); }, "weights");
  check::refuses([&] { make(Missing::kSpread); }, "spread");
}

}  // namespace
