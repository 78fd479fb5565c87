#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace featsieve {

/// Writes `table[code + 1]` for every code, so `table[0]` is what missing (-1) becomes,
/// and marks in `used`, by code + 1 too, which levels occur; the mark of missing means
/// nothing. `out` may be the codes themselves. Throws std::invalid_argument at a code
/// outside the table.
void recode_levels(std::span<const std::int32_t> codes,
                   std::span<const std::int32_t> table, std::span<std::int32_t> out,
                   std::span<std::uint8_t> used);

/// The greatest distance from zero, NaN left out; 0 if there is no value.
double greatest_size(std::span<const double> values);

/// Turns whole numbers into the nearest doubles where they stand; returns the greatest
/// distance from zero.
double whole_to_double(std::span<std::int64_t> values);

}  // namespace featsieve
