#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
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

/// Stable sort by key. Three passes over digits of 11 bits, least significant first,
/// sort by the 33 highest bits in which keys differ; rows that still share them are few
/// unless they are equal altogether, and are sorted by comparison. `scratch` is resized
/// as needed and may be reused.
inline void radix_sort(std::vector<KeyedRow>& rows, std::vector<KeyedRow>& scratch) {
  constexpr unsigned kBits = 11;
  constexpr std::size_t kBuckets = 1U << kBits;
  constexpr unsigned kPasses = 3;
  const auto by_key = [](const KeyedRow& a, const KeyedRow& b) {
    return a.key < b.key;
  };
  // Short inputs are sorted faster by comparison than by three histograms.
  if (rows.size() < 512) {
    std::stable_sort(rows.begin(), rows.end(), by_key);
    return;
  }
  std::uint64_t differing = 0;
  for (const KeyedRow& row : rows) differing |= row.key ^ rows.front().key;
  const auto highest = static_cast<unsigned>(std::bit_width(differing));
  const unsigned shift = highest > kPasses * kBits ? highest - kPasses * kBits : 0;

  std::array<std::array<std::uint32_t, kBuckets>, kPasses> counts{};
  const auto digit = [shift](std::uint64_t key, unsigned pass) {
    return (key >> (shift + pass * kBits)) & (kBuckets - 1);
  };
  for (const KeyedRow& row : rows)
    for (unsigned pass = 0; pass < kPasses; ++pass)
      ++counts[pass][digit(row.key, pass)];
  scratch.resize(rows.size());
  for (unsigned pass = 0; pass < kPasses; ++pass) {
    auto& histogram = counts[pass];
    if (histogram[digit(rows.front().key, pass)] == rows.size()) continue;
    std::uint32_t begin = 0;
    for (auto& count : histogram) {
      const std::uint32_t size = count;
      count = begin;
      begin += size;
    }
    for (const KeyedRow& row : rows) scratch[histogram[digit(row.key, pass)]++] = row;
    rows.swap(scratch);
  }

  if (shift == 0) return;
  for (auto begin = rows.begin(); begin != rows.end();) {
    auto end = begin + 1;
    bool sorted = true;
    while (end != rows.end() && (end->key >> shift) == (begin->key >> shift)) {
      sorted = sorted && (end - 1)->key <= end->key;
      ++end;
    }
    if (!sorted) std::stable_sort(begin, end, by_key);
    begin = end;
  }
}

/// Sorts keys that come without rows: a pass per digit of 11 bits in which any differ.
inline void radix_sort(std::vector<std::uint64_t>& keys,
                       std::vector<std::uint64_t>& scratch) {
  constexpr unsigned kBits = 11;
  constexpr std::size_t kBuckets = 1U << kBits;
  std::uint64_t differing = 0;
  for (const std::uint64_t key : keys) differing |= key ^ keys.front();
  scratch.resize(keys.size());
  for (unsigned shift = 0; shift < 64; shift += kBits) {
    if (((differing >> shift) & (kBuckets - 1)) == 0) continue;
    std::array<std::size_t, kBuckets> next{};
    for (const std::uint64_t key : keys) ++next[(key >> shift) & (kBuckets - 1)];
    std::size_t begin = 0;
    for (std::size_t& place : next) begin += std::exchange(place, begin);
    for (const std::uint64_t key : keys)
      scratch[next[(key >> shift) & (kBuckets - 1)]++] = key;
    keys.swap(scratch);
  }
}

}  // namespace featsieve
