#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "featsieve/cell_walk.hpp"
#include "featsieve/exact_log_table.hpp"

namespace featsieve {

/// A second feature of a run: its first lane, and its margins.
struct SecondFeature {
  std::size_t lane;
  const std::uint32_t* margins;
};

/// For one first and every one of several second features with the same number of
/// levels: sum of x log2 x over all cells and classes minus the sum over cells, from
/// counts of planes: cell (a, b) of class c, a and b above 0, at
/// counts[c * class_stride + (a - 1) * kLanes + lane + b - 1]. Cells of level 0 follow
/// from the margins, which for class c start at c * levels. At most
/// BitPlanes::kMostLevels levels.
using CellSums = void (*)(const std::uint32_t* counts, std::size_t class_stride,
                          const std::uint32_t* first_margins,
                          std::span<const SecondFeature> seconds,
                          std::size_t first_levels, std::size_t second_levels,
                          std::size_t n_classes, const ExactLogTable& log,
                          std::int64_t* sums);

/// The function for these numbers of levels; everyday sizes have one of their own.
CellSums choose_cell_sums(std::size_t first_levels, std::size_t second_levels);

/// Whole tables per class from the same counts: cell (a, b) of class c at
/// [(c * first_levels + a) * second_levels + b].
void fill_table(const std::uint32_t* counts, std::size_t class_stride,
                const std::uint32_t* first_margins, const std::uint32_t* second_margins,
                std::size_t first_levels, std::size_t second_levels,
                std::size_t n_classes, std::vector<std::uint32_t>& table);

/// The sums of such a table without one of its rows and one of its columns; kNone keeps
/// all.
PairSums<std::int64_t> sum_table(const std::vector<std::uint32_t>& table,
                                 std::size_t first_levels, std::size_t second_levels,
                                 std::size_t n_classes, std::size_t skip_first,
                                 std::size_t skip_second, const ExactLogTable& log);

}  // namespace featsieve
