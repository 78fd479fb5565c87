#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "trees/shadows.hpp"

using namespace featsieve;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TreeColumns some_columns() {
  TreeColumns columns(6);
  columns.add_numeric(std::vector<double>{5, 1, 3, 2, 6, 4});
  columns.add_numeric(std::vector<double>{2, 1, 1, kNaN, 2, 7});
  columns.add_nominal(std::vector<std::int32_t>{0, 1, 0, -1, 1, 1}, 2);
  return columns;
}

CASE("shadows_are_permutations") {
  const TreeColumns columns = some_columns();
  const Shadows shadows(columns, 8, 8, 3);
  std::set<std::vector<std::uint32_t>> different;
  for (std::size_t shadow = 0; shadow < 8; ++shadow) {
    const auto rows = shadows.order(shadow);
    std::vector<std::uint32_t> sorted(rows.begin(), rows.end());
    different.insert(sorted);
    std::sort(sorted.begin(), sorted.end());
    check::that(sorted == std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5}, "all rows");
  }
  check::that(different.size() > 1, "not all the same");
  const Shadows again(columns, 8, 8, 3);
  check::that(std::ranges::equal(again.order(5), shadows.order(5)), "by seed");
}

CASE("places_count_smaller_values") {
  const TreeColumns columns = some_columns();
  const Shadows shadows(columns, 1, 1, 3);
  check::that(shadows.places(0).empty(), "codes of different values are places");
  const std::vector<std::uint32_t> expected{0, 2, 4};
  check::that(std::ranges::equal(shadows.places(1), expected), "ties and gaps");
  check::that(shadows.places(2).empty(), "levels have none");
}

CASE("orders_may_be_given") {
  const TreeColumns columns = some_columns();
  const std::vector<std::vector<std::uint32_t>> orders{{1, 0, 3, 2, 5, 4},
                                                       {0, 0, 1, 1, 2, 2}};
  const Shadows shadows(columns, 2, orders);
  check::that(shadows.n_shadows() == 2, "as many as orders");
  check::that(std::ranges::equal(shadows.order(1), orders[1]), "as they are");
}

CASE("there_must_be_one") {
  using Orders = std::vector<std::vector<std::uint32_t>>;
  const TreeColumns columns = some_columns();
  check::refuses([&] { Shadows(columns, 0, 0, 1); }, "no shadow");
  check::refuses([&] { Shadows(columns, 1, Orders{}); }, "none");
  check::refuses([&] { Shadows(columns, 1, Orders{{0, 1}}); }, "length");
  check::throws<std::out_of_range>(
      [&] { Shadows(columns, 1, Orders{{0, 1, 2, 3, 4, 6}}); }, "no such row");
}

}  // namespace
