#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace featsieve {

/// How often each of n_rows rows is drawn when n_rows are drawn with replacement.
/// chances: empty for equal ones, else one per row. distinct: a row counts once,
/// however often it is drawn.
std::vector<double> draw_bag(std::size_t n_rows, std::span<const double> chances,
                             std::uint64_t seed, bool distinct);

}  // namespace featsieve
