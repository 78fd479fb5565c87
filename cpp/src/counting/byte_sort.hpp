#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace featsieve {

/// Brings columns of bytes into the order of classes, stable, 64 rows at a time
/// (AVX-512): the rows of each class are pressed together by vpcompressb.
class ByteSort {
 public:
  /// More classes cost more than moving bytes one by one.
  static constexpr std::size_t kMostClasses = 16;

  /// order: numbers of some of n_rows rows; class c is order[begin[c]] to
  /// order[begin[c + 1]], ascending.
  ByteSort(std::size_t n_rows, std::span<const std::uint32_t> order,
           std::span<const std::size_t> begin);

  /// sorted[i] = codes[order[i]].
  void sort(const std::uint8_t* codes, std::uint8_t* sorted) const;

 private:
  std::size_t n_rows_;
  std::vector<std::size_t> begin_;
  std::vector<std::uint64_t> rows_;  // blocks × classes: which of 64 rows
};

}  // namespace featsieve
