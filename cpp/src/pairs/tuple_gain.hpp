#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/exact_log_table.hpp"
#include "counting/dense_column.hpp"
#include "featsieve/counting.hpp"

namespace featsieve {

/// Joint information gain of given sets of features with a class, in bits.
///
/// Rows are split into cells by one feature after another, O(n) each whatever the
/// number of levels. Sets that begin alike share the work of their beginning, so sorted
/// lists are cheapest. Memory: the codes once, in one byte (up to 256 levels) or four.
class TupleScanner {
 public:
  TupleScanner(const CodeMatrix& codes, std::span<const std::int32_t> classes,
               std::int32_t n_classes, Missing missing,
               std::span<const double> weights = {});

  /// One gain per set: features[begins[k]] to features[begins[k + 1]]. The empty set
  /// tells nothing. Throws std::out_of_range for a feature that is not there.
  std::vector<double> gains(std::span<const std::int32_t> features,
                            std::span<const std::int64_t> begins) const;

  /// The cell of every row, in class order; kNone for rows that are left out.
  struct Cells {
    std::vector<std::uint32_t> of_row;
    std::uint32_t n_cells = 0;
  };

  /// One cell of all rows that these features leave in.
  Cells whole(std::span<const std::size_t> features = {}) const;
  Cells split(const Cells& cells, std::size_t feature) const;

  /// Gain times rows; with weights, times their weight.
  struct Sum {
    std::int64_t units = 0;  // without weights, in units of the logarithm
    double bits = 0;         // with weights
    double n = 0;
  };
  Sum sum(const Cells& cells) const;

  /// In bits.
  double gain(const Cells& cells) const;

 private:
  template <class Count, class Value, class LogOf, class AmountOf>
  Value sum_of(const Cells& cells, const LogOf& log_of, const AmountOf& amount_of,
               double& n) const;
  std::uint32_t skipped_level(std::size_t feature) const;

  ClassRows rows_;
  Missing missing_;
  ExactLogTable log_;
  std::vector<DenseColumn> columns_;
  std::vector<double> weights_;  // in class order; empty without weights
};

}  // namespace featsieve
