#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "featsieve/instructions.hpp"

namespace featsieve {

/// What two values of a column contribute to a squared distance: numbers the square of
/// their difference, or 1 where either is NaN (kNumericGaps), levels 0 or 1, where NaN
/// differs from everything.
enum class Difference : std::uint8_t { kNumeric, kNumericGaps, kNominal };

/// Interleaved groups of rows whose least distances are kept. The k-th smallest of
/// these bounds the k-th smallest of all, closely as long as k is small beside them.
inline constexpr std::size_t kMinima = 32;

/// Loops over the distances of one query from all rows, in one set of instructions.
/// All sets give the same bits: a sum, a difference and a square per row, each rounded.
struct DistanceLoops {
  /// out = sums + contribution of a column with `value` in the query.
  void (*add)(Difference kind, const double* sums, const double* column, double value,
              std::size_t n, double* out);
  /// The same by kind, and the least of every kMinima-th one.
  using AddAndBound = void (*)(const double* sums, const double* column, double value,
                               std::size_t n, double* out,
                               std::array<double, kMinima>& minima);
  std::array<AddAndBound, 3> add_and_bound;
  /// Appends the positions whose distance is at most `bound`, in order.
  void (*collect)(const double* distances, std::size_t n, double bound,
                  std::vector<std::int32_t>& found);
};

const DistanceLoops& distance_loops(Instructions instructions);

}  // namespace featsieve
