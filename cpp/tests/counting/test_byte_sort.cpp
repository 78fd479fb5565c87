#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"
#include "counting/byte_sort.hpp"
#include "counting/dense_column.hpp"
#include "random/random.hpp"

using namespace featsieve;

namespace {

CASE("bytes lie in the order of classes") {
  if (!has_instructions(Instructions::kAvx512)) return;
  Random random(7);
  for (const std::size_t n : {0U, 1U, 63U, 64U, 65U, 200U, 5000U})
    for (const std::int32_t n_classes : {1, 2, 3, 16}) {
      std::vector<std::int32_t> classes(n);
      std::vector<std::uint8_t> codes(n);
      // The first class is rare: its whole range is shorter than a vector.
      for (auto& c : classes) {
        const auto kind = static_cast<std::int32_t>(
            random.below(static_cast<std::uint64_t>(n_classes)));
        c = kind == 0 && random.below(8) != 0 ? n_classes - 1 : kind;
      }
      for (auto& code : codes) code = static_cast<std::uint8_t>(random.below(256));
      const ClassRows rows = sort_by_class(classes, n_classes);
      std::vector<std::uint8_t> expected;
      for (const std::uint32_t row : rows.order) expected.push_back(codes[row]);
      std::vector<std::uint8_t> sorted(n);
      ByteSort(n, rows.order, rows.begin).sort(codes.data(), sorted.data());
      check::that(sorted == expected, std::to_string(n) + " rows, " +
                                          std::to_string(n_classes) + " classes");
    }
}

CASE("many classes are refused") {
  const std::vector<std::size_t> begin(ByteSort::kMostClasses + 2, 0);
  check::refuses([&] { ByteSort(0, {}, begin); }, "17 classes");
}

}  // namespace
