#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "featsieve/instructions.hpp"

namespace featsieve {

/// Planes that are counted side by side.
inline constexpr std::size_t kLanes = 64;

/// A few rows (one byte) of kLanes planes.
struct alignas(kLanes) LaneStep {
  std::array<std::uint8_t, kLanes> lanes;
};

/// How rows lie in the bytes of a plane. One byte is looked up at a time, so its width
/// is that of the widest table a shuffle instruction can hold: 4 bits with AVX2's
/// vpshufb, 6 with AVX-512's vpermb; without tables all 8 are used.
struct PlaneFormat {
  unsigned rows_per_byte;
  unsigned shift;  // of the bits in a byte of a first plane; lanes have no shift
};
PlaneFormat plane_format(Instructions instructions);

/// Rows that planes have in common: adds |first i AND second j| to
/// counts[i * kLanes + j] for every one of n_first planes and kLanes lanes.
///
/// first: plane i starts at first + i * stride and has n_steps bytes. second: n_steps
/// steps. Bits are laid out as plane_format says.
using CommonCounter = void (*)(const std::uint8_t* first, std::size_t stride,
                               std::size_t n_first, const LaneStep* second,
                               std::size_t n_steps, std::uint32_t* counts);
CommonCounter common_counter(Instructions instructions);

}  // namespace featsieve
