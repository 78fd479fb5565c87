#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "check.hpp"
#include "neighbours/distance_rows.hpp"
#include "random/random.hpp"

using namespace featsieve;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

CASE("sums of contributions") {
  Random random(4);
  for (const Instructions instructions :
       {Instructions::kPortable, Instructions::kAvx2, Instructions::kAvx512}) {
    if (!has_instructions(instructions)) continue;
    const DistanceLoops& loops = distance_loops(instructions);
    for (const Difference kind :
         {Difference::kNumeric, Difference::kNumericGaps, Difference::kNominal})
      for (const std::size_t n : {0U, 1U, 33U, 100U}) {
        std::vector<double> sums(n);
        std::vector<double> column(n);
        std::vector<double> expected(n);
        std::array<double, kMinima> least;
        least.fill(kInfinity);
        for (std::size_t i = 0; i < n; ++i) {
          sums[i] = random.uniform();
          column[i] = static_cast<double>(random.below(4)) / 4;
          const bool gap = kind == Difference::kNumericGaps && i % 5 == 0;
          if (gap) column[i] = std::numeric_limits<double>::quiet_NaN();
          const double difference = column[i] - 0.25;
          expected[i] =
              sums[i] + (gap                            ? 1.0
                         : kind == Difference::kNominal ? (difference == 0 ? 0.0 : 1.0)
                                                        : difference * difference);
          least[i % kMinima] = std::min(least[i % kMinima], expected[i]);
        }
        std::vector<double> out(n);
        loops.add(kind, sums.data(), column.data(), 0.25, n, out.data());
        check::that(out == expected, "added");
        std::array<double, kMinima> minima;
        minima.fill(kInfinity);
        loops.add_and_bound[static_cast<std::size_t>(kind)](
            sums.data(), column.data(), 0.25, n, out.data(), minima);
        check::that(out == expected && minima == least, "added, with the least");
        std::vector<std::int32_t> near;
        std::vector<std::int32_t> found;
        for (std::size_t i = 0; i < n; ++i)
          if (expected[i] <= 0.7) near.push_back(static_cast<std::int32_t>(i));
        loops.collect(out.data(), n, 0.7, found);
        check::that(found == near, "positions within a bound");
      }
  }
}

}  // namespace
