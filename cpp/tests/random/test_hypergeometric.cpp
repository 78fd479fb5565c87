#include <array>
#include <numeric>

#include "check.hpp"
#include "random/hypergeometric.hpp"

using namespace featsieve;

namespace {

CASE("draws follow the law") {
  // 2 of 3 good and 2 bad balls: 0, 1 or 2 good ones with chances 1, 6 and 3 of 10.
  const LogFactorials lf(10);
  Random random(1);
  std::array<double, 3> seen{};
  for (int k = 0; k < 20000; ++k)
    seen[static_cast<std::size_t>(draw_hypergeometric(3, 2, 2, lf, random))] += 5e-5;
  check::equal(seen[0], 0.1, "none good", 0.01);
  check::equal(seen[1], 0.6, "one good", 0.015);
  check::equal(seen[2], 0.3, "two good", 0.015);
}

CASE("large urns keep their mean") {
  const LogFactorials lf(400'000);
  Random random(2);
  double mean = 0;
  for (int k = 0; k < 2000; ++k)
    mean +=
        static_cast<double>(draw_hypergeometric(300'000, 100'000, 40'000, lf, random)) /
        2000;
  check::equal(mean, 30'000, "mean", 10);  // five standard errors
}

CASE("waiting rows are taken once") {
  const std::array<std::int64_t, 3> rows{4, 0, 7};
  const LogFactorials lf(11);
  Random random(3);
  Waiting waiting;
  waiting.fill(rows);
  std::array<std::int64_t, 3> taken{};
  waiting.take(5, lf, random, taken.data());
  check::equal(std::accumulate(taken.begin(), taken.end(), 0LL), 5,
               "as many as wanted");
  while (waiting.total > 0) ++taken[waiting.take_one(random)];
  check::that(taken == rows, "every row, of its class");
}

}  // namespace
