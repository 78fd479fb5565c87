#include <cstdint>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "counting/byte_counts.hpp"
#include "counting/class_planes.hpp"
#include "featsieve/instructions.hpp"
#include "random/random.hpp"

using namespace featsieve;

namespace {

CASE("planes count as histograms do") {
  if (!has_instructions(Instructions::kAvx512)) return;
  Random random(2);
  for (const std::size_t n_rows : {1U, 511U, 512U, 513U, 3000U})
    for (const std::size_t n_classes : {1U, 3U, 4U, 16U})
      for (const std::size_t levels : {1U, 5U, 16U}) {
        std::vector<std::int32_t> classes(n_rows);
        std::vector<std::uint8_t> codes(n_rows);
        for (auto& c : classes) c = static_cast<std::int32_t>(random.below(n_classes));
        for (auto& code : codes) code = static_cast<std::uint8_t>(random.below(levels));
        std::vector<std::int64_t> expected(ClassPlanes::kLevels * n_classes, 0);
        const auto steps =
            class_steps(classes, static_cast<std::int32_t>(n_classes), kComparedRows);
        count_by_histogram(codes.data(), steps[0], n_rows, ClassPlanes::kLevels,
                           n_classes, expected.data());
        std::vector<std::int64_t> cells(expected.size(), 0);
        const ClassPlanes planes(classes, n_classes, kComparedRows);
        planes.add(codes.data(), 0, cells.data());
        check::that(cells == expected, "cells");
        codes.back() = 16;
        check::equal(planes.add(codes.data(), 0, cells.data()), 16, "the largest code");
        check::that(cells == expected, "a code too large adds nothing");
      }
}

CASE("many classes are refused") {
  check::refuses([] { ClassPlanes({}, 17, 64); }, "17 classes");
}

}  // namespace
