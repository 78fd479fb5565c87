#include <cstdint>
#include <numeric>
#include <vector>

#include "check.hpp"
#include "pairs/bit_planes.hpp"
#include "pairs/coded_data.hpp"
#include "pairs/pair_tables.hpp"
#include "pairs/plane_scanner.hpp"

using namespace featsieve;

namespace {

/// Tables from planes of bits, from rows and level by level say the same.
CASE("tables from planes and from rows agree") {
  for (const std::uint64_t n_classes : {1U, 3U}) {
    const CodedData data = make_data(500, {4, 6}, n_classes, 0.1);
    const ClassRows rows =
        sort_by_class(data.classes, static_cast<std::int32_t>(n_classes));
    BitPlanes planes(rows, 2, best_instructions());
    std::vector<DenseColumn> columns;
    visit_dense_columns(data.view(), rows, [&](std::size_t, DenseColumn& column) {
      planes.add(column);
      columns.push_back(column);
    });
    planes.finish();
    const auto& first = planes.features()[0];
    const auto& second = planes.features()[1];
    std::vector<std::uint32_t> counts;
    planes.count_common(planes.plane(first.first_plane), first.n_planes, second.group,
                        counts);
    const std::size_t stride = first.n_planes * kLanes;
    std::vector<std::uint32_t> from_planes;
    fill_table(counts.data() + second.lane, stride, planes.margins(first),
               planes.margins(second), first.levels, second.levels, n_classes,
               from_planes);
    std::vector<std::uint32_t> from_rows;
    count_table(columns[0], columns[1], rows, {}, from_rows);
    check::that(from_planes == from_rows, "cells");
    check::that(std::accumulate(from_rows.begin(), from_rows.end(), 0U) == 500,
                "all rows");

    const ExactLogTable log(500);
    const auto sums = TableSums<std::uint32_t>(log).sum(from_rows.data(), first.levels,
                                                        second.levels, n_classes);
    const SecondFeature only{second.lane, planes.margins(second)};
    std::int64_t joint = 0;
    choose_cell_sums(first.levels, second.levels)(
        counts.data(), stride, planes.margins(first), {&only, 1}, first.levels,
        second.levels, n_classes, log, &joint);
    check::that(joint == sums.joint, "sums over cells");
    if (n_classes > 1) continue;
    const CodeOrder order = sort_by_code(columns[0], 500);
    const LogOf log_of{&log};
    const std::size_t skip = first.levels - 1;
    const auto table = sum_joint(from_rows, second.levels, skip, 2, log_of);
    const auto by_level =
        walk_joint<std::uint32_t>(order, columns[1], skip, 2, {}, log_of);
    check::that(table.first == by_level.first && table.second == by_level.second &&
                    table.joint == by_level.joint && table.n == by_level.n,
                "sums without a row and a column");
  }
}

CASE("places of pairs") {
  std::size_t place = 0;
  for (std::size_t i = 2; i < 7; ++i)
    for (std::size_t j = i + 1; j < 9; ++j)
      check::that(place_of_pair(2, i, j, 9) == place++, "in order");
  check::that(count_pairs(2, 7, 9) == place, "all of them");
  check::that(count_pairs(0, 0, 0) == 0, "none");
}

}  // namespace
