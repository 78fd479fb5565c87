#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "trees/case_lists.hpp"

using namespace featsieve;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

const std::vector<std::int32_t> kClasses{0, 1, 0, 1, -1, 1};

TreeTarget two_classes() { return {kClasses, 2, {}}; }

/// Six rows: a number with one missing value, and a level.
TreeColumns two_columns() {
  TreeColumns columns(6);
  columns.add_numeric(std::vector<double>{3, 1, 2, kNaN, 0, 4});
  columns.add_nominal(std::vector<std::int32_t>{0, 1, 2, 0, 1, -1}, 3);
  return columns;
}

CASE("rows without class or weight are out") {
  const TreeColumns columns = two_columns();
  const std::vector<double> weights{1, 2, 0, 1, 1, 1};
  const CaseLists lists(columns, two_classes(), weights, true);
  check::that(lists.root().size() == 4, "rows 0, 1, 3, 5");
  check::that(lists.root().whole && lists.whole_total() == 5, "whole weights");
  const auto sorted = lists.sorted(0, lists.root());
  const std::vector<std::uint32_t> order{1, 0, 5, 3};
  for (std::size_t i = 0; i < 4; ++i)
    check::that(sorted[i].number() == order[i], "in order, missing last");
}

CASE("weights beyond counts are not whole") {
  const TreeColumns columns = two_columns();
  const std::vector<double> halves(6, 0.5);
  check::that(!CaseLists(columns, two_classes(), halves, false).root().whole, "halves");
  const std::vector<double> huge(6, 536870912.0);
  const CaseLists lists(columns, two_classes(), huge, false);
  check::that(!lists.root().whole && lists.whole_total() == 0, "their sum is huge");
  const std::vector<double> great(6, 214748364.0);
  check::that(CaseLists(columns, two_classes(), great, false).root().whole,
              "just fits");
}

CASE("missing values make copies") {
  const TreeColumns columns = two_columns();
  CaseLists lists(columns, two_classes(), {}, true);
  lists.assign_cut(lists.root(), 0, 1);  // codes of 0, 1 | 2, 3, 4
  check::equal(lists.known_weights()[0], 1, "row 1");
  check::equal(lists.known_weights()[1], 3, "rows 0, 2, 5");
  check::that(lists.n_unassigned() == 1 && lists.heaviest() == 1, "row 3");
  lists.send_copies(0.0, 0.0);
  std::vector<double> sums;
  lists.branch_sums(lists.root(), sums);
  check::that(sums == std::vector<double>{0, 1.25, 2, 1.75}, "a quarter to the left");
  std::vector<Segment> segments;
  lists.divide(lists.root(), std::vector<std::uint8_t>{1, 1}, segments);
  check::that(segments[0].size() == 2 && segments[1].size() == 4, "sizes");
  check::that(segments[1].begin == 0, "the last branch comes first");
  check::that(!segments[0].whole, "parts are not whole");
  const auto left = lists.sorted(0, segments[0]);
  check::that(lists.row(left[1].number()) == 3, "the copy knows its row");
  check::that(left[1].code() == kMissingCode, "and that its value is missing");
  lists.forget_copies(lists.root());
  check::that(lists.data().weight.size() == 6, "copies are gone");
}

CASE("small parts are divided no further") {
  const TreeColumns columns = two_columns();
  CaseLists lists(columns, two_classes(), {}, true);
  lists.assign_cut(lists.root(), 0, 1);
  lists.send_copies(0.0, 2.0);  // every case is below twice its weight
  std::vector<double> sums;
  lists.branch_sums(lists.root(), sums);
  check::that(sums == std::vector<double>{0, 1, 2, 2}, "to the heaviest branch");
}

CASE("branches without a share get no copy") {
  const TreeColumns columns = two_columns();
  CaseLists lists(columns, two_classes(), {}, false);
  const std::vector<std::uint32_t> branches{0, 1, 2};
  lists.assign_levels(lists.root(), 1, branches, 3);
  // Rows 0 and 3, row 1, row 2; row 5 misses the value.
  lists.send_copies(0.3, 0.0);
  std::vector<double> sums;
  lists.branch_sums(lists.root(), sums);
  check::that(sums == std::vector<double>{1, 1.5, 0, 1, 1, 0}, "half, no quarters");
  std::vector<Segment> segments;
  lists.divide(lists.root(), std::vector<std::uint8_t>{1, 0, 1}, segments);
  check::that(segments[0].size() == 3 && segments[1].size() == 0, "open ones only");
}

CASE("bad targets are refused") {
  const TreeColumns columns = two_columns();
  const std::vector<std::int32_t> few{0, 1};
  check::refuses([&] { CaseLists(columns, {few, 2, {}}, {}, false); }, "length");
  check::throws<std::out_of_range>(
      [&] { CaseLists(columns, {kClasses, 1, {}}, {}, false); }, "class");
  check::refuses(
      [&] { CaseLists(columns, two_classes(), std::vector<double>{1}, false); },
      "weights");
}

}  // namespace
