#include "neighbours/neighbour_search.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>

namespace featsieve {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLargest = std::numeric_limits<double>::max();

/// Up to so many neighbours the minima of groups are a close bound.
constexpr std::size_t kFewNeighbours = kMinima / 2;

/// Which sums over beginnings of subsets have to be kept for later subsets.
class Beginnings {
 public:
  explicit Beginnings(const SubsetList& subsets) : common_(subsets.size() + 1, 0) {
    for (std::size_t i = 1; i < subsets.size(); ++i)
      common_[i] = common_beginning(subsets[i - 1], subsets[i]);
  }

  /// Length of the beginning that subset i shares with the one before.
  std::size_t before(std::size_t i) const { return common_[i]; }

  /// Lengths, growing, beyond `known` that later subsets continue, less than `most`.
  std::vector<std::size_t> needed(std::size_t i, std::size_t known,
                                  std::size_t most) const {
    std::vector<std::size_t> lengths;
    std::size_t least = most;
    for (std::size_t next = i + 1; next < common_.size(); ++next) {
      const std::size_t common = std::min(least, common_[next]);
      if (common <= known) break;
      if (common < least || lengths.empty()) lengths.push_back(common);
      least = common;
    }
    std::reverse(lengths.begin(), lengths.end());
    return lengths;
  }

 private:
  std::vector<std::size_t> common_;
};

/// The sums over one beginning, for a block of queries.
struct Level {
  std::size_t length = 0;
  std::vector<double> sums;
};

/// One block of queries, and the beginnings that are waiting to be continued.
class Block {
 public:
  Block(const NeighbourTable& table, const DistanceLoops& loops, std::size_t most)
      : table_(table), loops_(loops), work_(most * table.n_rows) {
    levels_.push_back({0, std::vector<double>(most * table.n_rows)});
  }

  void begin(std::size_t first, std::size_t size, std::span<const LeftOut> left_out) {
    first_ = first;
    size_ = size;
    depth_ = 1;
    auto& sums = levels_[0].sums;
    std::fill(sums.begin(), sums.end(), 0.0);
    if (left_out.empty()) return;
    for (std::size_t q = 0; q < size; ++q) {
      double* row = sums.data() + q * table_.n_rows;
      std::fill(row + left_out[first + q].begin, row + left_out[first + q].end,
                kInfinity);
    }
  }

  /// Returns sums over all columns of a subset but the last, query by query.
  const double* all_but_last(std::span<const std::int32_t> columns, std::size_t subset,
                             const Beginnings& beginnings) {
    const std::size_t last = columns.size() - 1;
    const std::size_t common = std::min(beginnings.before(subset), last);
    while (levels_[depth_ - 1].length > common) --depth_;
    std::size_t length = levels_[depth_ - 1].length;
    const auto wanted = beginnings.needed(subset, length, last);
    const double* from = levels_[depth_ - 1].sums.data();
    for (const std::size_t end : wanted) {
      if (depth_ == levels_.size()) levels_.push_back({0, {}});
      Level& level = levels_[depth_++];
      level.length = end;
      level.sums.resize(work_.size());
      add(columns.subspan(length, end - length), from, level.sums.data());
      length = end;
      from = level.sums.data();
    }
    if (length == last) return from;
    add(columns.subspan(length, last - length), from, work_.data());
    return work_.data();
  }

 private:
  void add(std::span<const std::int32_t> columns, const double* from, double* to) {
    const std::size_t n = table_.n_rows;
    for (const std::int32_t number : columns) {
      const auto column = static_cast<std::size_t>(number);
      for (std::size_t q = 0; q < size_; ++q)
        loops_.add(table_.kinds[column], from + q * n, table_.rows_of(column),
                   table_.query(column, first_ + q), n, to + q * n);
      from = to;
    }
  }

  const NeighbourTable& table_;
  const DistanceLoops& loops_;
  std::vector<double> work_;
  std::vector<Level> levels_;
  std::size_t depth_ = 1;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

/// Returns the k-th smallest number. Every number passes all places, the smaller one
/// stays: no branch that could be predicted wrongly, and all places in registers.
template <std::size_t kK, std::size_t kSize>
double kth_smallest(const double* numbers) {
  double smallest[kK];
  for (double& place : smallest) place = kInfinity;
  for (std::size_t i = 0; i < kSize; ++i) {
    double number = numbers[i];
    for (double& place : smallest) {
      const double less = number < place ? number : place;
      number = number < place ? place : number;
      place = less;
    }
  }
  return smallest[kK - 1];
}

double kth_of_minima(std::array<double, kMinima>& minima, std::size_t k) {
  constexpr std::size_t kHalf = kMinima / 2;
  if (k <= 5) {  // half as many groups are still a close bound
    for (std::size_t i = 0; i < kHalf; ++i)
      minima[i] = std::min(minima[i], minima[i + kHalf]);
    switch (k) {
      case 1:
        return kth_smallest<1, kHalf>(minima.data());
      case 2:
        return kth_smallest<2, kHalf>(minima.data());
      case 3:
        return kth_smallest<3, kHalf>(minima.data());
      case 4:
        return kth_smallest<4, kHalf>(minima.data());
      default:
        return kth_smallest<5, kHalf>(minima.data());
    }
  }
  const auto nth = minima.begin() + static_cast<std::ptrdiff_t>(k - 1);
  std::nth_element(minima.begin(), nth, minima.end());
  return *nth;
}

/// Returns a number that the k-th smallest distance does not exceed.
double bound_of_kth(std::span<const double> distances, std::size_t k,
                    std::array<double, kMinima>& minima, std::vector<double>& scratch) {
  const auto nth = static_cast<std::ptrdiff_t>(k - 1);
  if (k <= kFewNeighbours) {
    const double bound = kth_of_minima(minima, k);
    if (bound < kInfinity) return bound;
  }
  if (k > distances.size()) return kLargest;
  scratch.assign(distances.begin(), distances.end());
  std::nth_element(scratch.begin(), scratch.begin() + nth, scratch.end());
  return std::min(scratch[k - 1], kLargest);
}

void check(const NeighbourTable& table, std::span<const LeftOut> left_out) {
  const std::size_t columns = table.n_columns();
  if (table.rows.size() != columns * table.n_rows ||
      table.queries.size() != columns * table.n_queries)
    throw std::invalid_argument("rows and queries must have a value per column");
  if (!left_out.empty() && left_out.size() != table.n_queries)
    throw std::invalid_argument("left_out must have one entry per query");
  for (const LeftOut& range : left_out)
    if (range.begin < 0 || range.begin > range.end ||
        static_cast<std::size_t>(range.end) > table.n_rows)
      throw std::invalid_argument("left_out must name existing rows");
}

}  // namespace

NeighbourSearch::NeighbourSearch(const NeighbourTable& table,
                                 std::span<const LeftOut> left_out,
                                 Instructions instructions)
    : table_(table),
      left_out_(left_out.begin(), left_out.end()),
      instructions_(instructions) {
  check(table, left_out);
}

void NeighbourSearch::each(const SubsetList& subsets, std::size_t n_neighbours,
                           std::span<const double> slack, const Visit& visit) const {
  check_subsets(subsets, table_.n_columns());
  if (n_neighbours == 0) throw std::invalid_argument("n_neighbours must be positive");
  if (!slack.empty() && slack.size() != subsets.size())
    throw std::invalid_argument("slack must have one entry per subset");
  const std::size_t n = table_.n_rows;
  if (n == 0 || table_.n_queries == 0) return;
  const DistanceLoops& loops = distance_loops(instructions_);
  const std::size_t at_once = std::min(
      table_.n_queries, std::max<std::size_t>(1, kBlockBytes / (n * sizeof(double))));
  const Beginnings beginnings(subsets);
  Block block(table_, loops, at_once);
  std::vector<double> distances(n);
  std::vector<double> scratch;
  std::vector<std::int32_t> found;
  for (std::size_t first = 0; first < table_.n_queries; first += at_once) {
    const std::size_t size = std::min(at_once, table_.n_queries - first);
    block.begin(first, size, left_out_);
    for (std::size_t s = 0; s < subsets.size(); ++s) {
      const auto columns = subsets[s];
      const double* sums = block.all_but_last(columns, s, beginnings);
      const auto last = static_cast<std::size_t>(columns.back());
      const auto add_and_bound =
          loops.add_and_bound[static_cast<std::size_t>(table_.kinds[last])];
      const double more = slack.empty() ? 0.0 : slack[s];
      for (std::size_t q = 0; q < size; ++q) {
        std::array<double, kMinima> minima;
        minima.fill(kInfinity);
        add_and_bound(sums + q * n, table_.rows_of(last), table_.query(last, first + q),
                      n, distances.data(), minima);
        const double kth = bound_of_kth(distances, n_neighbours, minima, scratch);
        found.clear();
        loops.collect(distances.data(), n,
                      std::min(kth * (1 + kSameDistance) + more, kLargest), found);
        visit(s, first + q, {distances, found});
      }
    }
  }
}

void NearestWithTies::append(const Nearby& nearby, std::size_t own,
                             NeighbourLists& lists) {
  if (counts_.empty() && nearby.nearest.size() <= n_neighbours_) {
    lists.rows.insert(lists.rows.end(), nearby.nearest.begin(), nearby.nearest.end());
    lists.begins.push_back(static_cast<std::int64_t>(lists.rows.size()));
    return;
  }
  near_.clear();
  for (const std::int32_t row : nearby.nearest) {
    const auto i = static_cast<std::size_t>(row);
    const std::int32_t count = counts_.empty() ? 1 : counts_[i];
    near_.push_back({nearby.distances[i], count - (i == own ? 1 : 0)});
  }
  double bound = kLargest;
  if (counts_.empty() && own >= nearby.distances.size()) {
    if (near_.size() >= n_neighbours_) {
      const auto nth = near_.begin() + static_cast<std::ptrdiff_t>(n_neighbours_ - 1);
      std::nth_element(
          near_.begin(), nth, near_.end(),
          [](const Near& a, const Near& b) { return a.distance < b.distance; });
      bound = nth->distance;
    }
  } else {
    std::sort(near_.begin(), near_.end(),
              [](const Near& a, const Near& b) { return a.distance < b.distance; });
    std::size_t total = 0;
    for (const Near& near : near_) {
      total += static_cast<std::size_t>(near.count);
      if (total < n_neighbours_) continue;
      bound = near.distance;
      break;
    }
  }
  bound = std::min(bound * (1 + kSameDistance), kLargest);
  for (const std::int32_t row : nearby.nearest)
    if (nearby.distances[static_cast<std::size_t>(row)] <= bound)
      lists.rows.push_back(row);
  lists.begins.push_back(static_cast<std::int64_t>(lists.rows.size()));
}

}  // namespace featsieve
