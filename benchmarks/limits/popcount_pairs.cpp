// The limit of W9-diversity: AND and POPCNT of all pairs of bit planes, and nothing else.
//
// Compiled by benchmarks/limits/__init__.py for the machine at hand. Blocks of planes
// stay in the first-level cache; sixteen counters stay in registers. A machine with
// VPOPCNTDQ counts eight words at once; one with AVX2 has two ways, of which the
// benchmark takes the faster.

#include <cstddef>
#include <cstdint>
#include <immintrin.h>

namespace {

constexpr std::size_t kTile = 4;       // planes against planes, in registers
constexpr std::size_t kWords = 256;    // words at a time: 2 KiB a plane

using Word = std::uint64_t;

// Counts words of kTile planes from a against kTile planes from b, into sums.
void scalar_tile(const Word* a, const Word* b, std::size_t stride, std::size_t n,
                 std::uint64_t (&sums)[kTile][kTile]) {
  for (std::size_t w = 0; w < n; ++w)
    for (std::size_t i = 0; i < kTile; ++i)
      for (std::size_t j = 0; j < kTile; ++j)
        sums[i][j] += static_cast<std::uint64_t>(
            __builtin_popcountll(a[i * stride + w] & b[j * stride + w]));
}

#if defined(__AVX512VPOPCNTDQ__)
void vector_tile(const Word* a, const Word* b, std::size_t stride, std::size_t n,
                 std::uint64_t (&sums)[kTile][kTile]) {
  __m512i counts[kTile][kTile];
  for (auto& row : counts)
    for (auto& count : row) count = _mm512_setzero_si512();
  for (std::size_t w = 0; w < n; w += 8)
    for (std::size_t i = 0; i < kTile; ++i) {
      const __m512i own = _mm512_loadu_si512(a + i * stride + w);
      for (std::size_t j = 0; j < kTile; ++j)
        counts[i][j] = _mm512_add_epi64(
            counts[i][j], _mm512_popcnt_epi64(_mm512_and_si512(
                              own, _mm512_loadu_si512(b + j * stride + w))));
    }
  for (std::size_t i = 0; i < kTile; ++i)
    for (std::size_t j = 0; j < kTile; ++j)
      sums[i][j] += static_cast<std::uint64_t>(_mm512_reduce_add_epi64(counts[i][j]));
}
#elif defined(__AVX2__)
// Carry-save adders: of eight vectors four and two and one are left over, so that one
// table look-up serves eight (Muła, Kurz and Lemire 2018).
inline void add(__m256i& high, __m256i& low, __m256i a, __m256i b, __m256i c) {
  const __m256i u = _mm256_xor_si256(a, b);
  high = _mm256_or_si256(_mm256_and_si256(a, b), _mm256_and_si256(u, c));
  low = _mm256_xor_si256(u, c);
}

inline __m256i bits(__m256i v) {
  const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
                                         0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
  const __m256i low = _mm256_set1_epi8(15);
  const __m256i both = _mm256_add_epi8(
      _mm256_shuffle_epi8(table, _mm256_and_si256(v, low)),
      _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(v, 4), low)));
  return _mm256_sad_epu8(both, _mm256_setzero_si256());
}

std::uint64_t total(__m256i v) {
  return static_cast<std::uint64_t>(_mm256_extract_epi64(v, 0)) +
         static_cast<std::uint64_t>(_mm256_extract_epi64(v, 1)) +
         static_cast<std::uint64_t>(_mm256_extract_epi64(v, 2)) +
         static_cast<std::uint64_t>(_mm256_extract_epi64(v, 3));
}

std::uint64_t vector_pair(const Word* a, const Word* b, std::size_t n) {
  const auto both = [&](std::size_t k) {
    return _mm256_and_si256(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(a) + k),
                            _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b) + k));
  };
  __m256i sum = _mm256_setzero_si256(), ones = sum, twos = sum, fours = sum;
  for (std::size_t k = 0; k < n / 4; k += 8) {
    __m256i twos_a, twos_b, fours_a, fours_b, eights;
    add(twos_a, ones, ones, both(k), both(k + 1));
    add(twos_b, ones, ones, both(k + 2), both(k + 3));
    add(fours_a, twos, twos, twos_a, twos_b);
    add(twos_a, ones, ones, both(k + 4), both(k + 5));
    add(twos_b, ones, ones, both(k + 6), both(k + 7));
    add(fours_b, twos, twos, twos_a, twos_b);
    add(eights, fours, fours, fours_a, fours_b);
    sum = _mm256_add_epi64(sum, bits(eights));
  }
  return 8 * total(sum) + 4 * total(bits(fours)) + 2 * total(bits(twos)) +
         total(bits(ones));
}

void vector_tile(const Word* a, const Word* b, std::size_t stride, std::size_t n,
                 std::uint64_t (&sums)[kTile][kTile]) {
  for (std::size_t i = 0; i < kTile; ++i)
    for (std::size_t j = 0; j < kTile; ++j)
      sums[i][j] += vector_pair(a + i * stride, b + j * stride, n);
}
#else
void vector_tile(const Word* a, const Word* b, std::size_t stride, std::size_t n,
                 std::uint64_t (&sums)[kTile][kTile]) {
  scalar_tile(a, b, stride, n, sums);
}
#endif

}  // namespace

// planes: n_planes (a multiple of 4) of n_words (a multiple of 32) words each. counts:
// n_planes squared, of which the upper triangle of tiles is added to.
extern "C" void count_pairs(const Word* planes, std::size_t n_planes,
                            std::size_t n_words, int by_vectors,
                            std::uint32_t* counts) {
  const auto tile = by_vectors != 0 ? vector_tile : scalar_tile;
  for (std::size_t begin = 0; begin < n_words; begin += kWords) {
    const std::size_t n = n_words - begin < kWords ? n_words - begin : kWords;
    for (std::size_t i = 0; i < n_planes; i += kTile)
      for (std::size_t j = i; j < n_planes; j += kTile) {
        std::uint64_t sums[kTile][kTile] = {};
        tile(planes + i * n_words + begin, planes + j * n_words + begin, n_words, n,
             sums);
        for (std::size_t k = 0; k < kTile; ++k)
          for (std::size_t l = 0; l < kTile; ++l)
            counts[(i + k) * n_planes + j + l] +=
                static_cast<std::uint32_t>(sums[k][l]);
      }
  }
}
