#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pairs/bit_planes.hpp"
#include "pairs/popcount.hpp"

namespace featsieve {

/// How many rows any two of many sets of rows have in common.
///
/// Every set is one plane of bits, packed twice (see BitPlanes): a third to half a byte
/// per row and set.
class CommonRows {
 public:
  /// Sets are counted against each other in blocks of so many.
  static constexpr std::size_t kBlock = kLanes;

  /// flags: n_sets times n_rows bytes, set by set; a row is in the set where it is 1.
  CommonRows(std::span<const std::uint8_t> flags, std::size_t n_sets,
             std::size_t n_rows, Instructions instructions);

  std::size_t n_sets() const { return planes_.features().size(); }
  std::size_t n_blocks() const { return (n_sets() + kBlock - 1) / kBlock; }
  /// Sets in a block.
  std::size_t block_size(std::size_t block) const;

  /// Rows in common of the sets of a block with all sets from its first one on:
  /// counts[i * (n_sets() - block * kBlock) + j]. The rest follows from symmetry.
  std::vector<std::uint32_t> count(std::size_t block) const;

 private:
  BitPlanes planes_;
};

}  // namespace featsieve
