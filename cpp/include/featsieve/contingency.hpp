#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "featsieve/views.hpp"

namespace featsieve {

/// Contingency tables of several columns against one class, one after another.
/// Table j has levels[j] + 1 rows (the last counts missing values) of n_classes cells,
/// and starts at offsets[j].
template <class Count>
struct ClassTables {
  std::vector<Count> counts;
  std::vector<std::size_t> offsets;
  std::vector<std::int32_t> levels;
};

/// Number of levels of every column: its largest code + 1.
template <class Code>
std::vector<std::int32_t> count_levels(const MatrixView<Code>& codes);

/// Count rows per level and class, for every column.
///
/// codes: any of uint8, uint16, int32; negative is missing. classes: one per row, each
/// in [0, n_classes). declared: levels of each column, which no code may exceed; empty
/// to take those that occur. Columns are read in place when their rows are contiguous,
/// else in small tiles.
template <class Code>
ClassTables<std::int64_t> count_by_class(const MatrixView<Code>& codes,
                                         std::span<const std::int32_t> classes,
                                         std::int32_t n_classes,
                                         std::span<const std::int32_t> declared);

/// The same with a weight per row.
template <class Code>
ClassTables<double> weigh_by_class(const MatrixView<Code>& codes,
                                   std::span<const std::int32_t> classes,
                                   std::int32_t n_classes,
                                   std::span<const std::int32_t> declared,
                                   std::span<const double> weights);

}  // namespace featsieve
