#include <cstdint>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "forests/exploration.hpp"
#include "random/random.hpp"

using namespace featsieve;

namespace {

constexpr std::size_t kRows = 200;
constexpr std::size_t kColumns = 70;  // more than a group of lanes

/// The class is the exclusive or of the first two columns; some others have gaps.
struct Bits {
  std::vector<std::int32_t> codes;  // column by column
  std::vector<std::int32_t> classes;
  std::vector<std::uint8_t> is_nominal;

  Bits() : codes(kRows * kColumns), classes(kRows), is_nominal(kColumns, 0) {
    Random random(3);
    for (std::size_t j = 0; j < kColumns; ++j) {
      is_nominal[j] = static_cast<std::uint8_t>(j % 3 == 0);
      for (std::size_t row = 0; row < kRows; ++row)
        codes[j * kRows + row] =
            j < 2 ? static_cast<std::int32_t>(random.below(2))
                  : static_cast<std::int32_t>(random.below(4)) - (j % 5 == 0 ? 1 : 0);
    }
    for (std::size_t row = 0; row < kRows; ++row)
      classes[row] = codes[row] ^ codes[kRows + row];
  }

  Exploration explore(Instructions instructions) const {
    const MatrixView<std::int32_t> view{codes.data(), kRows, kColumns, 1,
                                        static_cast<std::ptrdiff_t>(kRows)};
    return {view, classes, 2, is_nominal, instructions};
  }
};

const std::vector<std::uint32_t> kRoots{0, 1, 2, 3, 69};
const std::vector<std::uint64_t> kSeeds{5, 6, 7, 8, 9};
const std::vector<double> kChances(kColumns, 1.0);

CASE("partners_are_clear") {
  const auto sums =
      Bits().explore(Instructions::kPortable).grow(kRoots, kSeeds, kChances, {1, 12});
  check::equal(sums.n_nodes[0], 10, "two nodes a tree");
  for (std::size_t j = 0; j < kColumns; ++j)
    check::that((sums.surprise[j] > 1e6) == (j < 2), "only behind each other");
}

CASE("instructions_agree") {
  const Bits bits;
  const auto plain =
      bits.explore(Instructions::kPortable).grow(kRoots, kSeeds, kChances, {4, 8});
  check::that(plain.n_nodes[3] > plain.n_nodes[1], "deeper levels have more nodes");
  for (const auto instructions : {Instructions::kAvx2, Instructions::kAvx512}) {
    if (!has_instructions(instructions)) continue;
    const auto sums = bits.explore(instructions).grow(kRoots, kSeeds, kChances, {4, 8});
    check::that(sums.surprise == plain.surprise, "the same bits");
    check::that(sums.n_nodes == plain.n_nodes, "the same nodes");
  }
}

CASE("bad_input_is_refused") {
  const Bits bits;
  const auto explore = bits.explore(Instructions::kPortable);
  const std::vector<double> none(kColumns, 0.0);
  check::refuses([&] { explore.grow(kRoots, {}, kChances, {1, 1}); }, "no seeds");
  check::refuses([&] { explore.grow(kRoots, kSeeds, none, {1, 1}); }, "no chances");
  const std::vector<std::uint32_t> beyond(5, kColumns);
  check::throws<std::out_of_range>(
      [&] { explore.grow(beyond, kSeeds, kChances, {1, 1}); }, "no such feature");
}

}  // namespace
