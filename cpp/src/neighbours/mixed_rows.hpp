#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "featsieve/instructions.hpp"

namespace featsieve {

/// Columns of a table of rows lie in this order: complete numeric ones, complete
/// nominal ones, then numeric and nominal ones with missing values.
struct ColumnGroups {
  std::size_t numeric = 0;
  std::size_t nominal = 0;
  std::size_t numeric_gaps = 0;
  std::size_t nominal_gaps = 0;

  std::size_t complete() const { return numeric + nominal; }
  std::size_t with_gaps() const { return numeric_gaps + nominal_gaps; }
  std::size_t total() const { return complete() + with_gaps(); }
};

/// Rows of mixed columns that somebody else owns, and how they differ.
///
/// Two numbers (scaled to 0..1) differ by their distance, two levels (codes from 0) by
/// 0 or 1. A missing value is NaN; `expected` then says how much a known value differs
/// from a missing one, and, where the row's own value is missing, how much two missing
/// ones differ: all differences lie within 0..1.
struct MixedRows {
  std::span<const double> values;    // n_rows × total columns, row by row
  std::span<const double> expected;  // n_rows × columns with gaps, row by row
  std::size_t n_rows = 0;
  ColumnGroups groups;

  const double* row(std::size_t i) const { return values.data() + i * groups.total(); }
  const double* expected_of(std::size_t i) const {
    return expected.data() + i * groups.with_gaps();
  }
};

/// How much rows a and b differ in the column at `position` of the layout above.
double column_difference(const MixedRows& rows, std::size_t a, std::size_t b,
                         std::size_t position);

/// Distances of rows: sums of differences that are first rounded to a fine grid, a
/// power of two. Such sums are exact, so that two rows are equally far away, or not,
/// whatever the order of the columns, and whatever instructions add them up.
class RowDistances {
 public:
  RowDistances(const MixedRows& rows, Instructions instructions);

  const MixedRows& rows() const { return rows_; }

  double between(std::size_t a, std::size_t b) const;

  /// Writes the distances of row a from all rows.
  void from(std::size_t a, std::span<double> out) const;

  /// Adds weight × difference of rows a and b to `sums`, column by column.
  void add_differences(std::size_t a, std::size_t b, double weight,
                       std::span<double> sums) const;

 private:
  MixedRows rows_;
  double magic_;  // adding and subtracting it rounds to the grid
  bool wide_;
};

}  // namespace featsieve
