#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "featsieve/contingency.hpp"
#include "featsieve/log_table.hpp"
#include "featsieve/missing.hpp"

namespace featsieve {

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
