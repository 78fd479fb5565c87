#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "featsieve/counting.hpp"
#include "pairs/pair_tables.hpp"
#include "pairs/plane_scanner.hpp"

namespace featsieve {

/// What is made of the table of two columns. For concordance levels ascend.
enum class PairMeasure : std::uint8_t {
  kMutualInformation,  // in bits
  kSymmetricalUncertainty,
  kTauB,
  kGamma
};

/// How strongly any two columns of codes go with each other, the class among them.
///
/// The scanner keeps its own encoding of the codes, O(n p); a row of the matrix then
/// costs O(n p) with a constant far below that of counting rows one by one, so searches
/// ask for the rows they need. Few levels: planes of bits, counted side by side. Many:
/// joint histograms; where these would be larger than the data, rows sorted by the
/// first column (not for concordance: ordinal columns of many levels are the job of
/// RankedColumn). Without weights and spread values all sums are exact: answers have
/// the same bits after any shuffle of rows, columns or levels. Scanning is thread-safe.
class AssociationScanner : private PlaneScanner {
 public:
  /// classes: one more column, number n_features(); may be empty. min_untied: with
  /// fewer untied pairs of rows gamma is 0.
  AssociationScanner(const CodeMatrix& codes, std::span<const std::int32_t> classes,
                     Missing missing, Instructions instructions,
                     std::span<const double> weights = {}, std::int64_t min_untied = 1);

  /// The class is not counted.
  std::size_t n_features() const { return n_columns() - (has_class_ ? 1 : 0); }

  /// One column against every feature. Concordance needs rows without weights, of which
  /// those with a missing value are ignored.
  std::vector<double> row(std::size_t column, PairMeasure measure) const;

  /// Writes entries (i, j) and (j, i) of the square matrix of features, for
  /// begin <= i < end and i <= j.
  void fill(std::size_t begin, std::size_t end, PairMeasure measure,
            std::span<double> matrix) const;

 private:
  struct Scratch;

  template <class Sink>
  void scan(std::size_t begin, std::size_t end, Seconds seconds, PairMeasure measure,
            const Sink& sink) const;
  bool is_plain(std::size_t i, std::size_t j) const;

  double from_planes(std::size_t i, std::size_t j, const std::uint32_t* counts,
                     PairMeasure measure, Scratch& scratch) const;
  double from_rows(std::size_t i, std::size_t j, PairMeasure measure,
                   Scratch& scratch) const;
  template <class Count>
  double from_counted_rows(std::size_t i, std::size_t j, bool by_table,
                           PairMeasure measure, Scratch& scratch,
                           std::vector<Count>& table) const;
  template <class Count>
  double from_table(std::size_t i, std::size_t j, PairMeasure measure,
                    const std::vector<Count>& table) const;
  template <class Count>
  double concordance(std::size_t i, std::size_t j, PairMeasure measure,
                     const std::vector<Count>& table) const;
  template <class Count>
  double from_sums(const JointSums<Count>& sums, PairMeasure measure) const;

  bool has_class_;
  std::int64_t min_untied_;
  std::vector<double> weights_;
  std::vector<std::int64_t> totals_;  // sum of c log2 c of every column with planes
};

}  // namespace featsieve
