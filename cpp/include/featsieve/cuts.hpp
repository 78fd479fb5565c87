#pragma once

#include <cstdint>
#include <span>
#include <vector>

// Cut points of numeric columns.

namespace featsieve {

/// How the price of a cut is reckoned.
enum class CutPrice : std::uint8_t {
  kFayyadIrani,  // log2(rows - 1) to name the cut
  kBetter,       // log2(possible cuts) to name the cut
  kKononenko,    // Kononenko's description length
};

/// Cuts of one numeric column by Fayyad and Irani's recursive minimum description
/// length, ascending; a value equal to a cut belongs to its left. NaN is left out.
/// weights: empty, or one per row.
std::vector<double> mdl_cuts(std::span<const double> values,
                             std::span<const std::int32_t> classes,
                             std::int32_t n_classes, std::span<const double> weights,
                             CutPrice price);

/// Level of every value: the number of cuts below it; -1 for NaN.
std::vector<std::int32_t> apply_cuts(std::span<const double> values,
                                     std::span<const double> cuts);

}  // namespace featsieve
