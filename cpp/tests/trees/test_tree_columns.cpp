#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "featsieve/trees.hpp"

using namespace featsieve;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

CASE("numbers are coded by rank") {
  TreeColumns columns(7);
  columns.add_numeric(
      std::vector<double>{2.5, kNaN, -kInfinity, 0.0, -0.0, kInfinity, 2.5});
  const std::vector<std::uint32_t> expected{2, kMissingCode, 0, 1, 1, 3, 2};
  for (std::size_t i = 0; i < 7; ++i)
    check::that(columns.codes(0)[i] == expected[i], "code " + std::to_string(i));
  check::that(columns.n_codes(0) == 4, "four different values");
  check::that(columns.has_missing(0) && !columns.is_nominal(0), "kind");
  check::equal(columns.values(0)[2], 2.5, "value of a code");
}

CASE("levels are codes") {
  TreeColumns columns(3);
  columns.add_nominal(std::vector<std::int32_t>{1, -1, 0}, 5);
  check::that(columns.codes(0)[0] == 1 && columns.codes(0)[1] == kMissingCode, "codes");
  check::that(columns.n_codes(0) == 5, "declared levels count, present or not");
  check::that(columns.has_missing(0) && columns.is_nominal(0), "kind");
}

CASE("columns are selected") {
  TreeColumns columns(2);
  columns.add_numeric(std::vector<double>{7.0, 3.0});
  columns.add_nominal(std::vector<std::int32_t>{1, -1}, 4);
  const TreeColumns turned = columns.select(std::vector<std::uint32_t>{1, 0, 1});
  check::that(turned.n_columns() == 3 && turned.n_rows() == 2, "shape");
  check::that(turned.is_nominal(0) && !turned.is_nominal(1), "order");
  check::that(turned.codes(1)[0] == 1 && turned.n_codes(2) == 4, "codes");
  check::that(columns.select({}).n_columns() == 0, "none");
  check::throws<std::out_of_range>(
      [&] { columns.select(std::vector<std::uint32_t>{2}); }, "column");
}

CASE("bad columns are refused") {
  TreeColumns columns(2);
  check::refuses([&] { columns.add_numeric(std::vector<double>{1.0}); }, "length");
  check::throws<std::out_of_range>(
      [&] { columns.add_nominal(std::vector<std::int32_t>{0, 2}, 2); }, "level");
  check::refuses(
      [&] { columns.add_nominal(std::vector<std::int32_t>{0, 1}, 0x80000000U); },
      "levels");
  check::refuses([] { TreeColumns{0x7FFFFFFFU}; }, "rows");
  check::that(columns.n_columns() == 0, "nothing was added");
}

}  // namespace
