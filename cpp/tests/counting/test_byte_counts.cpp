#include <cstdint>
#include <vector>

#include "check.hpp"
#include "counting/byte_counts.hpp"
#include "featsieve/instructions.hpp"
#include "random/random.hpp"

using namespace featsieve;

namespace {

CASE("both ways count row by row") {
  Random random(3);
  for (const std::size_t n_rows : {1U, 31U, 32U, 500U, 8160U})
    for (const std::size_t n_classes : {1U, 2U, 5U, 6U})
      for (const std::size_t levels : {1U, 2U, 4U, 20U}) {
        std::vector<std::int32_t> classes(n_rows);
        std::vector<std::uint8_t> codes(n_rows + kOverhang, 0);
        std::vector<std::int64_t> expected(levels * n_classes, 7);  // it is added to
        for (std::size_t i = 0; i < n_rows; ++i) {
          classes[i] = static_cast<std::int32_t>(random.below(n_classes));
          codes[i] = static_cast<std::uint8_t>(random.below(levels));
          ++expected[codes[i] * n_classes + static_cast<std::size_t>(classes[i])];
        }
        const auto steps =
            class_steps(classes, static_cast<std::int32_t>(n_classes), kComparedRows);
        std::vector<std::int64_t> table(expected.size(), 7);
        count_by_histogram(codes.data(), steps[0], n_rows, levels, n_classes,
                           table.data());
        check::that(table == expected, "by histogram");
        if (!has_instructions(Instructions::kAvx2)) continue;
        check::that(prefers_comparing(levels, n_classes), "few cells are compared");
        table.assign(expected.size(), 7);
        count_by_comparing(codes.data(), steps[0], n_rows, levels, n_classes,
                           table.data());
        check::that(table == expected, "by comparing");
      }
  check::that(!prefers_comparing(100, 2) && !prefers_comparing(2, 7), "many cells");
}

}  // namespace
