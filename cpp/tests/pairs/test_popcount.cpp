#include <bit>
#include <string>
#include <vector>

#include "check.hpp"
#include "pairs/popcount.hpp"
#include "random/random.hpp"

using namespace featsieve;

namespace {

constexpr Instructions kAll[] = {Instructions::kPortable, Instructions::kAvx2,
                                 Instructions::kAvx512};

/// Random planes, counted by the kernel and one bit at a time.
void compare(Instructions instructions, std::size_t n_first, std::size_t n_steps,
             bool all_ones) {
  if (!has_instructions(instructions)) return;
  const PlaneFormat format = plane_format(instructions);
  const std::uint64_t full = (1ULL << format.rows_per_byte) - 1;
  Random random(n_first * 1000 + n_steps);
  std::vector<std::uint8_t> first(n_first * n_steps);
  std::vector<LaneStep> second(n_steps);
  for (auto& byte : first)
    byte = static_cast<std::uint8_t>((all_ones ? full : random.next() & full)
                                     << format.shift);
  for (auto& step : second)
    for (auto& lane : step.lanes)
      lane = static_cast<std::uint8_t>(all_ones ? full : random.next() & full);

  std::vector<std::uint32_t> counts(n_first * kLanes, 7);  // counts are added to
  common_counter(instructions)(first.data(), n_steps, n_first, second.data(), n_steps,
                               counts.data());
  bool same = true;
  for (std::size_t i = 0; i < n_first; ++i)
    for (std::size_t j = 0; j < kLanes; ++j) {
      int expected = 7;
      for (std::size_t s = 0; s < n_steps; ++s)
        expected += std::popcount(static_cast<unsigned>(
            (first[i * n_steps + s] >> format.shift) & second[s].lanes[j]));
      same = same && counts[i * kLanes + j] == static_cast<std::uint32_t>(expected);
    }
  check::that(same, "counts with instructions " +
                        std::to_string(static_cast<int>(instructions)) + ", " +
                        std::to_string(n_first) + " planes, " +
                        std::to_string(n_steps) + " steps");
}

CASE("counts bit by bit") {
  for (const Instructions instructions : kAll)
    for (std::size_t n_first = 0; n_first <= 13; ++n_first)
      for (const std::size_t n_steps : {0U, 1U, 31U, 42U, 63U, 64U, 200U})
        compare(instructions, n_first, n_steps, false);
}

CASE("counters do not overflow") {
  for (const Instructions instructions : kAll) compare(instructions, 5, 40000, true);
}

}  // namespace
