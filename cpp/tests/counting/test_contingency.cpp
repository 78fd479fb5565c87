#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"
#include "featsieve/counting.hpp"
#include "random/random.hpp"

using namespace featsieve;

namespace {

/// Counts with plain loops.
template <class Code>
std::vector<std::int64_t> plain(const MatrixView<Code>& codes,
                                const std::vector<std::int32_t>& classes,
                                std::size_t n_classes,
                                const std::vector<std::int32_t>& levels) {
  std::vector<std::int64_t> all;
  for (std::size_t j = 0; j < codes.n_columns; ++j) {
    std::vector<std::int64_t> table(
        (static_cast<std::size_t>(levels[j]) + 1) * n_classes, 0);
    for (std::size_t i = 0; i < codes.n_rows; ++i) {
      const auto code = static_cast<std::int64_t>(codes(i, j));
      const auto level = static_cast<std::size_t>(code < 0 ? levels[j] : code);
      ++table[level * n_classes + static_cast<std::size_t>(classes[i])];
    }
    all.insert(all.end(), table.begin(), table.end());
  }
  return all;
}

template <class Code>
void compare(std::size_t n_rows, std::size_t n_classes, std::uint64_t most,
             bool missing) {
  Random random(n_rows * 31 + most);
  const std::size_t n_columns = n_rows < 100 ? 520 : 66;  // more than one tile
  std::vector<Code> values(n_rows * n_columns);
  for (auto& value : values) {
    value = static_cast<Code>(random.below(most));
    if (missing && random.below(5) == 0) value = static_cast<Code>(-1);
  }
  std::vector<std::int32_t> all_classes(n_rows);
  for (auto& c : all_classes) c = static_cast<std::int32_t>(random.below(n_classes));
  const auto rows = static_cast<std::ptrdiff_t>(n_rows);
  const auto columns = static_cast<std::ptrdiff_t>(n_columns);
  const MatrixView<Code> by_column{values.data(), n_rows, n_columns, 1, rows};
  const MatrixView<Code> by_row{values.data(), n_rows, n_columns, columns, 1};
  const MatrixView<Code> apart{values.data(), n_rows / 2, n_columns / 2, 2 * columns,
                               2};
  for (const auto& view : {by_column, by_row, apart}) {
    const std::vector<std::int32_t> classes(
        all_classes.begin(),
        all_classes.begin() + static_cast<std::ptrdiff_t>(view.n_rows));
    const auto levels = count_levels(view);
    const auto expected = plain(view, classes, n_classes, levels);
    const auto n = static_cast<std::int32_t>(n_classes);
    const std::string what =
        std::to_string(n_rows) + " rows, " + std::to_string(most) + " levels";
    check::that(count_by_class(view, classes, n, levels) == expected, "all of " + what);
    for (const auto instructions :
         {Instructions::kPortable, Instructions::kAvx2, Instructions::kAvx512}) {
      if (!has_instructions(instructions)) continue;
      std::vector<std::int64_t> counts;
      visit_counts(
          view, classes, n, levels,
          [&](std::size_t, std::int32_t, std::span<const std::int64_t> cells) {
            counts.insert(counts.end(), cells.begin(), cells.end());
          },
          instructions);
      check::that(counts == expected, "counts of " + what);
    }
    const std::vector<double> ones(view.n_rows, 1.0);
    std::vector<std::int64_t> weighed;
    visit_weights(view, classes, n, levels, ones,
                  [&](std::size_t, std::int32_t, std::span<const double> cells) {
                    for (const double cell : cells)
                      weighed.push_back(static_cast<std::int64_t>(cell));
                  });
    check::that(weighed == expected, "weights of one are counts");
  }
}

CASE("counts equal plain loops") {
  for (const std::size_t n_rows : {1U, 33U, 8200U, 16900U}) {
    for (const std::size_t n_classes : {1U, 2U, 3U, 4U, 5U, 6U, 9U}) {
      compare<std::uint8_t>(n_rows, n_classes, 4, false);
      compare<std::uint8_t>(n_rows, n_classes, 1 + n_classes, false);
      compare<std::int32_t>(n_rows, n_classes, 5, true);
    }
    compare<std::uint8_t>(n_rows, 16, 16, false);
    compare<std::int32_t>(n_rows, 17, 15, true);
    compare<std::uint8_t>(n_rows, 3, 17, false);
    compare<std::uint8_t>(n_rows, 3, 256, false);
    compare<std::uint16_t>(n_rows, 3, 3, false);
    compare<std::uint16_t>(n_rows, 3, 40, false);
    compare<std::int32_t>(n_rows, 2, 100, true);
    compare<std::int32_t>(n_rows, 300, 20, true);
    compare<std::int32_t>(n_rows, 2, 1000, true);
  }
}

CASE("all missing has no level") {
  const std::vector<std::int32_t> codes{-1, -7, -1};
  const MatrixView<std::int32_t> view{codes.data(), 3, 1, 1, 3};
  const auto levels = count_levels(view);
  check::equal(levels[0], 0, "levels");
  const auto tables =
      count_by_class(view, std::vector<std::int32_t>{0, 1, 1}, 2, levels);
  check::that(tables == std::vector<std::int64_t>{1, 2}, "missing row only");
}

/// The last code of a column decides how it is counted.
CASE("a late large code is counted") {
  std::vector<std::uint8_t> codes(40000, 1);
  codes.back() = 200;
  const std::vector<std::int32_t> classes(codes.size(), 0);
  const MatrixView<std::uint8_t> view{codes.data(), codes.size(), 1, 1, 0};
  const auto tables = count_by_class(view, classes, 1, {});
  check::equal(tables.size(), 202, "201 levels and missing");
  check::equal(tables[1], 39999, "level 1");
  check::equal(tables[200], 1, "level 200");
}

CASE("sparse codes take no room") {
  const std::vector<std::int32_t> codes{2000000000, -1, 5, 2000000000};
  const std::vector<std::int32_t> classes{0, 1, 1, 1};
  const MatrixView<std::int32_t> view{codes.data(), 4, 1, 1, 4};
  check::that(count_by_class(view, classes, 2, {}) ==
                  std::vector<std::int64_t>{0, 1, 1, 1, 0, 1},
              "the levels that occur, and missing");
  visit_weights(view, classes, 2, {}, std::vector<double>{1, 2, 3, 4},
                [](std::size_t, std::int32_t levels, std::span<const double> cells) {
                  check::equal(levels, 2, "levels");
                  check::that(std::vector<double>(cells.begin(), cells.end()) ==
                                  std::vector<double>{0, 3, 1, 4, 0, 2},
                              "weights");
                });
}

CASE("nothing to count") {
  const std::vector<std::uint8_t> none;
  const MatrixView<std::uint8_t> view{none.data(), 0, 2, 1, 0};
  const auto levels = count_levels(view);
  const auto tables = count_by_class(view, {}, 1, levels);
  check::equal(tables.size(), 2, "two empty tables");
}

CASE("wrong arguments are refused") {
  const std::vector<std::uint8_t> codes{0, 1};
  const MatrixView<std::uint8_t> view{codes.data(), 2, 1, 1, 2};
  const std::vector<std::int32_t> levels{2};
  check::refuses([&] { count_by_class(view, std::vector<std::int32_t>{0}, 1, levels); },
                 "rows");
  check::refuses(
      [&] { count_by_class(view, std::vector<std::int32_t>{0, 2}, 2, levels); },
      "class too large");
  check::refuses(
      [&] { count_by_class(view, std::vector<std::int32_t>{0, -1}, 2, levels); },
      "negative class");
  check::refuses(
      [&] {
        count_by_class(view, std::vector<std::int32_t>{0, 1}, 2,
                       std::vector<std::int32_t>{2, 2});
      },
      "levels");
  check::throws<std::out_of_range>(
      [&] {
        count_by_class(view, std::vector<std::int32_t>{0, 1}, 2,
                       std::vector<std::int32_t>{1});
      },
      "code beyond levels");
  check::refuses(
      [&] {
        visit_weights(view, std::vector<std::int32_t>{0, 1}, 2, levels,
                      std::vector<double>{1.0},
                      [](std::size_t, std::int32_t, std::span<const double>) {});
      },
      "weights");
  const std::vector<std::int32_t> huge{0x7FFFFFFF};
  check::throws<std::out_of_range>(
      [&] { count_levels(MatrixView<std::int32_t>{huge.data(), 1, 1, 1, 1}); },
      "largest code");
}

}  // namespace
