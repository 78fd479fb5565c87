#include "featsieve/pair_tables.hpp"

#include <algorithm>
#include <array>

#include "featsieve/bit_planes.hpp"

namespace featsieve {
namespace {

/// The table of logarithms where no count lies beyond it: no branch at every look.
struct WholeTable {
  const std::int64_t* values;
  std::int64_t operator()(std::size_t count) const { return values[count]; }
};

/// Levels 0 mean "known at run time only".
template <std::size_t kFirst, std::size_t kSecond, class Log>
inline std::int64_t sum_cells(const std::uint32_t* counts, std::size_t class_stride,
                              const std::uint32_t* first_margins,
                              const std::uint32_t* second_margins,
                              std::size_t first_levels, std::size_t second_levels,
                              std::size_t n_classes, const Log& log) {
  constexpr std::size_t kMost = BitPlanes::kMostLevels;
  const std::size_t n_first = kFirst == 0 ? first_levels : kFirst;
  const std::size_t n_second = kSecond == 0 ? second_levels : kSecond;
  std::int64_t sum = 0;
  // Of their own, so that the compiler knows that nothing else changes them.
  std::array<std::uint32_t, kSecond == 0 ? kMost : kSecond> rest;
  std::array<std::uint32_t, kFirst * kSecond == 0 ? kMost * kMost : kFirst * kSecond>
      totals;
  std::fill_n(totals.begin(), n_first * n_second, 0U);
  for (std::size_t c = 0; c < n_classes; ++c) {
    const std::uint32_t* cells = counts + c * class_stride;
    const std::uint32_t* first = first_margins + c * n_first;
    const std::uint32_t* second = second_margins + c * n_second;
    for (std::size_t b = 1; b < n_second; ++b) rest[b] = second[b];
    for (std::size_t a = 1; a < n_first; ++a) {
      std::uint32_t left = first[a];
      for (std::size_t b = 1; b < n_second; ++b) {
        const std::uint32_t count = cells[(a - 1) * kLanes + b - 1];
        left -= count;
        rest[b] -= count;
        totals[a * n_second + b] += count;
        sum += log(count);
      }
      totals[a * n_second] += left;
      sum += log(left);
    }
    std::uint32_t corner = first[0];
    for (std::size_t b = 1; b < n_second; ++b) {
      corner -= rest[b];
      totals[b] += rest[b];
      sum += log(rest[b]);
    }
    totals[0] += corner;
    sum += log(corner);
  }
  for (std::size_t cell = 0; cell < n_first * n_second; ++cell)
    sum -= log(totals[cell]);
  return sum;
}

template <std::size_t kFirst, std::size_t kSecond>
void sum_run(const std::uint32_t* counts, std::size_t class_stride,
             const std::uint32_t* first_margins, std::span<const SecondFeature> seconds,
             std::size_t first_levels, std::size_t second_levels, std::size_t n_classes,
             const ExactLogTable& log, std::int64_t* sums) {
  const auto sum_all = [&](const auto& logs) {
    for (std::size_t k = 0; k < seconds.size(); ++k)
      sums[k] = sum_cells<kFirst, kSecond>(
          counts + seconds[k].lane, class_stride, first_margins, seconds[k].margins,
          first_levels, second_levels, n_classes, logs);
  };
  if (log.is_whole())
    sum_all(WholeTable{log.values()});
  else
    sum_all(log);
}

/// Fixed sizes let the compiler unroll the loops and keep the totals in registers.
template <std::size_t kFirst>
CellSums choose_second(std::size_t second_levels) {
  switch (second_levels) {
    case 2:
      return sum_run<kFirst, 2>;
    case 3:
      return sum_run<kFirst, 3>;
    case 4:
      return sum_run<kFirst, 4>;
    case 5:
      return sum_run<kFirst, 5>;
    default:
      return sum_run<kFirst, 0>;
  }
}

}  // namespace

CellSums choose_cell_sums(std::size_t first_levels, std::size_t second_levels) {
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

PairSums<std::int64_t> sum_table(const std::vector<std::uint32_t>& table,
                                 std::size_t first_levels, std::size_t second_levels,
                                 std::size_t n_classes, std::size_t skip_first,
                                 std::size_t skip_second, const ExactLogTable& log) {
  PairSums<std::int64_t> sums;
  std::vector<std::uint32_t> cell_totals(first_levels * second_levels, 0);
  std::vector<std::uint32_t> first_totals(first_levels, 0);
  std::vector<std::uint32_t> second_totals(second_levels, 0);
  std::vector<std::uint32_t> second(second_levels);
  std::uint32_t n = 0;
  for (std::size_t c = 0; c < n_classes; ++c) {
    const std::uint32_t* cells = &table[c * first_levels * second_levels];
    std::fill(second.begin(), second.end(), 0U);
    std::uint32_t in_class = 0;
    for (std::size_t a = 0; a < first_levels; ++a) {
      if (a == skip_first) continue;
      std::uint32_t in_row = 0;
      for (std::size_t b = 0; b < second_levels; ++b) {
        if (b == skip_second) continue;
        const std::uint32_t count = cells[a * second_levels + b];
        sums.joint += log(count);
        cell_totals[a * second_levels + b] += count;
        second[b] += count;
        in_row += count;
      }
      sums.first += log(in_row);
      first_totals[a] += in_row;
      in_class += in_row;
    }
    for (std::size_t b = 0; b < second_levels; ++b) {
      sums.second += log(second[b]);
      second_totals[b] += second[b];
    }
    sums.classes -= log(in_class);
    n += in_class;
  }
  for (const std::uint32_t total : cell_totals) sums.joint -= log(total);
  for (const std::uint32_t total : first_totals) sums.first -= log(total);
  for (const std::uint32_t total : second_totals) sums.second -= log(total);
  sums.classes += log(n);
  sums.n = n;
  return sums;
}

}  // namespace featsieve
