#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "featsieve/instructions.hpp"
#include "neighbours/mixed_rows.hpp"

namespace featsieve {

/// Distances of rows in whole units, quickly, with a bound on what they are wrong by.
///
/// Values are rounded to 15 bits, and sixteen rows lie side by side, two columns of a
/// row in one word, so that one multiply-add turns sixteen differences into eight sums.
/// Who needs exact neighbours looks again at those that the bound cannot tell apart.
class CoarseDistances {
 public:
  CoarseDistances(const MixedRows& rows, Instructions instructions);

  /// Units per 1 of distance.
  double units() const { return units_; }

  /// |coarse − units × distance| is below this for row a and any other.
  std::int32_t error(std::size_t a) const;

  /// Length of a line of distances: the number of rows, rounded up.
  std::size_t stride() const { return n_tiles_ * kRowsPerTile; }

  /// Writes a line of distances from every anchor; places beyond the rows are void.
  void from(std::span<const std::int32_t> anchors, std::span<std::int32_t> out) const;

  static constexpr std::size_t kRowsPerTile = 16;

  /// Words (of two columns) per row in each group of columns; words of columns with
  /// gaps are followed by as many of what is expected there.
  struct Words {
    std::size_t numeric, nominal, numeric_gaps, nominal_gaps;
    std::size_t total() const {
      return numeric + nominal + 2 * (numeric_gaps + nominal_gaps);
    }
  };

 private:
  void fill(const MixedRows& rows);

  std::size_t n_rows_;
  std::size_t n_tiles_;
  Words words_;
  double units_;
  double largest_residual_ = 0;
  std::vector<double> residuals_;     // what rounding did to a row, in units
  std::vector<std::uint32_t> tiles_;  // n_tiles × words × kRowsPerTile
  bool wide_;
};

}  // namespace featsieve
