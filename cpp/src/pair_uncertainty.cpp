#include "featsieve/pair_uncertainty.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "featsieve/cell_walk.hpp"
#include "featsieve/pair_tables.hpp"

namespace featsieve {
namespace {

/// Planes of first features counted at a time.
constexpr std::size_t kBlockPlanes = 64;

/// As for joint gains (pair_scan.cpp): one histogram costs as much as this many pairs
/// of planes.
constexpr std::size_t kPlanePairsPerHistogram = 250;

/// A joint table may have this many cells, or four per row, before rows are walked.
constexpr std::size_t kSmallTable = 4096;

/// More cells than this are refused; only spread values need every cell.
constexpr std::size_t kMostCells = std::size_t{1} << 28U;

/// Sum of c log2 c over the cells of two columns, from counts of planes: cell (a, b), a
/// and b above 0, at counts[(a - 1) * kLanes + b - 1]; cells of level 0 follow from the
/// margins. Levels 0 mean "known at run time only".
template <std::size_t kFirst, std::size_t kSecond>
std::int64_t sum_joint(const std::uint32_t* counts, const std::uint32_t* first,
                       const std::uint32_t* second, std::size_t first_levels,
                       std::size_t second_levels, const ExactLogTable& log) {
  const std::size_t n_first = kFirst == 0 ? first_levels : kFirst;
  const std::size_t n_second = kSecond == 0 ? second_levels : kSecond;
  std::array<std::uint32_t, kSecond == 0 ? BitPlanes::kMostLevels : kSecond> rest;
  for (std::size_t b = 1; b < n_second; ++b) rest[b] = second[b];
  std::int64_t sum = 0;
  for (std::size_t a = 1; a < n_first; ++a) {
    std::uint32_t left = first[a];
    for (std::size_t b = 1; b < n_second; ++b) {
      const std::uint32_t count = counts[(a - 1) * kLanes + b - 1];
      left -= count;
      rest[b] -= count;
      sum += log(count);
    }
    sum += log(left);
  }
  std::uint32_t corner = first[0];
  for (std::size_t b = 1; b < n_second; ++b) {
    corner -= rest[b];
    sum += log(rest[b]);
  }
  return sum + log(corner);
}

using JointSum = std::int64_t (*)(const std::uint32_t*, const std::uint32_t*,
                                  const std::uint32_t*, std::size_t, std::size_t,
                                  const ExactLogTable&);

/// Fixed sizes let the compiler unroll the loops; 0 and 1 level are rare.
template <std::size_t kFirst>
JointSum choose_second(std::size_t levels) {
  constexpr std::array<JointSum, 6> kSums = {
      sum_joint<kFirst, 0>, sum_joint<kFirst, 0>, sum_joint<kFirst, 2>,
      sum_joint<kFirst, 3>, sum_joint<kFirst, 4>, sum_joint<kFirst, 5>};
  return levels < kSums.size() ? kSums[levels] : sum_joint<kFirst, 0>;
}

JointSum choose_sum(std::size_t first_levels, std::size_t second_levels) {
  switch (first_levels) {
    case 2:
      return choose_second<2>(second_levels);
    case 3:
      return choose_second<3>(second_levels);
    case 4:
      return choose_second<4>(second_levels);
    case 5:
      return choose_second<5>(second_levels);
    default:
      return choose_second<0>(second_levels);
  }
}

ClassRows one_class(std::size_t n_rows) {
  const std::vector<std::int32_t> zeros(n_rows, 0);
  return sort_by_class(zeros, 1);
}

struct SpreadTable {
  std::size_t rows;
  std::size_t columns;
  std::vector<double> cells;
};

/// Shares out what is missing on either side. Rows missing on one side go to that
/// side's levels in proportion to how frequent these are; rows missing on both go to
/// the cells in proportion to what was known on both, or stay a level of their own, as
/// in Weka, if nothing was. The missing level, where there is one, is the last.
template <class Count>
SpreadTable spread_table(const std::vector<Count>& table, std::size_t n_first,
                         std::size_t n_second, bool first_missing,
                         bool second_missing) {
  const std::size_t rows = n_first - (first_missing ? 1 : 0);
  const std::size_t columns = n_second - (second_missing ? 1 : 0);
  const auto at = [&](std::size_t a, std::size_t b) {
    return static_cast<double>(table[a * n_second + b]);
  };
  std::vector<double> row_totals(n_first, 0.0);
  std::vector<double> column_totals(n_second, 0.0);
  double known = 0;
  for (std::size_t a = 0; a < n_first; ++a)
    for (std::size_t b = 0; b < n_second; ++b) {
      row_totals[a] += at(a, b);
      column_totals[b] += at(a, b);
      if (a < rows && b < columns) known += at(a, b);
    }
  const auto sum_first = [](const std::vector<double>& totals, std::size_t size) {
    return std::accumulate(totals.begin(),
                           totals.begin() + static_cast<std::ptrdiff_t>(size), 0.0);
  };
  const double known_rows = sum_first(row_totals, rows);
  const double known_columns = sum_first(column_totals, columns);
  const double unknown = first_missing && second_missing ? at(rows, columns) : 0.0;
  const std::size_t own_level = unknown > 0 && !(known > 0) ? 1 : 0;
  SpreadTable result{rows + own_level, columns + own_level, {}};
  result.cells.assign(result.rows * result.columns, 0.0);
  if (own_level > 0) result.cells.back() = unknown;
  for (std::size_t a = 0; a < rows; ++a)
    for (std::size_t b = 0; b < columns; ++b) {
      double cell = at(a, b);
      if (first_missing && known_rows > 0)
        cell += row_totals[a] / known_rows * at(rows, b);
      if (second_missing && known_columns > 0)
        cell += column_totals[b] / known_columns * at(a, columns);
      if (known > 0) cell += at(a, b) / known * unknown;
      result.cells[a * result.columns + b] = cell;
    }
  return result;
}

}  // namespace

struct UncertaintyScanner::Scratch {
  std::vector<std::uint32_t> counts;  // of a tile
  std::vector<std::uint32_t> table;   // of a pair
  std::vector<double> weights;        // the same, weighted
  CodeOrder order;                    // of column ordered
  std::size_t ordered = ~std::size_t{0};
};

template <class Code>
UncertaintyScanner::UncertaintyScanner(const MatrixView<Code>& codes,
                                       std::span<const std::int32_t> classes,
                                       Missing missing, Instructions instructions,
                                       std::span<const double> weights)
    : rows_(one_class(codes.n_rows)),
      missing_(missing),
      log_(codes.n_rows),
      planes_(rows_, codes.n_columns + 1, instructions),
      weights_(weights.begin(), weights.end()) {
  if (classes.size() != codes.n_rows)
    throw std::invalid_argument("one class per row is needed");
  if (!weights.empty() && weights.size() != codes.n_rows)
    throw std::invalid_argument("one weight per row is needed");
  const MatrixView<std::int32_t> target{classes.data(), classes.size(), 1, 1,
                                        static_cast<std::ptrdiff_t>(classes.size())};
  const auto visit_all = [&](const auto& visit) {
    visit_dense_columns(codes, rows_, visit);
    visit_dense_columns(target, rows_, visit);
  };
  visit_all([&](std::size_t, DenseColumn& column) {
    planes_.add(column, weights_.empty());
    has_missing_.push_back(column.has_missing);
  });
  planes_.finish();
  if (needs_columns())
    visit_all([&](std::size_t, DenseColumn& column) {
      columns_.push_back(std::move(column));
      column = {};
    });
  for (const BitPlanes::Feature& column : planes_.features()) {
    std::int64_t total = 0;
    if (column.has_planes)
      for (std::size_t level = 0; level < column.levels; ++level)
        total += log_(planes_.margins(column)[level]);
    totals_.push_back(total);
  }
}

bool UncertaintyScanner::prefers_planes(std::size_t column,
                                        const BitPlanes::Group& group) const {
  const BitPlanes::Feature& first = planes_.features()[column];
  return first.has_planes &&
         first.n_planes * kLanes <= kPlanePairsPerHistogram * group.features.size();
}

bool UncertaintyScanner::needs_columns() const {
  for (std::size_t i = 0; i < planes_.features().size(); ++i) {
    if (!planes_.features()[i].has_planes) return true;
    for (const auto& group : planes_.groups())
      if (!prefers_planes(i, group)) return true;
  }
  return false;
}

std::uint32_t UncertaintyScanner::skipped_level(std::size_t column) const {
  const bool skip = missing_ == Missing::kIgnore && has_missing_[column];
  return skip ? planes_.features()[column].levels - 1 : kNone;
}

bool UncertaintyScanner::is_plain(std::size_t i, std::size_t j) const {
  return missing_ == Missing::kLevel || !(has_missing_[i] || has_missing_[j]);
}

std::vector<double> UncertaintyScanner::row(std::size_t column, Measure measure) const {
  if (column > n_features()) throw std::out_of_range("there is no such column");
  std::vector<double> values(n_features());
  scan(column, column + 1, false, measure,
       [&](std::size_t, std::size_t j, double value) {
         if (j < values.size()) values[j] = value;
       });
  return values;
}

void UncertaintyScanner::fill(std::size_t begin, std::size_t end, Measure measure,
                              std::span<double> matrix) const {
  const std::size_t p = n_features();
  if (begin > end || end > p)
    throw std::out_of_range("features must lie in [0, n_features]");
  if (matrix.size() != p * p) throw std::invalid_argument("the matrix must be square");
  scan(begin, end, true, measure, [&](std::size_t i, std::size_t j, double value) {
    if (j >= p) return;
    matrix[i * p + j] = value;
    matrix[j * p + i] = value;
  });
}

template <class Sink>
void UncertaintyScanner::scan(std::size_t begin, std::size_t end, bool upper,
                              Measure measure, const Sink& sink) const {
  if (measure == Measure::kGainRatio)
    throw std::invalid_argument("the gain ratio is not symmetrical");
  Scratch scratch;
  const auto& features = planes_.features();
  while (begin < end) {
    std::size_t block_end = begin;
    for (std::size_t n_planes = 0; block_end < end && block_end - begin < kBlockPlanes;
         ++block_end) {
      n_planes += features[block_end].n_planes;
      if (n_planes > kBlockPlanes && block_end > begin) break;
    }
    for (std::size_t g = 0; g < planes_.groups().size(); ++g)
      scan_tile(begin, block_end, g, upper, measure, scratch, sink);
    // Second columns without planes belong to no group.
    for (std::size_t i = begin; i < block_end; ++i)
      for (std::size_t j = upper ? i : 0; j < features.size(); ++j)
        if (!features[j].has_planes) sink(i, j, from_rows(i, j, measure, scratch));
    begin = block_end;
  }
}

template <class Sink>
void UncertaintyScanner::scan_tile(std::size_t begin, std::size_t end,
                                   std::size_t group, bool upper, Measure measure,
                                   Scratch& scratch, const Sink& sink) const {
  const BitPlanes::Group& second = planes_.groups()[group];
  const auto& features = planes_.features();
  const std::size_t last =
      upper ? std::min<std::size_t>(end, second.features.back() + std::size_t{1}) : end;
  for (std::size_t i = begin; i < last;) {
    if (!prefers_planes(i, second)) {
      for (const std::uint32_t j : second.features)
        if (!upper || j >= i) sink(i, j, from_rows(i, j, measure, scratch));
      ++i;
      continue;
    }
    // Planes of neighbouring features follow each other, so a run of them is one call.
    const std::size_t run_begin = i;
    std::size_t n_planes = 0;
    for (; i < last && prefers_planes(i, second); ++i) n_planes += features[i].n_planes;
    const std::size_t first_plane = features[run_begin].first_plane;
    scratch.counts.reserve(n_planes * kLanes + kLanes);
    if (n_planes > 0)
      planes_.count_common(planes_.plane(first_plane), n_planes, group, scratch.counts);
    for (std::size_t k = run_begin; k < i; ++k) {
      const std::size_t plane = features[k].first_plane - first_plane;
      for (const std::uint32_t j : second.features) {
        if (upper && j < k) continue;
        const std::uint32_t* counts =
            scratch.counts.data() + plane * kLanes + features[j].lane;
        sink(k, j, from_planes(k, j, counts, measure, scratch));
      }
    }
  }
}

double UncertaintyScanner::from_planes(std::size_t i, std::size_t j,
                                       const std::uint32_t* counts, Measure measure,
                                       Scratch& scratch) const {
  const BitPlanes::Feature& first = planes_.features()[i];
  const BitPlanes::Feature& second = planes_.features()[j];
  if (first.levels == 0) return 0;  // no rows
  if (is_plain(i, j)) {
    const JointSum sum = choose_sum(first.levels, second.levels);
    const std::int64_t cells =
        sum(counts, planes_.margins(first), planes_.margins(second), first.levels,
            second.levels, log_);
    return from_sums(totals_[i], totals_[j], cells,
                     static_cast<std::uint32_t>(rows_.order.size()), measure);
  }
  fill_table(counts, 0, planes_.margins(first), planes_.margins(second), first.levels,
             second.levels, 1, scratch.table);
  if (missing_ == Missing::kIgnore || i <= j)
    return from_table(i, j, measure, scratch.table);
  // Shares are not whole: the order of adding them must not depend on who asked.
  std::vector<std::uint32_t> turned(scratch.table.size());
  for (std::size_t a = 0; a < first.levels; ++a)
    for (std::size_t b = 0; b < second.levels; ++b)
      turned[b * first.levels + a] = scratch.table[a * second.levels + b];
  return from_table(j, i, measure, turned);
}

double UncertaintyScanner::from_rows(std::size_t i, std::size_t j, Measure measure,
                                     Scratch& scratch) const {
  if (i > j) std::swap(i, j);  // sums of weights must not depend on who asked
  const std::size_t cells = std::size_t{columns_[i].levels} * columns_[j].levels;
  if (cells == 0) return 0;  // no rows
  const bool shares = missing_ == Missing::kSpread && !is_plain(i, j);
  if (shares && cells > kMostCells)
    throw std::invalid_argument(
        "columns of so many levels cannot have their missing values spread");
  const bool fits = shares || cells <= std::max(kSmallTable, 4 * rows_.order.size());
  if (weights_.empty())
    return fits ? from_histogram(i, j, measure, scratch.table)
                : from_walk<std::uint32_t>(i, j, measure, scratch);
  return fits ? from_histogram(i, j, measure, scratch.weights)
              : from_walk<double>(i, j, measure, scratch);
}

template <class Count>
double UncertaintyScanner::from_histogram(std::size_t i, std::size_t j, Measure measure,
                                          std::vector<Count>& table) const {
  const DenseColumn& first = columns_[i];
  const DenseColumn& second = columns_[j];
  table.assign(std::size_t{first.levels} * second.levels, Count{0});
  const auto count = [&](const auto* x, const auto* y) {
    const std::size_t levels = second.levels;
    for (std::size_t row = 0; row < rows_.order.size(); ++row) {
      if constexpr (std::is_same_v<Count, double>)
        table[x[row] * levels + y[row]] += weights_[row];
      else
        ++table[x[row] * levels + y[row]];
    }
  };
  const auto with_first = [&](const auto* x) {
    if (second.is_narrow())
      count(x, second.narrow.data());
    else
      count(x, second.wide.data());
  };
  if (first.is_narrow())
    with_first(first.narrow.data());
  else
    with_first(first.wide.data());
  return from_table(i, j, measure, table);
}

/// Level by level of the first column, so that work does not grow with the cells.
template <class Count>
double UncertaintyScanner::from_walk(std::size_t i, std::size_t j, Measure measure,
                                     Scratch& scratch) const {
  using Value = std::conditional_t<std::is_same_v<Count, double>, double, std::int64_t>;
  if (scratch.ordered != i) {
    scratch.order = sort_by_code(columns_[i], rows_.order.size());
    scratch.ordered = i;
  }
  const DenseColumn& column = columns_[j];
  const std::uint32_t skip_first = skipped_level(i);
  const std::uint32_t skip_second = skipped_level(j);
  std::vector<Count> in_level(column.levels, Count{0});
  std::vector<Count> totals(column.levels, Count{0});
  Value sum_first{0};
  Value sum_second{0};
  Value sum_cells{0};
  Count n{0};
  const auto walk = [&](const auto* codes) {
    for (std::size_t level = 0; level + 1 < scratch.order.begin.size(); ++level) {
      if (level == skip_first) continue;
      const std::uint32_t* begin =
          scratch.order.rows.data() + scratch.order.begin[level];
      const std::uint32_t* end =
          scratch.order.rows.data() + scratch.order.begin[level + 1];
      Count total{0};
      for (const std::uint32_t* row = begin; row < end; ++row) {
        const std::uint32_t code = codes[*row];
        if (code == skip_second) continue;
        Count amount{1};
        if constexpr (std::is_same_v<Count, double>) amount = weights_[*row];
        in_level[code] += amount;
        total += amount;
      }
      // Each cell is taken and cleared by the first of its rows.
      for (const std::uint32_t* row = begin; row < end; ++row) {
        const std::uint32_t code = codes[*row];
        sum_cells += log_of(in_level[code]);
        totals[code] += in_level[code];
        in_level[code] = Count{0};
      }
      sum_first += log_of(total);
      n += total;
    }
  };
  if (column.is_narrow())
    walk(column.narrow.data());
  else
    walk(column.wide.data());
  for (const Count total : totals) sum_second += log_of(total);
  return from_sums(sum_first, sum_second, sum_cells, n, measure);
}

template <class Count>
double UncertaintyScanner::from_table(std::size_t i, std::size_t j, Measure measure,
                                      const std::vector<Count>& table) const {
  using Value = std::conditional_t<std::is_same_v<Count, double>, double, std::int64_t>;
  const std::size_t n_first = planes_.features()[i].levels;
  const std::size_t n_second = planes_.features()[j].levels;
  const auto sum = [&](const auto& cells, std::size_t rows, std::size_t columns,
                       std::size_t skip_first, std::size_t skip_second, auto zero) {
    using Amount = std::remove_cvref_t<decltype(cells[0])>;
    using Sum = decltype(zero);
    std::vector<Amount> column_totals(columns, Amount{0});
    Sum first{0};
    Sum second{0};
    Sum joint{0};
    Amount n{0};
    for (std::size_t a = 0; a < rows; ++a) {
      if (a == skip_first) continue;
      Amount total{0};
      for (std::size_t b = 0; b < columns; ++b) {
        if (b == skip_second) continue;
        const Amount count = cells[a * columns + b];
        joint += log_of(count);
        total += count;
        column_totals[b] += count;
      }
      first += log_of(total);
      n += total;
    }
    for (const Amount total : column_totals) second += log_of(total);
    return from_sums(first, second, joint, n, measure);
  };
  if (missing_ != Missing::kSpread || is_plain(i, j))
    return sum(table, n_first, n_second, skipped_level(i), skipped_level(j), Value{0});
  const SpreadTable shared =
      spread_table(table, n_first, n_second, has_missing_[i], has_missing_[j]);
  return sum(shared.cells, shared.rows, shared.columns, kNone, kNone, 0.0);
}

template <class Value, class Count>
double UncertaintyScanner::from_sums(Value first, Value second, Value cells, Count n,
                                     Measure measure) const {
  const auto size = static_cast<double>(n);
  if (!(size > 0)) return 0;
  const Value all = log_of(n);
  const double per_unit = std::is_same_v<Value, double> ? 1 / size : log_.unit() / size;
  const auto bits = [&](Value sum) {
    return std::max(0.0, static_cast<double>(all - sum) * per_unit);
  };
  TableEntropies entropies;
  entropies.feature = bits(first);
  entropies.target = bits(second);
  entropies.joint = bits(cells);
  return measure_of(entropies, measure);
}

template UncertaintyScanner::UncertaintyScanner(const MatrixView<std::uint8_t>&,
                                                std::span<const std::int32_t>, Missing,
                                                Instructions, std::span<const double>);
template UncertaintyScanner::UncertaintyScanner(const MatrixView<std::uint16_t>&,
                                                std::span<const std::int32_t>, Missing,
                                                Instructions, std::span<const double>);
template UncertaintyScanner::UncertaintyScanner(const MatrixView<std::int32_t>&,
                                                std::span<const std::int32_t>, Missing,
                                                Instructions, std::span<const double>);

}  // namespace featsieve
