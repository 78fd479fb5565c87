#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "neighbours/neighbour_search.hpp"

using namespace featsieve;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Columns of small whole numbers, so that ties are everywhere and sums are exact.
struct Grid {
  std::vector<double> rows;
  std::vector<double> queries;
  std::vector<Difference> kinds;
  std::size_t n_rows;
  std::size_t n_queries;

  NeighbourTable view() const { return {rows, queries, kinds, n_rows, n_queries}; }
};

Grid make_grid(std::size_t n_rows, std::size_t n_queries, std::uint64_t seed) {
  Grid grid{{},
            {},
            {Difference::kNumeric, Difference::kNumericGaps, Difference::kNominal,
             Difference::kNumeric},
            n_rows,
            n_queries};
  std::uint64_t state = seed;
  const auto draw = [&](bool gaps) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    const auto number = static_cast<int>((state >> 33U) % 5);
    return gaps && number == 4 ? kNaN : static_cast<double>(number);
  };
  for (const Difference kind : grid.kinds) {
    const bool gaps = kind != Difference::kNumeric;
    for (std::size_t i = 0; i < n_rows; ++i) grid.rows.push_back(draw(gaps));
    for (std::size_t q = 0; q < n_queries; ++q) grid.queries.push_back(draw(gaps));
  }
  return grid;
}

double apart(const Grid& grid, std::span<const std::int32_t> columns, std::size_t q,
             std::size_t i) {
  double sum = 0;
  for (const std::int32_t number : columns) {
    const auto column = static_cast<std::size_t>(number);
    const double a = grid.rows[column * grid.n_rows + i];
    const double b = grid.queries[column * grid.n_queries + q];
    if (std::isnan(a) || std::isnan(b)) {
      sum += 1;
    } else if (grid.kinds[column] == Difference::kNominal) {
      sum += a == b ? 0 : 1;
    } else {
      sum += (a - b) * (a - b);
    }
  }
  return sum;
}

const std::vector<std::int32_t> kColumns{0, 1, 2, 0, 1, 3, 0, 1, 0, 1, 2, 3, 2, 3, 1};
const std::vector<std::int64_t> kBegins{0, 3, 6, 8, 12, 13, 15};

void distances_and_nearest_are_right(Instructions instructions) {
  if (!has_instructions(instructions)) return;
  for (const std::size_t n_rows : {1U, 7U, 64U, 131U})
    for (const std::size_t k : {1U, 3U, 5U, 9U, 40U}) {
      const Grid grid = make_grid(n_rows, 9, n_rows + k);
      std::vector<LeftOut> left_out(9);
      for (std::size_t q = 0; q < 9; ++q)
        left_out[q] = {static_cast<std::int32_t>(q % n_rows),
                       static_cast<std::int32_t>(std::min(n_rows, q % n_rows + q % 3))};
      const NeighbourSearch search(grid.view(), left_out, instructions);
      const SubsetList subsets{kColumns, kBegins};
      std::size_t visits = 0;
      search.each(
          subsets, k, {}, [&](std::size_t s, std::size_t q, const Nearby& nearby) {
            ++visits;
            std::vector<double> available;
            for (std::size_t i = 0; i < n_rows; ++i) {
              const auto row = static_cast<std::int32_t>(i);
              const bool out = row >= left_out[q].begin && row < left_out[q].end;
              const double expected = out ? std::numeric_limits<double>::infinity()
                                          : apart(grid, subsets[s], q, i);
              check::that(nearby.distances[i] == expected, "distance");
              if (!out) available.push_back(expected);
            }
            std::sort(available.begin(), available.end());
            const double bound =
                available.size() < k ? 1e9 : available[k - 1] * (1 + 1e-9);
            std::size_t found = 0;
            for (const std::int32_t row : nearby.nearest) {
              const double distance = nearby.distances[static_cast<std::size_t>(row)];
              check::that(std::isfinite(distance), "rows left out are not near");
              found += distance <= bound ? 1 : 0;
            }
            const auto expected =
                std::count_if(available.begin(), available.end(),
                              [&](double distance) { return distance <= bound; });
            check::equal(found, expected, "all near rows are found");
          });
      check::equal(visits, 6 * 9, "every subset and query");
    }
}

CASE("portable instructions") {
  distances_and_nearest_are_right(Instructions::kPortable);
}
CASE("AVX2") { distances_and_nearest_are_right(Instructions::kAvx2); }
CASE("AVX-512") { distances_and_nearest_are_right(Instructions::kAvx512); }

CASE("blocks do not matter") {
  // So many rows that a block has a single query.
  const Grid grid = make_grid(NeighbourSearch::kBlockBytes / 8 + 1, 3, 5);
  const NeighbourSearch search(grid.view(), {}, best_instructions());
  const SubsetList subsets{kColumns, kBegins};
  search.each(subsets, 2, {}, [&](std::size_t s, std::size_t q, const Nearby& nearby) {
    for (std::size_t i = 0; i < grid.n_rows; i += 997)
      check::that(nearby.distances[i] == apart(grid, subsets[s], q, i), "distance");
  });
}

CASE("ties are included") {
  const std::vector<double> distances{4, 1, 2, 2 * (1 + 1e-12), 3, 2};
  const std::vector<std::int32_t> nearest{0, 1, 2, 3, 4, 5};
  NeighbourLists lists;
  NearestWithTies two(2, {});
  two.append({distances, nearest}, 99, lists);
  check::that(lists.rows == std::vector<std::int32_t>{1, 2, 3, 5},
              "as near as the 2nd");
  NearestWithTies many(9, {});
  many.append({distances, nearest}, 99, lists);
  check::equal(lists[1].size(), 6, "fewer than asked for");
}

CASE("rows may stand for several") {
  const std::vector<double> distances{0, 1, 2, 3};
  const std::vector<std::int32_t> nearest{0, 1, 2, 3};
  const std::vector<std::int32_t> counts{2, 2, 1, 1};
  NeighbourLists lists;
  NearestWithTies three(3, counts);
  three.append({distances, nearest}, 0, lists);  // its own copy, and two others
  check::that(lists.rows == std::vector<std::int32_t>{0, 1}, "1 + 2 rows");
  three.append({distances, nearest}, 99, lists);
  check::equal(lists[1].size(), 2, "2 + 2 rows");
}

CASE("bad input is refused") {
  const Grid grid = make_grid(4, 2, 1);
  const NeighbourSearch search(grid.view(), {}, Instructions::kPortable);
  const auto run = [&](std::vector<std::int32_t> columns,
                       std::vector<std::int64_t> begins, std::size_t k) {
    search.each({columns, begins}, k, {}, [](auto, auto, const Nearby&) {});
  };
  check::throws<std::out_of_range>([&] { run({4}, {0, 1}, 1); }, "no such column");
  check::refuses([&] { run({0}, {0, 0, 1}, 1); }, "empty subset");
  check::refuses([&] { run({0}, {0, 2}, 1); }, "wrong end");
  check::refuses([&] { run({0}, {0, 1}, 0); }, "no neighbours");
  const std::vector<LeftOut> beyond(2, LeftOut{0, 5});
  check::refuses([&] { NeighbourSearch(grid.view(), beyond, Instructions::kPortable); },
                 "rows that are not there");
  const NeighbourTable short_table{grid.rows, {}, grid.kinds, 4, 2};
  check::refuses([&] { NeighbourSearch(short_table, {}, Instructions::kPortable); },
                 "too few values");
}

}  // namespace
