#include "counting/class_planes.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "common/simd.hpp"

namespace featsieve {

#ifdef FEATSIEVE_X86

namespace {

constexpr std::size_t kRowsPerWord = 512;
constexpr std::size_t kMostWords = ClassPlanes::kStep / kRowsPerWord;
constexpr std::size_t kBits = 4;  // of a code

/// Levels that share their two high bits, and classes, that are counted at once: their
/// counters fill half of the registers.
constexpr std::size_t kQuad = 4;

/// Where the bytes of four planes lie in two vectors of transposed 8 × 8 bits: sixteen
/// bytes of plane 0, of plane 1, …
struct alignas(64) PlaneBytes {
  std::array<std::uint8_t, 64> from{};

  constexpr PlaneBytes() {
    for (std::size_t i = 0; i < from.size(); ++i) {
      const std::size_t plane = i / 16;
      const std::size_t eight = i % 16;  // rows 8 eight, … of both vectors
      from[i] = static_cast<std::uint8_t>(eight * 8 + plane);
    }
  }
};
constexpr PlaneBytes kPlaneBytes;

/// Turns 512 codes into four planes, and raises the largest codes. Rows end up in some
/// order, the same for all columns and classes.
FEATSIEVE_AVX512 void to_planes(const std::uint8_t* codes, __m512i& largest,
                                __m512i* planes) {
  // A product with the unit matrix on the other side is the transposed matrix.
  const __m512i unit = _mm512_set1_epi64(static_cast<long long>(0x8040201008040201ULL));
  const __m512i from = _mm512_load_si512(kPlaneBytes.from.data());
  __m512i quarters[kQuad];
  for (std::size_t k = 0; k < kQuad; ++k) {
    const __m512i low = _mm512_loadu_si512(codes + k * 128);
    const __m512i high = _mm512_loadu_si512(codes + k * 128 + 64);
    largest = _mm512_max_epu8(largest, _mm512_max_epu8(low, high));
    quarters[k] =
        _mm512_permutex2var_epi8(_mm512_gf2p8affine_epi64_epi8(unit, low, 0), from,
                                 _mm512_gf2p8affine_epi64_epi8(unit, high, 0));
  }
  // Four vectors of four planes to four planes of four vectors.
  const __m512i a = _mm512_shuffle_i32x4(quarters[0], quarters[1], 0x44);
  const __m512i b = _mm512_shuffle_i32x4(quarters[0], quarters[1], 0xEE);
  const __m512i c = _mm512_shuffle_i32x4(quarters[2], quarters[3], 0x44);
  const __m512i d = _mm512_shuffle_i32x4(quarters[2], quarters[3], 0xEE);
  planes[0] = _mm512_shuffle_i32x4(a, c, 0x88);
  planes[1] = _mm512_shuffle_i32x4(a, c, 0xDD);
  planes[2] = _mm512_shuffle_i32x4(b, d, 0x88);
  planes[3] = _mm512_shuffle_i32x4(b, d, 0xDD);
}

FEATSIEVE_AVX512 std::uint8_t largest_byte(__m512i bytes) {
  alignas(64) std::array<std::uint8_t, 64> all;
  __m256i half = _mm256_max_epu8(_mm512_castsi512_si256(bytes),
                                 _mm512_extracti64x4_epi64(bytes, 1));
  _mm256_store_si256(reinterpret_cast<__m256i*>(all.data()), half);
  return *std::max_element(all.begin(), all.begin() + 32);
}

/// The rows of a step by their two low and their two high bits.
struct Quads {
  __m512i low[kQuad][kMostWords];
  __m512i high[kQuad][kMostWords];
};

/// Planes of all values of two bits.
FEATSIEVE_AVX512 void split_bits(__m512i first, __m512i second, std::size_t word,
                                 __m512i (*quads)[kMostWords]) {
  quads[3][word] = _mm512_and_si512(first, second);
  quads[2][word] = _mm512_andnot_si512(first, second);
  quads[1][word] = _mm512_andnot_si512(second, first);
  quads[0][word] = _mm512_ternarylogic_epi64(first, first, second, 0x01);
}

FEATSIEVE_AVX512 std::uint8_t to_quads(const std::uint8_t* codes, std::size_t n_rows,
                                       Quads& quads) {
  __m512i largest = _mm512_setzero_si512();
  __m512i planes[kBits];
  std::size_t word = 0;
  for (; (word + 1) * kRowsPerWord <= n_rows; ++word) {
    to_planes(codes + word * kRowsPerWord, largest, planes);
    split_bits(planes[0], planes[1], word, quads.low);
    split_bits(planes[2], planes[3], word, quads.high);
  }
  if (word * kRowsPerWord < n_rows) {
    std::array<std::uint8_t, kRowsPerWord> last{};
    std::memcpy(last.data(), codes + word * kRowsPerWord, n_rows - word * kRowsPerWord);
    to_planes(last.data(), largest, planes);
    split_bits(planes[0], planes[1], word, quads.low);
    split_bits(planes[2], planes[3], word, quads.high);
  }
  return largest_byte(largest);
}

/// Adds to cells[v * n_classes + c] the rows that low[v], high and class c have in
/// common, for kRows of low and kClasses classes. classes: a plane every n_words.
template <std::size_t kRows, std::size_t kClasses>
FEATSIEVE_AVX512 void count_cells(const __m512i (*low)[kMostWords], const __m512i* high,
                                  const void* classes, std::size_t n_words,
                                  std::size_t n_classes, std::int64_t* cells) {
  const auto* planes = static_cast<const std::uint8_t*>(classes);
  __m512i sums[kRows][kClasses];
  for (auto& row : sums)
    for (auto& sum : row) sum = _mm512_setzero_si512();
  for (std::size_t word = 0; word < n_words; ++word) {
    __m512i level[kRows];
    for (std::size_t v = 0; v < kRows; ++v)
      level[v] = _mm512_and_si512(low[v][word], high[word]);
    for (std::size_t c = 0; c < kClasses; ++c) {
      const __m512i in_class = _mm512_load_si512(planes + (c * n_words + word) * 64);
      for (std::size_t v = 0; v < kRows; ++v)
        sums[v][c] = _mm512_add_epi64(
            sums[v][c], _mm512_popcnt_epi64(_mm512_and_si512(level[v], in_class)));
    }
  }
  for (std::size_t v = 0; v < kRows; ++v)
    for (std::size_t c = 0; c < kClasses; ++c)
      cells[v * n_classes + c] += _mm512_reduce_add_epi64(sums[v][c]);
}

using CellCounter = void (*)(const __m512i (*)[kMostWords], const __m512i*, const void*,
                             std::size_t, std::size_t, std::int64_t*);

/// By rows and classes, both less one. No std::array, which would drop the attributes
/// of vectors from the type.
constexpr CellCounter kCounters[kQuad][kQuad] = {
    {count_cells<1, 1>, count_cells<1, 2>, count_cells<1, 3>, count_cells<1, 4>},
    {count_cells<2, 1>, count_cells<2, 2>, count_cells<2, 3>, count_cells<2, 4>},
    {count_cells<3, 1>, count_cells<3, 2>, count_cells<3, 3>, count_cells<3, 4>},
    {count_cells<4, 1>, count_cells<4, 2>, count_cells<4, 3>, count_cells<4, 4>}};

/// Writes the plane of 512 rows that are 1 or 0.
FEATSIEVE_AVX512 void write_plane(const std::uint8_t* rows, void* plane) {
  __m512i planes[kBits];
  __m512i largest = _mm512_setzero_si512();
  to_planes(rows, largest, planes);
  _mm512_store_si512(plane, planes[0]);
}

}  // namespace

ClassPlanes::ClassPlanes(std::span<const std::int32_t> classes, std::size_t n_classes,
                         std::size_t rows_per_step)
    : n_rows_(classes.size()),
      n_classes_(n_classes),
      rows_per_step_(rows_per_step),
      words_per_step_((rows_per_step + kRowsPerWord - 1) / kRowsPerWord) {
  if (n_classes > kMostClasses || rows_per_step == 0 || rows_per_step > kStep)
    throw std::invalid_argument("too many classes or rows for planes");
  std::array<std::uint8_t, kRowsPerWord> is_class;
  for (std::size_t begin = 0; begin < n_rows_; begin += rows_per_step) {
    const std::size_t size = std::min(rows_per_step, n_rows_ - begin);
    const std::size_t n_words = (size + kRowsPerWord - 1) / kRowsPerWord;
    const std::size_t origin = planes_.size();
    planes_.resize(origin + n_classes * words_per_step_);
    for (std::size_t c = 0; c < n_classes; ++c) {
      std::int64_t total = 0;
      for (std::size_t word = 0; word < n_words; ++word) {
        const std::size_t from = word * kRowsPerWord;
        const std::size_t n = std::min(kRowsPerWord, size - from);
        is_class.fill(0);
        for (std::size_t i = 0; i < n; ++i)
          is_class[i] = classes[begin + from + i] == static_cast<std::int32_t>(c);
        total += std::count(is_class.begin(), is_class.end(), std::uint8_t{1});
        write_plane(is_class.data(), &planes_[origin + c * n_words + word]);
      }
      totals_.push_back(total);
    }
  }
}

FEATSIEVE_AVX512 std::uint8_t ClassPlanes::add(const std::uint8_t* codes,
                                               std::size_t step,
                                               std::int64_t* cells) const {
  const std::size_t size = std::min(rows_per_step_, n_rows_ - step * rows_per_step_);
  const std::size_t n_words = (size + kRowsPerWord - 1) / kRowsPerWord;
  const Word* classes = planes_.data() + step * n_classes_ * words_per_step_;
  Quads quads;
  const std::uint8_t largest = to_quads(codes, size, quads);
  if (largest >= kLevels) return largest;
  std::array<std::int64_t, kLevels * kMostClasses> counts;
  std::fill_n(counts.begin(), (largest + 1U) * n_classes_, 0);
  // Level 0 is what the others leave of a class.
  for (std::size_t high = 0; high <= largest / kQuad; ++high) {
    const std::size_t begin = high == 0 ? 1 : 0;
    const std::size_t end = std::min(kQuad, largest + 1 - high * kQuad);
    if (begin == end) continue;
    for (std::size_t c = 0; c < n_classes_; c += kQuad)
      kCounters[end - begin - 1][std::min(kQuad, n_classes_ - c) - 1](
          quads.low + begin, quads.high[high], classes + c * n_words, n_words,
          n_classes_, &counts[(high * kQuad + begin) * n_classes_ + c]);
  }
  for (std::size_t c = 0; c < n_classes_; ++c) {
    std::int64_t rest = totals_[step * n_classes_ + c];
    for (std::size_t level = 1; level <= largest; ++level) {
      const std::int64_t count = counts[level * n_classes_ + c];
      cells[level * n_classes_ + c] += count;
      rest -= count;
    }
    cells[c] += rest;
  }
  return largest;
}

#else

ClassPlanes::ClassPlanes(std::span<const std::int32_t>, std::size_t, std::size_t) {
  throw std::invalid_argument("this machine cannot count planes of bits");
}

std::uint8_t ClassPlanes::add(const std::uint8_t*, std::size_t, std::int64_t*) const {
  return 0;
}

#endif

}  // namespace featsieve
