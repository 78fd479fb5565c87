#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace featsieve {

/// A number as an unsigned key of the same order (-0 and +0 become equal).
inline std::uint64_t ordered_key(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);
  return bits ^ ((bits >> 63U) != 0 ? ~0ULL : 0x8000000000000000ULL);
}

/// The number an ordered key came from.
inline double from_ordered_key(std::uint64_t key) {
  return std::bit_cast<double>(key ^
                               ((key >> 63U) != 0 ? 0x8000000000000000ULL : ~0ULL));
}

struct KeyedRow {
  std::uint64_t key;
  std::uint32_t row;
};

/// Stable sort by key. Digits of 11 bits, least significant first; digits that all rows
/// share are skipped, so numbers of few significant bits cost few passes. `scratch` is
/// resized as needed and may be reused.
inline void radix_sort(std::vector<KeyedRow>& rows, std::vector<KeyedRow>& scratch) {
  constexpr unsigned kBits = 11;
  constexpr std::size_t kBuckets = 1U << kBits;
  constexpr unsigned kPasses = 6;
  // Short inputs are sorted faster by comparison than by six histograms.
  if (rows.size() < 512) {
    std::stable_sort(
        rows.begin(), rows.end(),
        [](const KeyedRow& a, const KeyedRow& b) { return a.key < b.key; });
    return;
  }
  std::vector<std::array<std::uint32_t, kBuckets>> counts(kPasses);
  for (auto& histogram : counts) histogram.fill(0);
  for (const KeyedRow& row : rows)
    for (unsigned pass = 0; pass < kPasses; ++pass)
      ++counts[pass][(row.key >> (pass * kBits)) & (kBuckets - 1)];
  scratch.resize(rows.size());
  for (unsigned pass = 0; pass < kPasses; ++pass) {
    auto& histogram = counts[pass];
    const std::size_t shared = (rows.front().key >> (pass * kBits)) & (kBuckets - 1);
    if (histogram[shared] == rows.size()) continue;
    std::uint32_t begin = 0;
    for (auto& count : histogram) {
      const std::uint32_t size = count;
      count = begin;
      begin += size;
    }
    for (const KeyedRow& row : rows)
      scratch[histogram[(row.key >> (pass * kBits)) & (kBuckets - 1)]++] = row;
    rows.swap(scratch);
  }
}

}  // namespace featsieve
