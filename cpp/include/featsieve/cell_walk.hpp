#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "featsieve/dense_column.hpp"
#include "featsieve/exact_log_table.hpp"

namespace featsieve {

/// No level at all, where a level to leave out is asked for.
inline constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

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
  template <class Count, class Value, class Code>
  PairSums<Value> walk(const CodeOrder& order, const Code* second, std::size_t levels,
                       std::uint32_t skip_first, std::uint32_t skip_second,
                       std::vector<Count>& in_class, std::vector<Count>& in_level);
  template <class Count>
  Count amount(std::uint32_t row) const {
    if constexpr (std::is_same_v<Count, double>)
      return weights_[row];
    else
      return 1;
  }
  std::int64_t log_of(std::uint32_t count) const { return (*log_)(count); }
  static double log_of(double weight) { return x_log2_x(weight); }

  const ExactLogTable* log_;
  std::span<const double> weights_;  // in class order
  std::vector<std::uint32_t> class_of_;
  std::size_t n_classes_;
  std::vector<std::uint32_t> counts_in_class_;
  std::vector<std::uint32_t> counts_in_level_;
  std::vector<double> weights_in_class_;
  std::vector<double> weights_in_level_;
};

}  // namespace featsieve
