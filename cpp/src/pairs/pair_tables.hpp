#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "common/exact_log_table.hpp"
#include "counting/dense_column.hpp"

namespace featsieve {

/// x log2 x of counts, in exact units, and of weights, in bits.
struct LogOf {
  const ExactLogTable* table;

  std::int64_t operator()(std::uint32_t count) const { return (*table)(count); }
  std::int64_t operator()(std::int64_t count) const {
    return (*table)(static_cast<std::size_t>(count));
  }
  double operator()(double weight) const { return x_log2_x(weight); }
};
template <class Count>
using LogValue = decltype(LogOf{}(Count{}));

/// Sums of x log2 x over the rows that two columns both know, in units of the
/// logarithm. The gains follow by adding `classes`: n log2 n minus the sum over
/// classes.
struct PairSums {
  std::int64_t joint = 0;    // over cells and classes, minus over cells
  std::int64_t first = 0;    // the same for the first column alone
  std::int64_t second = 0;   // and the second
  std::int64_t classes = 0;  // n log2 n - sum of n_c log2 n_c
  std::int64_t n = 0;        // rows
};

/// Gains in bits; synergy is the joint gain minus both single ones.
struct GainsOfPair {
  double joint = 0;
  double synergy = 0;
};
GainsOfPair gains_of(const PairSums& sums, double unit);

/// A second feature of a run: its first lane, and its margins.
struct SecondFeature {
  std::size_t lane;
  const std::uint32_t* margins;
};

/// For one first and every one of several second features with the same number of
/// levels: sum of x log2 x over all cells and classes minus the sum over cells, from
/// counts of planes: cell (a, b) of class c, a and b above 0, at
/// counts[c * class_stride + (a - 1) * kLanes + lane + b - 1]. Cells of level 0 follow
/// from the margins, which for class c start at c * levels, and for all classes behind
/// those of the last. At most BitPlanes::kMostLevels levels.
using CellSums = void (*)(const std::uint32_t* counts, std::size_t class_stride,
                          const std::uint32_t* first_margins,
                          std::span<const SecondFeature> seconds,
                          std::size_t first_levels, std::size_t second_levels,
                          std::size_t n_classes, const ExactLogTable& log,
                          std::int64_t* sums);

/// The function for these numbers of levels; everyday sizes have one of their own.
CellSums choose_cell_sums(std::size_t first_levels, std::size_t second_levels);
/// The same of one class, without the sum over cells.
CellSums choose_joint_sums(std::size_t first_levels, std::size_t second_levels);

/// Whole tables per class from the same counts: cell (a, b) of class c at
/// [(c * first_levels + a) * second_levels + b].
void fill_table(const std::uint32_t* counts, std::size_t class_stride,
                const std::uint32_t* first_margins, const std::uint32_t* second_margins,
                std::size_t first_levels, std::size_t second_levels,
                std::size_t n_classes, std::vector<std::uint32_t>& table);

/// The same tables from rows: their numbers or, if there are any, their weights.
template <class Count>
void count_table(const DenseColumn& first, const DenseColumn& second,
                 const ClassRows& rows, std::span<const double> weights,
                 std::vector<Count>& table) {
  const std::size_t levels = second.levels;
  const std::size_t cells = first.levels * levels;
  table.assign(rows.n_classes() * cells, Count{0});
  first.with_codes([&](const auto* x) {
    second.with_codes([&](const auto* y) {
      for (std::size_t c = 0; c < rows.n_classes(); ++c) {
        Count* in_class = table.data() + c * cells;
        const std::size_t end = rows.begin[c + 1];
        for (std::size_t row = rows.begin[c]; row < end; ++row) {
          if constexpr (std::is_same_v<Count, double>)
            in_class[x[row] * levels + y[row]] += weights[row];
          else
            ++in_class[x[row] * levels + y[row]];
        }
      }
    });
  });
}

/// The sums of such tables without one row and one column; kNone keeps all. Holds
/// scratch memory.
template <class Count>
class TableSums {
 public:
  explicit TableSums(const ExactLogTable& log) : log_of_{&log} {}

  PairSums sum(const Count* table, std::size_t first_levels, std::size_t second_levels,
               std::size_t n_classes, std::size_t skip_first = kNone,
               std::size_t skip_second = kNone);

 private:
  LogOf log_of_;
  std::vector<Count> cell_totals_, first_totals_, second_totals_, second_;
};

/// Rows sorted by the codes of one column, stable.
struct CodeOrder {
  std::vector<std::uint32_t> rows;
  std::vector<std::uint32_t> begin;  // of each level, and the end
};
CodeOrder sort_by_code(const DenseColumn& column, std::size_t n_rows);

/// Sums of x log2 x over the cells of two columns without a class, and their margins.
template <class Count>
struct JointSums {
  LogValue<Count> first{};
  LogValue<Count> second{};
  LogValue<Count> joint{};
  Count n{};
};

/// Of a table with so many cells a row, without one row and one column.
template <class Count>
JointSums<Count> sum_joint(const std::vector<Count>& table, std::size_t width,
                           std::size_t skip_first, std::size_t skip_second,
                           const LogOf& log_of) {
  JointSums<Count> sums;
  std::vector<Count> totals(width, Count{0});
  for (std::size_t a = 0; a * width < table.size(); ++a) {
    if (a == skip_first) continue;
    Count total{0};
    for (std::size_t b = 0; b < width; ++b) {
      if (b == skip_second) continue;
      const Count count = table[a * width + b];
      sums.joint += log_of(count);
      total += count;
      totals[b] += count;
    }
    sums.first += log_of(total);
    sums.n += total;
  }
  for (const Count total : totals) sums.second += log_of(total);
  return sums;
}

/// The same from rows in the order of the first column, level by level, so that work
/// does not grow with the cells. weights: used if Count is double.
template <class Count>
JointSums<Count> walk_joint(const CodeOrder& order, const DenseColumn& second,
                            std::size_t skip_first, std::size_t skip_second,
                            std::span<const double> weights, const LogOf& log_of) {
  JointSums<Count> sums;
  std::vector<Count> in_level(second.levels, Count{0});
  std::vector<Count> totals(second.levels, Count{0});
  second.with_codes([&](const auto* codes) {
    for (std::size_t level = 0; level + 1 < order.begin.size(); ++level) {
      if (level == skip_first) continue;
      const std::span<const std::uint32_t> rows(
          order.rows.data() + order.begin[level],
          order.rows.data() + order.begin[level + 1]);
      Count total{0};
      for (const std::uint32_t row : rows) {
        if (codes[row] == skip_second) continue;
        Count amount{1};
        if constexpr (std::is_same_v<Count, double>) amount = weights[row];
        in_level[codes[row]] += amount;
        total += amount;
      }
      // Each cell is taken and cleared by the first of its rows.
      for (const std::uint32_t row : rows) {
        Count& cell = in_level[codes[row]];
        sums.joint += log_of(cell);
        totals[codes[row]] += cell;
        cell = Count{0};
      }
      sums.first += log_of(total);
      sums.n += total;
    }
  });
  for (const Count total : totals) sums.second += log_of(total);
  return sums;
}

}  // namespace featsieve
