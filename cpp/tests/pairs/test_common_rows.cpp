#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"
#include "pairs/common_rows.hpp"
#include "random/random.hpp"

using namespace featsieve;

namespace {

constexpr Instructions kAll[] = {Instructions::kPortable, Instructions::kAvx2,
                                 Instructions::kAvx512};

/// Counted by the kernel and one row at a time.
void compare(Instructions instructions, std::size_t n_sets, std::size_t n_rows) {
  if (!has_instructions(instructions)) return;
  Random random(n_sets * 1000 + n_rows);
  std::vector<std::uint8_t> flags(n_sets * n_rows);
  for (auto& flag : flags) flag = static_cast<std::uint8_t>(random.next() & 1U);
  const CommonRows sets(flags, n_sets, n_rows, instructions);
  check::that(sets.n_sets() == n_sets, "number of sets");
  bool same = true;
  for (std::size_t block = 0; block < sets.n_blocks(); ++block) {
    const auto counts = sets.count(block);
    const std::size_t first = block * CommonRows::kBlock;
    const std::size_t width = n_sets - first;
    same = same && counts.size() == sets.block_size(block) * width;
    for (std::size_t i = 0; i < sets.block_size(block); ++i)
      for (std::size_t j = 0; j < width; ++j) {
        std::uint32_t expected = 0;
        for (std::size_t row = 0; row < n_rows; ++row)
          expected +=
              flags[(first + i) * n_rows + row] & flags[(first + j) * n_rows + row];
        same = same && counts[i * width + j] == expected;
      }
  }
  check::that(same, std::to_string(n_sets) + " sets of " + std::to_string(n_rows) +
                        " rows, instructions " +
                        std::to_string(static_cast<int>(instructions)));
}

CASE("counts row by row") {
  for (const Instructions instructions : kAll)
    for (const std::size_t n_sets : {1U, 2U, 63U, 64U, 65U, 130U})
      for (const std::size_t n_rows : {1U, 5U, 24U, 25U, 301U})
        compare(instructions, n_sets, n_rows);
}

CASE("nothing is counted of nothing") {
  const CommonRows none({}, 0, 10, Instructions::kPortable);
  check::that(none.n_blocks() == 0, "no sets, no blocks");
  const CommonRows empty({}, 3, 0, Instructions::kPortable);
  check::that(empty.count(0) == std::vector<std::uint32_t>(9, 0), "no rows, no counts");
}

CASE("bad input is refused") {
  const std::vector<std::uint8_t> flags(6);
  check::refuses([&] { CommonRows(flags, 2, 4, Instructions::kPortable); }, "length");
  const CommonRows sets(flags, 2, 3, Instructions::kPortable);
  check::throws<std::out_of_range>([&] { sets.count(1); }, "block");
}

}  // namespace
