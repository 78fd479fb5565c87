#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "common/exact_log_table.hpp"
#include "counting/dense_column.hpp"

namespace featsieve {

/// No level at all, where a level to leave out is asked for.
inline constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

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
template <class Value>
struct PairSums {
  Value joint{};    // over cells and classes, minus over cells
  Value first{};    // the same for the first column alone
  Value second{};   // and the second
  Value classes{};  // n log2 n - sum of n_c log2 n_c
  double n = 0;     // rows, or their weight
};

/// Gains in bits; synergy is the joint gain minus both single ones.
struct GainsOfPair {
  double joint = 0;
  double synergy = 0;
};
template <class Value>
GainsOfPair gains_of(const PairSums<Value>& sums, double unit) {
  if (!(sums.n > 0)) return {};
  const Value joint = std::max(Value{0}, sums.joint + sums.classes);
  const Value first = std::max(Value{0}, sums.first + sums.classes);
  const Value second = std::max(Value{0}, sums.second + sums.classes);
  const double per_unit = unit / sums.n;
  return {static_cast<double>(joint) * per_unit,
          static_cast<double>(joint - first - second) * per_unit};
}

/// Rows (in class order) sorted by the codes of one column; stable, so classes ascend
/// within a level.
struct CodeOrder {
  std::vector<std::uint32_t> rows;
  std::vector<std::uint32_t> begin;  // of each level, and the end
};
CodeOrder sort_by_code(const DenseColumn& column, std::size_t n_rows);

/// Counts the cells of two columns level by level of the first. Work grows with the
/// rows alone, whatever the number of levels; memory with the levels of the second
/// column.
class CellWalk {
 public:
  CellWalk(const ClassRows& rows, const ExactLogTable& log,
           std::span<const double> weights);

  /// Whole counts. skip_first and skip_second: levels whose rows are left out.
  PairSums<std::int64_t> count(const CodeOrder& order, const DenseColumn& second,
                               std::uint32_t skip_first, std::uint32_t skip_second);

  /// Sums of the weights, in class order.
  PairSums<double> weigh(const CodeOrder& order, const DenseColumn& second,
                         std::uint32_t skip_first, std::uint32_t skip_second);

 private:
  template <class Count, class Code>
  auto walk(const CodeOrder& order, const Code* second, std::size_t levels,
            std::uint32_t skip_first, std::uint32_t skip_second,
            std::vector<Count>& in_class, std::vector<Count>& in_level);
  template <class Count>
  Count amount(std::uint32_t row) const {
    if constexpr (std::is_same_v<Count, double>)
      return weights_[row];
    else
      return 1;
  }

  LogOf log_of_;
  std::span<const double> weights_;  // in class order
  std::vector<std::uint32_t> class_of_;
  std::size_t n_classes_;
  std::vector<std::uint32_t> counts_in_class_;
  std::vector<std::uint32_t> counts_in_level_;
  std::vector<double> weights_in_class_;
  std::vector<double> weights_in_level_;
};

}  // namespace featsieve
