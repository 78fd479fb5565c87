#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace featsieve {

/// Subsets of columns that somebody else owns, each a sequence without repetition.
///
/// Work for a beginning that neighbours in the list have in common is done once, so
/// the order within a subset and of the subsets decides about cost, never about more.
struct SubsetList {
  std::span<const std::int32_t> columns;
  std::span<const std::int64_t> begins;  // one more than there are subsets

  std::size_t size() const { return begins.size() - 1; }

  std::span<const std::int32_t> operator[](std::size_t i) const {
    const auto begin = static_cast<std::size_t>(begins[i]);
    return columns.subspan(begin, static_cast<std::size_t>(begins[i + 1]) - begin);
  }
};

/// Throws unless the list is well formed: subsets are not empty, and columns exist.
void check_subsets(const SubsetList& subsets, std::size_t n_columns);

/// How many columns at the beginning two sequences have in common.
std::size_t common_beginning(std::span<const std::int32_t> a,
                             std::span<const std::int32_t> b);

}  // namespace featsieve
