#include "pairs/pair_tables.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "common/simd.hpp"
#include "pairs/bit_planes.hpp"

namespace featsieve {
namespace {

/// The table of logarithms where no count lies beyond it: no branch at every look.
struct WholeTable {
  const std::int64_t* values;
  std::int64_t operator()(std::size_t count) const { return values[count]; }
};

/// Adds x log2 x of the cells of one table to a sum, where cell_at(a, b), a and b
/// above 0, is counted and those of level 0 follow from the margins.
template <std::size_t kSecond, class CellAt, class Log>
FEATSIEVE_INLINE void add_cells(const CellAt& cell_at, const std::uint32_t* first,
                                const std::uint32_t* second, std::size_t n_first,
                                std::size_t n_second, const Log& log,
                                std::int64_t& sum) {
  // Of their own, so that the compiler knows that nothing else changes them.
  std::array<std::uint32_t, kSecond == 0 ? BitPlanes::kMostLevels : kSecond> rest;
  for (std::size_t b = 1; b < n_second; ++b) rest[b] = second[b];
  for (std::size_t a = 1; a < n_first; ++a) {
    std::uint32_t left = first[a];
    for (std::size_t b = 1; b < n_second; ++b) {
      const std::uint32_t count = cell_at(a, b);
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
  sum += log(corner);
}

/// Levels 0 mean "known at run time only".
template <bool kTotals, std::size_t kFirst, std::size_t kSecond>
void sum_run(const std::uint32_t* counts, std::size_t class_stride,
             const std::uint32_t* first_margins, std::span<const SecondFeature> seconds,
             std::size_t first_levels, std::size_t second_levels, std::size_t n_classes,
             const ExactLogTable& log, std::int64_t* sums) {
  constexpr std::size_t kMost = BitPlanes::kMostLevels;
  constexpr std::size_t kCells =
      kFirst * kSecond == 0 ? kMost * kMost : kFirst * kSecond;
  const std::size_t n_first = kFirst == 0 ? first_levels : kFirst;
  const std::size_t n_second = kSecond == 0 ? second_levels : kSecond;
  const auto sum_cells = [&](const SecondFeature& feature, const auto& logs) {
    const std::uint32_t* cells = counts + feature.lane;
    const std::uint32_t* first = first_margins;
    const std::uint32_t* second = feature.margins;
    std::array<std::uint32_t, kCells> totals;
    if constexpr (kTotals) std::fill_n(totals.begin(), n_first * n_second, 0U);
    std::int64_t sum = 0;
    for (std::size_t c = 0; c < n_classes; ++c) {
      const auto cell_at = [&](std::size_t a, std::size_t b) {
        const std::uint32_t count = cells[(a - 1) * kLanes + b - 1];
        if constexpr (kTotals) totals[a * n_second + b] += count;
        return count;
      };
      add_cells<kSecond>(cell_at, first, second, n_first, n_second, logs, sum);
      cells += class_stride;
      first += n_first;
      second += n_second;
    }
    std::int64_t of_totals = 0;
    if constexpr (kTotals)  // the margins of all classes are behind those of the last
      add_cells<kSecond>(
          [&](std::size_t a, std::size_t b) { return totals[a * n_second + b]; }, first,
          second, n_first, n_second, logs, of_totals);
    return sum - of_totals;
  };
  const auto sum_all = [&](const auto& logs) {
    for (std::size_t k = 0; k < seconds.size(); ++k)
      sums[k] = sum_cells(seconds[k], logs);
  };
  if (log.is_whole())
    sum_all(WholeTable{log.values()});
  else
    sum_all(log);
}

/// Fixed sizes let the compiler unroll the loops and keep the totals in registers.
constexpr std::size_t kFixed = 6;
constexpr std::size_t fixed(std::size_t levels) { return levels < 2 ? 0 : levels; }

template <bool kTotals, std::size_t... kBoth>
CellSums choose_sums(std::size_t first_levels, std::size_t second_levels,
                     std::index_sequence<kBoth...>) {
  static constexpr std::array<CellSums, sizeof...(kBoth)> kSums = {
      sum_run<kTotals, fixed(kBoth / kFixed), fixed(kBoth % kFixed)>...};
  return kSums[(first_levels < kFixed ? first_levels : 0) * kFixed +
               (second_levels < kFixed ? second_levels : 0)];
}

}  // namespace

GainsOfPair gains_of(const PairSums& sums, double unit) {
  if (sums.n == 0) return {};
  const auto of = [&](std::int64_t sum) {
    return std::max<std::int64_t>(0, sum + sums.classes);
  };
  const double per_unit = unit / static_cast<double>(sums.n);
  const std::int64_t joint = of(sums.joint);
  return {static_cast<double>(joint) * per_unit,
          static_cast<double>(joint - of(sums.first) - of(sums.second)) * per_unit};
}

CellSums choose_cell_sums(std::size_t first_levels, std::size_t second_levels) {
  return choose_sums<true>(first_levels, second_levels,
                           std::make_index_sequence<kFixed * kFixed>());
}

CellSums choose_joint_sums(std::size_t first_levels, std::size_t second_levels) {
  return choose_sums<false>(first_levels, second_levels,
                            std::make_index_sequence<kFixed * kFixed>());
}

void fill_table(const std::uint32_t* counts, std::size_t class_stride,
                const std::uint32_t* first_margins, const std::uint32_t* second_margins,
                std::size_t first_levels, std::size_t second_levels,
                std::size_t n_classes, std::vector<std::uint32_t>& table) {
  table.assign(n_classes * first_levels * second_levels, 0);
  for (std::size_t c = 0; c < n_classes; ++c) {
    std::uint32_t* cells = &table[c * first_levels * second_levels];
    for (std::size_t a = 0; a < first_levels; ++a)
      cells[a * second_levels] = first_margins[c * first_levels + a];
    for (std::size_t b = 1; b < second_levels; ++b) {
      std::uint32_t& top = cells[b];
      top = second_margins[c * second_levels + b];
      for (std::size_t a = 1; a < first_levels; ++a) {
        const std::uint32_t count = counts[c * class_stride + (a - 1) * kLanes + b - 1];
        cells[a * second_levels + b] = count;
        cells[a * second_levels] -= count;
        top -= count;
      }
      cells[0] -= top;
    }
  }
}

template <class Count>
PairSums TableSums<Count>::sum(const Count* table, std::size_t first_levels,
                               std::size_t second_levels, std::size_t n_classes,
                               std::size_t skip_first, std::size_t skip_second) {
  PairSums sums;
  cell_totals_.assign(first_levels * second_levels, 0);
  first_totals_.assign(first_levels, 0);
  second_totals_.assign(second_levels, 0);
  Count n = 0;
  for (std::size_t c = 0; c < n_classes; ++c) {
    const Count* cells = table + c * first_levels * second_levels;
    second_.assign(second_levels, 0);
    Count in_class = 0;
    for (std::size_t a = 0; a < first_levels; ++a) {
      if (a == skip_first) continue;
      Count in_row = 0;
      for (std::size_t b = 0; b < second_levels; ++b) {
        if (b == skip_second) continue;
        const Count count = cells[a * second_levels + b];
        sums.joint += log_of_(count);
        cell_totals_[a * second_levels + b] += count;
        second_[b] += count;
        in_row += count;
      }
      sums.first += log_of_(in_row);
      first_totals_[a] += in_row;
      in_class += in_row;
    }
    for (std::size_t b = 0; b < second_levels; ++b) {
      sums.second += log_of_(second_[b]);
      second_totals_[b] += second_[b];
    }
    sums.classes -= log_of_(in_class);
    n += in_class;
  }
  for (const Count total : cell_totals_) sums.joint -= log_of_(total);
  for (const Count total : first_totals_) sums.first -= log_of_(total);
  for (const Count total : second_totals_) sums.second -= log_of_(total);
  sums.classes += log_of_(n);
  sums.n = n;
  return sums;
}

template class TableSums<std::uint32_t>;
template class TableSums<std::int64_t>;

CodeOrder sort_by_code(const DenseColumn& column, std::size_t n_rows) {
  CodeOrder order;
  order.begin.assign(column.levels + std::size_t{1}, 0);
  order.rows.resize(n_rows);
  column.with_codes([&](const auto* codes) {
    for (std::size_t row = 0; row < n_rows; ++row)
      ++order.begin[codes[row] + std::size_t{1}];
    for (std::size_t level = 1; level < order.begin.size(); ++level)
      order.begin[level] += order.begin[level - 1];
    std::vector<std::uint32_t> next(order.begin);
    for (std::size_t row = 0; row < n_rows; ++row)
      order.rows[next[codes[row]]++] = static_cast<std::uint32_t>(row);
  });
  return order;
}

}  // namespace featsieve
