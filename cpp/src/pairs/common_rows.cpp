#include "pairs/common_rows.hpp"

#include <algorithm>
#include <stdexcept>

namespace featsieve {

CommonRows::CommonRows(std::span<const std::uint8_t> flags, std::size_t n_sets,
                       std::size_t n_rows, Instructions instructions)
    // Planes want one row at least, which then is in no set.
    : planes_(one_class(std::max<std::size_t>(n_rows, 1)), n_sets, instructions) {
  if (flags.size() != n_sets * n_rows)
    throw std::invalid_argument("flags must be one per set and row");
  if (n_rows > 0xFFFFFFFFU)
    throw std::invalid_argument("more rows than can be counted");
  DenseColumn column;
  column.levels = 2;  // level 1, the rows of the set, has the only plane
  for (std::size_t i = 0; i < n_sets; ++i) {
    const auto own = flags.subspan(i * n_rows, n_rows);
    column.narrow.assign(own.begin(), own.end());
    if (n_rows == 0) column.narrow.assign(1, 0);
    planes_.add(column);
  }
  planes_.finish();
}

std::size_t CommonRows::block_size(std::size_t block) const {
  return std::min(kBlock, n_sets() - block * kBlock);
}

std::vector<std::uint32_t> CommonRows::count(std::size_t block) const {
  if (block >= n_blocks()) throw std::out_of_range("no such block");
  const std::size_t first = block * kBlock;
  const std::size_t size = block_size(block);
  const std::size_t width = n_sets() - first;
  std::vector<std::uint32_t> counts(size * width, 0);
  std::vector<std::uint32_t> common;
  // One plane a set, so that set i is lane i % kBlock of group i / kBlock.
  for (std::size_t group = block; group < n_blocks(); ++group) {
    planes_.count_common(planes_.plane(first), size, group, common);
    const std::size_t begin = group * kBlock - first;
    for (std::size_t i = 0; i < size; ++i)
      std::copy_n(&common[i * kLanes], block_size(group), &counts[i * width + begin]);
  }
  return counts;
}

}  // namespace featsieve
