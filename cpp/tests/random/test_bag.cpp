#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "random/bag.hpp"

using namespace featsieve;

namespace {

CASE("bags hold as many rows as there are") {
  double drawn = 0;
  for (const double count : draw_bag(1000, {}, 3, false)) drawn += count;
  check::equal(drawn, 1000, "rows drawn");
  const std::vector<double> chances{0, 1, 0, 3, 0};
  const auto bag = draw_bag(5, chances, 3, false);
  check::equal(bag[1] + bag[3], 5, "never a row without a chance");
  for (const double count : draw_bag(5, chances, 3, true))
    check::that(count == 0 || count == 1, "distinct rows count once");
  check::that(draw_bag(0, {}, 3, false).empty(), "nothing of nothing");
  check::refuses([&] { draw_bag(4, chances, 3, false); }, "a chance too many");
}

}  // namespace
