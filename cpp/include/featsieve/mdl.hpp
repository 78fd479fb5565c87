#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "featsieve/log_table.hpp"

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

/// The same search on rows that are already sorted and grouped: row g of `table`
/// (n_classes cells) counts the classes of the g-th smallest distinct value. Returns
/// indices: a cut after group g.
std::vector<std::size_t> mdl_cut_groups(std::span<const std::int64_t> table,
                                        std::size_t n_classes, CutPrice price,
                                        const LogTable& logs);
std::vector<std::size_t> mdl_cut_groups(std::span<const double> table,
                                        std::size_t n_classes, CutPrice price);

/// Lengths of the runs of equal values of a column in ascending order; NaN left out.
/// Two columns with the same runs have the same null distribution.
std::vector<std::int64_t> tie_runs(std::span<const double> values);

/// Level of every value: the number of cuts below it; -1 for NaN.
std::vector<std::int32_t> apply_cuts(std::span<const double> values,
                                     std::span<const double> cuts);

}  // namespace featsieve
