#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "neighbours/distance_rows.hpp"
#include "neighbours/subset_list.hpp"

namespace featsieve {

/// Distances within this relative difference are equal: contributions of the same size
/// may be rounded differently, and are added in another order for another subset.
inline constexpr double kSameDistance = 1e-9;

/// Rows and queries, column by column, that somebody else owns.
struct NeighbourTable {
  std::span<const double> rows;     // n_columns × n_rows
  std::span<const double> queries;  // n_columns × n_queries
  std::span<const Difference> kinds;
  std::size_t n_rows = 0;
  std::size_t n_queries = 0;

  std::size_t n_columns() const { return kinds.size(); }
  const double* rows_of(std::size_t column) const {
    return rows.data() + column * n_rows;
  }
  double query(std::size_t column, std::size_t q) const {
    return queries[column * n_queries + q];
  }
};

/// Rows that are no neighbours of a query: from `begin` up to, not including, `end`.
struct LeftOut {
  std::int32_t begin = 0;
  std::int32_t end = 0;
};

/// What is known about the rows near one query, in one subset of columns.
struct Nearby {
  std::span<const double> distances;      // squared, of all rows; infinite if left out
  std::span<const std::int32_t> nearest;  // in order of rows: candidates for neighbours
};

/// Squared distances of queries from all rows, for many subsets of columns.
///
/// A block of queries is worked on for all subsets before the next one, so that the sum
/// over a common beginning is computed once and stays in the cache; no matrix of all
/// distances is ever kept. Memory: kBlockBytes for every beginning that is waiting to
/// be continued, at most 2 + log2 of the columns in a subset when searching backward.
class NeighbourSearch {
 public:
  static constexpr std::size_t kBlockBytes = std::size_t{1} << 17U;

  /// `left_out` is empty or has an entry per query.
  NeighbourSearch(const NeighbourTable& table, std::span<const LeftOut> left_out,
                  Instructions instructions);

  using Visit =
      std::function<void(std::size_t subset, std::size_t query, const Nearby&)>;

  /// Calls `visit` for every subset and query, queries in order within a subset.
  /// `nearest` holds at least all rows whose distance is at most that of the
  /// `n_neighbours`-th nearest row, enlarged by kSameDistance and `slack`, which has an
  /// entry per subset or is empty.
  void each(const SubsetList& subsets, std::size_t n_neighbours,
            std::span<const double> slack, const Visit& visit) const;

  const NeighbourTable& table() const { return table_; }

 private:
  NeighbourTable table_;
  std::vector<LeftOut> left_out_;
  Instructions instructions_;
};

/// Neighbours of every query, one after the other.
struct NeighbourLists {
  std::vector<std::int32_t> rows;
  std::vector<std::int64_t> begins{0};

  std::span<const std::int32_t> operator[](std::size_t q) const {
    const auto begin = static_cast<std::size_t>(begins[q]);
    return {rows.data() + begin, static_cast<std::size_t>(begins[q + 1]) - begin};
  }
};

/// Finds the k nearest rows and all that are as near as the last of them. A row may
/// stand for several: `counts` says how many, and is empty if each stands for itself.
class NearestWithTies {
 public:
  NearestWithTies(std::size_t n_neighbours, std::span<const std::int32_t> counts)
      : n_neighbours_(n_neighbours), counts_(counts) {}

  /// Appends them to `lists`. `own` stands for one less, being the query itself (or is
  /// beyond all rows).
  void append(const Nearby& nearby, std::size_t own, NeighbourLists& lists);

 private:
  struct Near {
    double distance;
    std::int32_t count;
  };
  std::size_t n_neighbours_;
  std::span<const std::int32_t> counts_;
  std::vector<Near> near_;
};

}  // namespace featsieve
