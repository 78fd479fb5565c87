#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "featsieve/dense_column.hpp"
#include "featsieve/exact_log_table.hpp"
#include "featsieve/missing.hpp"
#include "featsieve/views.hpp"

namespace featsieve {

/// Joint information gain of given sets of features with a class, in bits.
///
/// Rows are split into cells by one feature after another, O(n) each whatever the
/// number of levels. Sets that begin alike share the work of their beginning, so sorted
/// lists are cheapest. Memory: the codes once, in one byte (up to 256 levels) or four.
class TupleScanner {
 public:
  template <class Code>
  TupleScanner(const MatrixView<Code>& codes, std::span<const std::int32_t> classes,
               std::int32_t n_classes, Missing missing,
               std::span<const double> weights = {});

  /// One gain per set: features[begins[k]] to features[begins[k + 1]]. The empty set
  /// tells nothing. Throws std::out_of_range for a feature that is not there.
  std::vector<double> gains(std::span<const std::int32_t> features,
                            std::span<const std::int64_t> begins) const;

 private:
  struct Cells;
  Cells whole() const;
  Cells split(const Cells& cells, std::size_t feature) const;
  double gain(const Cells& cells) const;
  template <class Count, class Value, class LogOf, class AmountOf>
  double gain_of(const Cells& cells, const LogOf& log_of, const AmountOf& amount_of,
                 double unit) const;

  ClassRows rows_;
  Missing missing_;
  ExactLogTable log_;
  std::vector<DenseColumn> columns_;
  std::vector<double> weights_;  // in class order; empty without weights
};

}  // namespace featsieve
