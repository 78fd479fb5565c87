#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ranks/prefix_counter.hpp"
#include "ranks/ranked_column.hpp"

namespace featsieve {

/// Pairs of rows by how two columns order them. The five kinds add up to all pairs of
/// the rows that both columns know.
struct Concordance {
  std::int64_t rows = 0;
  std::int64_t concordant = 0;
  std::int64_t discordant = 0;
  std::int64_t tied_first = 0;  // in the first column only
  std::int64_t tied_second = 0;
  std::int64_t tied_both = 0;

  std::int64_t pairs() const { return rows * (rows - 1) / 2; }
};

/// Kendall's tau-b, and Goodman and Kruskal's gamma; 0 without a denominator, gamma
/// also with fewer untied pairs than min_untied.
double tau_b(const Concordance& counts);
double gamma(const Concordance& counts, std::int64_t min_untied);

/// Counts pairs of columns that are sorted already: one pass over the rows a pair.
/// Holds scratch space only; use one per thread.
class ConcordanceCounter {
 public:
  /// Rows that either column does not know are left out. Throws std::invalid_argument
  /// unless both have the same number of rows.
  Concordance count(const RankedColumn& first, const RankedColumn& second);

 private:
  std::int64_t count_untied(const RankedColumn& walked, const RankedColumn& other);
  Concordance count_tied(const RankedColumn& first, const RankedColumn& second);

  PrefixCounter seen_;
  std::vector<std::uint32_t> group_sizes_;
};

/// From a table of counts, levels of both columns ascending: n_first rows of n_second
/// cells.
Concordance concordance_of_table(std::span<const std::int64_t> table,
                                 std::size_t n_first, std::size_t n_second);

/// A column against "is of this class", for each class.
/// classes: each in [0, n_classes), checked.
std::vector<Concordance> count_by_class(const RankedColumn& column,
                                        std::span<const std::int32_t> classes,
                                        std::int32_t n_classes);

}  // namespace featsieve
