#pragma once

#include <cstdint>
#include <span>

#include "featsieve/trees.hpp"
#include "trees/shadow_sums.hpp"

namespace featsieve {

/// Grows one tree per seed, compares what is tried with its shadows, and keeps the sums
/// only. Each tree has its own bag: as many draws with replacement as there are rows,
/// of which every row is used once.
/// row_chances: empty for equal ones, else one per row.
/// row_groups: empty, or the group of each row, from 0 on; then groups are drawn as a
/// whole, as many draws as there are groups, by the chances of their rows.
ShadowSums grow_with_shadows(const Shadows& shadows, const TreeTarget& target,
                             std::span<const double> row_chances,
                             std::span<const std::uint32_t> row_groups,
                             const GrowthRules& rules,
                             std::span<const std::uint64_t> seeds,
                             const ShadowRule& rule);

}  // namespace featsieve
