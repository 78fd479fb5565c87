#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <variant>
#include <vector>

#include "featsieve/instructions.hpp"
#include "featsieve/log_table.hpp"

// Tables of levels by classes, and what they tell about the class.

namespace featsieve {

/// A matrix of codes that somebody else owns. Strides count elements, not bytes.
/// A negative code is a missing value.
template <class Code>
struct MatrixView {
  const Code* data;
  std::size_t n_rows;
  std::size_t n_columns;
  std::ptrdiff_t row_stride;
  std::ptrdiff_t column_stride;

  const Code& operator()(std::size_t row, std::size_t column) const {
    return data[static_cast<std::ptrdiff_t>(row) * row_stride +
                static_cast<std::ptrdiff_t>(column) * column_stride];
  }
};

/// Codes in any of the types that kernels read.
using CodeMatrix = std::variant<MatrixView<std::uint8_t>, MatrixView<std::uint16_t>,
                                MatrixView<std::int32_t>>;

inline std::size_t rows_of(const CodeMatrix& codes) {
  return std::visit([](const auto& view) { return view.n_rows; }, codes);
}
inline std::size_t columns_of(const CodeMatrix& codes) {
  return std::visit([](const auto& view) { return view.n_columns; }, codes);
}

/// What becomes of rows whose feature is missing.
enum class Missing : std::uint8_t {
  kLevel,   // missing is one more level
  kIgnore,  // such rows are left out
  kSpread,  // such rows are shared out over the levels, class by class, in proportion
            // to how frequent each level is; for single features only
};

/// Told of every column in turn: its number of levels, and its contingency table of
/// levels + 1 rows (the last counts missing values) of n_classes cells, which lives
/// until the next call.
template <class Count>
using TableVisitor = std::function<void(std::size_t column, std::int32_t levels,
                                        std::span<const Count> cells)>;

/// Number of levels of every column: its largest code + 1.
std::vector<std::int32_t> count_levels(const CodeMatrix& codes);

/// Count rows per level and class, for every column.
///
/// codes: negative ones are missing. classes: one per row, each
/// in [0, n_classes). declared: levels of each column, which no code may exceed. If it
/// is empty they are the largest code + 1, or the levels that occur where the codes go
/// far beyond the number of rows. Columns are read in place when their rows are
/// contiguous, else in small tiles.
void visit_counts(const CodeMatrix& codes, std::span<const std::int32_t> classes,
                  std::int32_t n_classes, std::span<const std::int32_t> declared,
                  const TableVisitor<std::int64_t>& visit,
                  Instructions instructions = best_instructions());

/// The same with a weight per row.
void visit_weights(const CodeMatrix& codes, std::span<const std::int32_t> classes,
                   std::int32_t n_classes, std::span<const std::int32_t> declared,
                   std::span<const double> weights, const TableVisitor<double>& visit);

/// All tables of counts, one after another.
std::vector<std::int64_t> count_by_class(const CodeMatrix& codes,
                                         std::span<const std::int32_t> classes,
                                         std::int32_t n_classes,
                                         std::span<const std::int32_t> declared);

enum class Measure : std::uint8_t {
  kInformationGain,
  kGainRatio,
  kSymmetricalUncertainty,
};

/// Everything the measures of one column against the class are made of. Entropies are
/// in bits and refer to the rows that count under the chosen treatment of missing
/// values; `known` is their weight, `total` that of all rows.
struct TableEntropies {
  double total = 0;
  double known = 0;
  double feature = 0;  // H(x)
  double target = 0;   // H(y)
  double joint = 0;    // H(x, y)
  double levels = 0;   // levels that occur
  double classes = 0;  // classes that occur
  double cells = 0;    // cells that are not empty
};

/// table: (levels + 1) rows of n_classes cells, the last row for missing values.
TableEntropies table_entropies(std::span<const std::int64_t> table,
                               std::size_t n_classes, Missing missing,
                               const LogTable& logs);
TableEntropies table_entropies(std::span<const double> table, std::size_t n_classes,
                               Missing missing);

/// The measure itself; 0 where its denominator is 0, never below 0.
double measure_of(const TableEntropies& entropies, Measure measure);

/// Mean of the mutual information (in bits) over all tables with these margins, under
/// the hypergeometric law: what an irrelevant feature gains on average.
double expected_information(std::span<const std::int64_t> row_totals,
                            std::span<const std::int64_t> column_totals);

}  // namespace featsieve
