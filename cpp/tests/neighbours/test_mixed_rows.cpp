#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"
#include "neighbours/coarse_distance.hpp"
#include "neighbours/mixed_rows.hpp"
#include "random/random.hpp"

using namespace featsieve;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr Instructions kAll[] = {Instructions::kPortable, Instructions::kAvx2,
                                 Instructions::kAvx512};

struct Made {
  std::vector<double> values;
  std::vector<double> expected;
  MixedRows rows;
};

/// Random rows with about a fifth of the values missing where that may be.
Made make(std::size_t n, const ColumnGroups& groups, std::size_t n_levels = 3) {
  Made made;
  Random random(n + groups.total());
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < groups.total(); ++j) {
      const std::size_t gap = j < groups.complete() ? 0 : j - groups.complete();
      const bool nominal =
          j < groups.complete() ? j >= groups.numeric : gap >= groups.numeric_gaps;
      double value =
          nominal ? static_cast<double>(random.below(n_levels)) : random.uniform();
      if (j >= groups.complete()) {
        if (random.uniform() < 0.2) value = kNaN;
        made.expected.push_back(random.uniform());
      }
      made.values.push_back(value);
    }
  made.rows = {made.values, made.expected, n, groups};
  return made;
}

double plain_distance(const MixedRows& rows, std::size_t a, std::size_t b) {
  double sum = 0;
  for (std::size_t j = 0; j < rows.groups.total(); ++j)
    sum += column_difference(rows, a, b, j);
  return sum;
}

CASE("differences of one column") {
  const std::vector<double> values{0.25, 1, 0.5, 2, 1, 1, kNaN, kNaN};
  const std::vector<double> expected{0.1, 0.2, 0.3, 0.4};
  const MixedRows rows{values, expected, 2, {1, 1, 1, 1}};
  check::equal(column_difference(rows, 0, 1, 0), 0.75, "numbers");
  check::equal(column_difference(rows, 0, 1, 1), 0, "levels");
  check::equal(column_difference(rows, 0, 1, 2), 0.1, "a known, a missing number");
  check::equal(column_difference(rows, 1, 0, 3), 0.2, "a missing, a known level");
  check::equal(column_difference(rows, 1, 1, 3), 0.4, "two missing levels");
}

CASE("all instructions give the same sums") {
  for (const ColumnGroups groups :
       {ColumnGroups{17, 3, 2, 3}, ColumnGroups{0, 1, 0, 0}, ColumnGroups{0, 0, 1, 0},
        ColumnGroups{8, 0, 0, 5}}) {
    const Made made = make(20, groups);
    const RowDistances portable(made.rows, Instructions::kPortable);
    std::vector<double> line(20);
    for (const Instructions instructions : kAll) {
      if (!has_instructions(instructions)) continue;
      const RowDistances distances(made.rows, instructions);
      distances.from(3, line);
      for (std::size_t b = 0; b < 20; ++b) {
        check::equal(distances.between(3, b), portable.between(3, b), "same bits");
        check::equal(line[b], portable.between(3, b), "a line");
        check::equal(line[b], plain_distance(made.rows, 3, b), "a sum", 1e-10);
        std::vector<double> sums(groups.total(), 1);
        distances.add_differences(3, b, 2, sums);
        for (std::size_t j = 0; j < sums.size(); ++j)
          check::equal(sums[j], 1 + 2 * column_difference(made.rows, 3, b, j), "added");
      }
    }
  }
}

CASE("coarse distances keep their bound") {
  for (const ColumnGroups groups :
       {ColumnGroups{101, 0, 0, 0}, ColumnGroups{6, 5, 4, 3}, ColumnGroups{0, 0, 1, 1},
        ColumnGroups{1, 2, 0, 7}, ColumnGroups{0, 0, 0, 0}})
    for (const std::size_t n : {1U, 15U, 16U, 50U}) {
      const Made made = make(n, groups, 40000);  // more levels than 15 bits hold
      const CoarseDistances portable(made.rows, Instructions::kPortable);
      std::vector<std::int32_t> anchors;
      for (std::size_t i = 0; i < n; i += 2)
        anchors.push_back(static_cast<std::int32_t>(i));
      std::vector<std::int32_t> expected(anchors.size() * portable.stride());
      portable.from(anchors, expected);
      bool bounded = true;
      for (std::size_t k = 0; k < anchors.size(); ++k)
        for (std::size_t b = 0; b < n; ++b) {
          const auto a = static_cast<std::size_t>(anchors[k]);
          const double off = expected[k * portable.stride() + b] -
                             portable.units() * plain_distance(made.rows, a, b);
          bounded = bounded && std::abs(off) < portable.error(a);
        }
      check::that(bounded, "within the bound, rows: " + std::to_string(n));
      for (const Instructions instructions : kAll) {
        if (!has_instructions(instructions)) continue;
        const CoarseDistances coarse(made.rows, instructions);
        std::vector<std::int32_t> got(expected.size());
        coarse.from(anchors, got);
        check::that(got == expected, "the same with all instructions");
      }
    }
}

CASE("sizes must fit") {
  const std::vector<double> values(6);
  check::refuses(
      [&] { RowDistances({values, {}, 2, {2, 0, 0, 0}}, Instructions::kPortable); },
      "too few columns");
}

}  // namespace
