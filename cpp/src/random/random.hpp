#pragma once

#include <cstdint>
#include <span>
#include <utility>

namespace featsieve {

/// xoshiro256++ seeded by splitmix64. Our own, because the distributions of the
/// standard library differ between implementations and we promise the same answer
/// for the same seed everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) {
    for (auto& word : state_) word = next_splitmix(seed);
  }

  std::uint64_t next() {
    const std::uint64_t result = rotate(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t shifted = state_[1] << 17U;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = rotate(state_[3], 45);
    return result;
  }

  /// Uniform on [0, 1) with 53 random bits.
  double uniform() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }

  /// Uniform on {0, ..., bound - 1}; bound must be positive. Lemire's method on 32
  /// bits while the bound allows, rejection on 64 bits beyond.
  std::uint64_t below(std::uint64_t bound) {
    if (bound <= 0xFFFFFFFFULL) {
      std::uint64_t product = (next() >> 32U) * bound;
      if (static_cast<std::uint32_t>(product) < bound) {
        const std::uint64_t threshold = (0x100000000ULL - bound) % bound;
        while (static_cast<std::uint32_t>(product) < threshold)
          product = (next() >> 32U) * bound;
      }
      return product >> 32U;
    }
    const std::uint64_t limit = ~0ULL - (~0ULL % bound + 1) % bound;
    std::uint64_t draw = next();
    while (draw > limit) draw = next();
    return draw % bound;
  }

  template <class T>
  void shuffle(std::span<T> values) {
    for (std::size_t i = values.size(); i > 1; --i)
      std::swap(values[i - 1], values[below(i)]);
  }

 private:
  static std::uint64_t rotate(std::uint64_t x, unsigned k) {
    return (x << k) | (x >> (64U - k));
  }
  static std::uint64_t next_splitmix(std::uint64_t& x) {
    x += 0x9E3779B97F4A7C15ULL;
    std::uint64_t z = x;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31U);
  }

  std::uint64_t state_[4]{};
};

}  // namespace featsieve
