#include "pairs/popcount.hpp"

#include <algorithm>

#include "common/simd.hpp"

// Counting |a AND b| for one plane a and many planes b needs no wide popcount: for the
// few rows of one byte, a chooses a table of popcount(a & x) over all x, and a shuffle
// looks up the bytes x of 32 or 64 planes at once. One shuffle and one addition then
// count 4 × 32 (6 × 64) rows, where AND and a vpshufb popcount of one 256-bit word
// take eight instructions and a horizontal sum at the end.

namespace featsieve {
namespace {

/// Steps whose counts fit a byte, for a number of rows per step.
constexpr std::size_t steps_per_byte_counter(std::size_t rows_per_byte) {
  return 255 / rows_per_byte;
}

/// Byte counters that fit a 16-bit counter.
constexpr std::size_t kBytesPerWord = 65535 / 255;

void count_portably(const std::uint8_t* first, std::size_t stride, std::size_t n_first,
                    const LaneStep* second, std::size_t n_steps,
                    std::uint32_t* counts) {
  constexpr std::size_t kSteps = steps_per_byte_counter(8);
  for (std::size_t i = 0; i < n_first; ++i) {
    const std::uint8_t* plane = first + i * stride;
    for (std::size_t begin = 0; begin < n_steps; begin += kSteps) {
      const std::size_t end = std::min(n_steps, begin + kSteps);
      std::array<std::uint8_t, kLanes> sums{};
      for (std::size_t step = begin; step < end; ++step) {
        const unsigned a = plane[step];
        // Written for the vectoriser: bytes in, bytes out, no call.
        for (std::size_t j = 0; j < kLanes; ++j) {
          auto x = static_cast<std::uint8_t>(a & second[step].lanes[j]);
          x = static_cast<std::uint8_t>(x - ((x >> 1U) & 0x55U));
          x = static_cast<std::uint8_t>((x & 0x33U) + ((x >> 2U) & 0x33U));
          x = static_cast<std::uint8_t>((x + (x >> 4U)) & 0x0FU);
          sums[j] = static_cast<std::uint8_t>(sums[j] + x);
        }
      }
      for (std::size_t j = 0; j < kLanes; ++j) counts[i * kLanes + j] += sums[j];
    }
  }
}

#ifdef FEATSIEVE_X86

/// popcount(a & b) for all a and b of kBits bits.
template <unsigned kBits>
struct alignas(64) CommonBits {
  static constexpr std::size_t kSize = std::size_t{1} << kBits;
  std::array<std::array<std::uint8_t, kSize>, kSize> table{};

  constexpr CommonBits() {
    for (std::size_t a = 0; a < kSize; ++a)
      for (std::size_t b = 0; b < kSize; ++b) {
        std::uint8_t count = 0;
        for (unsigned bit = 0; bit < kBits; ++bit)
          count = static_cast<std::uint8_t>(count + ((a & b) >> bit & 1U));
        table[a][b] = count;
      }
  }
};
constexpr CommonBits<4> kCommonOf4;
constexpr CommonBits<6> kCommonOf6;

/// kPlanes first planes against all lanes. Four keep their counters, the lanes and a
/// table in sixteen registers; five and more were slower.
template <std::size_t kPlanes>
FEATSIEVE_AVX2 void count_planes_avx2(const std::uint8_t* first, std::size_t stride,
                                      const LaneStep* second, std::size_t n_steps,
                                      std::uint32_t* counts) {
  constexpr std::size_t kSteps = steps_per_byte_counter(4);
  const std::uint8_t* tables = kCommonOf4.table[0].data();
  const __m256i low_bytes = _mm256_set1_epi16(0xFF);
  for (std::size_t run = 0; run < n_steps; run += kSteps * kBytesPerWord) {
    const std::size_t run_end = std::min(n_steps, run + kSteps * kBytesPerWord);
    __m256i words[kPlanes][2][2];  // 16-bit counters of even and odd lanes
    for (auto& plane : words)
      for (auto& half : plane) half[0] = half[1] = _mm256_setzero_si256();
    for (std::size_t begin = run; begin < run_end; begin += kSteps) {
      const std::size_t end = std::min(run_end, begin + kSteps);
      __m256i sums[kPlanes][2];
      for (auto& plane : sums) plane[0] = plane[1] = _mm256_setzero_si256();
      for (std::size_t step = begin; step < end; ++step) {
        const std::uint8_t* lanes = second[step].lanes.data();
        const __m256i low = _mm256_load_si256(reinterpret_cast<const __m256i*>(lanes));
        const __m256i high =
            _mm256_load_si256(reinterpret_cast<const __m256i*>(lanes + 32));
        for (std::size_t k = 0; k < kPlanes; ++k) {
          // The bits of first planes sit in the upper nibble: 16 × the row of a table.
          const __m256i table = _mm256_broadcastsi128_si256(_mm_load_si128(
              reinterpret_cast<const __m128i*>(tables + first[k * stride + step])));
          sums[k][0] = _mm256_add_epi8(sums[k][0], _mm256_shuffle_epi8(table, low));
          sums[k][1] = _mm256_add_epi8(sums[k][1], _mm256_shuffle_epi8(table, high));
        }
      }
      for (std::size_t k = 0; k < kPlanes; ++k)
        for (std::size_t half = 0; half < 2; ++half) {
          auto& word = words[k][half];
          const __m256i sum = sums[k][half];
          word[0] = _mm256_add_epi16(word[0], _mm256_and_si256(sum, low_bytes));
          word[1] = _mm256_add_epi16(word[1], _mm256_srli_epi16(sum, 8));
        }
    }
    for (std::size_t k = 0; k < kPlanes; ++k)
      for (std::size_t half = 0; half < 2; ++half) {
        std::array<std::uint16_t, 32> even_odd;
        auto* out = reinterpret_cast<__m256i*>(even_odd.data());
        _mm256_storeu_si256(out, words[k][half][0]);
        _mm256_storeu_si256(out + 1, words[k][half][1]);
        std::uint32_t* target = counts + k * kLanes + half * 32;
        for (std::size_t j = 0; j < 16; ++j) {
          target[2 * j] += even_odd[j];
          target[2 * j + 1] += even_odd[16 + j];
        }
      }
  }
}

FEATSIEVE_AVX2 void count_avx2(const std::uint8_t* first, std::size_t stride,
                               std::size_t n_first, const LaneStep* second,
                               std::size_t n_steps, std::uint32_t* counts) {
  std::size_t i = 0;
  for (; i + 4 <= n_first; i += 4)
    count_planes_avx2<4>(first + i * stride, stride, second, n_steps,
                         counts + i * kLanes);
  const std::uint8_t* rest = first + i * stride;
  if (n_first - i == 3)
    count_planes_avx2<3>(rest, stride, second, n_steps, counts + i * kLanes);
  else if (n_first - i == 2)
    count_planes_avx2<2>(rest, stride, second, n_steps, counts + i * kLanes);
  else if (n_first - i == 1)
    count_planes_avx2<1>(rest, stride, second, n_steps, counts + i * kLanes);
}

/// The same with tables of 64 bytes: one vpermb looks up 6 rows of 64 planes.
template <std::size_t kPlanes>
FEATSIEVE_AVX512 void count_planes_avx512(const std::uint8_t* first, std::size_t stride,
                                          const LaneStep* second, std::size_t n_steps,
                                          std::uint32_t* counts) {
  constexpr std::size_t kSteps = steps_per_byte_counter(6);
  const __m512i low_bytes = _mm512_set1_epi16(0xFF);
  for (std::size_t run = 0; run < n_steps; run += kSteps * kBytesPerWord) {
    const std::size_t run_end = std::min(n_steps, run + kSteps * kBytesPerWord);
    __m512i words[kPlanes][2];
    for (auto& word : words) word[0] = word[1] = _mm512_setzero_si512();
    for (std::size_t begin = run; begin < run_end; begin += kSteps) {
      const std::size_t end = std::min(run_end, begin + kSteps);
      __m512i sums[kPlanes];
      for (auto& sum : sums) sum = _mm512_setzero_si512();
      for (std::size_t step = begin; step < end; ++step) {
        const __m512i lanes = _mm512_load_si512(second[step].lanes.data());
        for (std::size_t k = 0; k < kPlanes; ++k) {
          const __m512i table =
              _mm512_load_si512(kCommonOf6.table[first[k * stride + step]].data());
          // The masked form with all bits set: the plain one trips a warning in g++ 12.
          sums[k] = _mm512_add_epi8(
              sums[k], _mm512_maskz_permutexvar_epi8(~__mmask64{0}, lanes, table));
        }
      }
      for (std::size_t k = 0; k < kPlanes; ++k) {
        words[k][0] =
            _mm512_add_epi16(words[k][0], _mm512_and_si512(sums[k], low_bytes));
        words[k][1] = _mm512_add_epi16(words[k][1], _mm512_srli_epi16(sums[k], 8));
      }
    }
    for (std::size_t k = 0; k < kPlanes; ++k) {
      std::array<std::uint16_t, kLanes> even_odd;
      _mm512_storeu_si512(even_odd.data(), words[k][0]);
      _mm512_storeu_si512(even_odd.data() + 32, words[k][1]);
      std::uint32_t* target = counts + k * kLanes;
      for (std::size_t j = 0; j < 32; ++j) {
        target[2 * j] += even_odd[j];
        target[2 * j + 1] += even_odd[32 + j];
      }
    }
  }
}

FEATSIEVE_AVX512 void count_avx512(const std::uint8_t* first, std::size_t stride,
                                   std::size_t n_first, const LaneStep* second,
                                   std::size_t n_steps, std::uint32_t* counts) {
  std::size_t i = 0;
  for (; i + 8 <= n_first; i += 8)
    count_planes_avx512<8>(first + i * stride, stride, second, n_steps,
                           counts + i * kLanes);
  for (; i + 2 <= n_first; i += 2)
    count_planes_avx512<2>(first + i * stride, stride, second, n_steps,
                           counts + i * kLanes);
  if (i < n_first)
    count_planes_avx512<1>(first + i * stride, stride, second, n_steps,
                           counts + i * kLanes);
}

#else

constexpr CommonCounter count_avx2 = count_portably;
constexpr CommonCounter count_avx512 = count_portably;

#endif

}  // namespace

PlaneFormat plane_format(Instructions instructions) {
  switch (instructions) {
    case Instructions::kAvx512:
      return {6, 0};
    case Instructions::kAvx2:
      return {4, 4};
    default:
      return {8, 0};
  }
}

CommonCounter common_counter(Instructions instructions) {
  switch (instructions) {
    case Instructions::kAvx512:
      return count_avx512;
    case Instructions::kAvx2:
      return count_avx2;
    default:
      return count_portably;
  }
}

}  // namespace featsieve
