#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "featsieve/counting.hpp"
#include "pairs/pair_tables.hpp"
#include "pairs/plane_scanner.hpp"

namespace featsieve {

/// How much any two columns tell about each other: mutual information in bits or
/// symmetrical uncertainty, between features and with the class.
///
/// The scanner keeps its own encoding of the codes, O(n p); a row of the matrix then
/// costs O(n p) with a constant far below that of counting rows one by one, so searches
/// ask for the rows they need. The class is one more column, number n_features().
/// Without weights and spread values all sums are exact: answers have the same bits
/// after any shuffle of rows, columns or levels. Scanning is thread-safe.
class UncertaintyScanner : private PlaneScanner {
 public:
  UncertaintyScanner(const CodeMatrix& codes, std::span<const std::int32_t> classes,
                     Missing missing, Instructions instructions,
                     std::span<const double> weights = {});

  /// The class is not counted.
  std::size_t n_features() const { return n_columns() - 1; }

  /// One column (the class is number n_features()) against every feature. Throws
  /// std::invalid_argument for a measure that is not symmetrical.
  std::vector<double> row(std::size_t column, Measure measure) const;

  /// Writes entries (i, j) and (j, i) of the square matrix of features, for
  /// begin <= i < end and i <= j.
  void fill(std::size_t begin, std::size_t end, Measure measure,
            std::span<double> matrix) const;

 private:
  struct Scratch;

  template <class Sink>
  void scan(std::size_t begin, std::size_t end, Seconds seconds, Measure measure,
            const Sink& sink) const;
  bool is_plain(std::size_t i, std::size_t j) const;

  double from_planes(std::size_t i, std::size_t j, const std::uint32_t* counts,
                     Measure measure, Scratch& scratch) const;
  double from_rows(std::size_t i, std::size_t j, Measure measure,
                   Scratch& scratch) const;
  template <class Count>
  double from_counted_rows(std::size_t i, std::size_t j, bool by_table, Measure measure,
                           Scratch& scratch, std::vector<Count>& table) const;
  template <class Count>
  double from_table(std::size_t i, std::size_t j, Measure measure,
                    const std::vector<Count>& table) const;
  template <class Count>
  double from_sums(const JointSums<Count>& sums, Measure measure) const;

  std::vector<double> weights_;
  std::vector<std::int64_t> totals_;  // sum of c log2 c of every column with planes
};

}  // namespace featsieve
