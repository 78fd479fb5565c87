#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "featsieve/popcount.hpp"
#include "featsieve/views.hpp"

namespace featsieve {

/// Told of every column in turn: its number of levels, and its contingency table of
/// levels + 1 rows (the last counts missing values) of n_classes cells, which lives
/// until the next call.
template <class Count>
using TableVisitor = std::function<void(std::size_t column, std::int32_t levels,
                                        std::span<const Count> cells)>;

/// Number of levels of every column: its largest code + 1.
template <class Code>
std::vector<std::int32_t> count_levels(const MatrixView<Code>& codes);

/// Count rows per level and class, for every column.
///
/// codes: any of uint8, uint16, int32; negative is missing. classes: one per row, each
/// in [0, n_classes). declared: levels of each column, which no code may exceed. If it
/// is empty they are the largest code + 1, or the levels that occur where the codes go
/// far beyond the number of rows. Columns are read in place when their rows are
/// contiguous, else in small tiles.
template <class Code>
void visit_counts(const MatrixView<Code>& codes, std::span<const std::int32_t> classes,
                  std::int32_t n_classes, std::span<const std::int32_t> declared,
                  const TableVisitor<std::int64_t>& visit,
                  Instructions instructions = best_instructions());

/// The same with a weight per row.
template <class Code>
void visit_weights(const MatrixView<Code>& codes, std::span<const std::int32_t> classes,
                   std::int32_t n_classes, std::span<const std::int32_t> declared,
                   std::span<const double> weights, const TableVisitor<double>& visit);

/// All tables of counts, one after another.
template <class Code>
std::vector<std::int64_t> count_by_class(const MatrixView<Code>& codes,
                                         std::span<const std::int32_t> classes,
                                         std::int32_t n_classes,
                                         std::span<const std::int32_t> declared);

}  // namespace featsieve
