#include "neighbours/coarse_distance.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "common/simd.hpp"

namespace featsieve {
namespace {

using Words = CoarseDistances::Words;
constexpr std::size_t kRows = CoarseDistances::kRowsPerTile;

/// Anchors that share the loads of a tile; four keep eight sums in registers.
constexpr std::size_t kAnchorsAtOnce = 4;

constexpr std::int16_t kMissing = -32768;

/// So few that the differences of kWordsAtOnce columns add up in 16 bits, which saves
/// widening most of them: 12 bits are far finer than neighbours lie apart.
constexpr double kMostUnits = 4095;
constexpr std::size_t kWordsAtOnce = 8;

/// Levels have 15 bits.
constexpr double kMostLevel = 32767;

/// Sums stay below 2^31.
constexpr double kMostSum = 2147000000.0;

constexpr std::size_t words_for(std::size_t columns) { return (columns + 1) / 2; }

std::uint32_t pack(std::int16_t low, std::int16_t high) {
  return static_cast<std::uint16_t>(low) |
         static_cast<std::uint32_t>(static_cast<std::uint16_t>(high)) << 16U;
}

std::int16_t half(std::uint32_t word, unsigned which) {
  return static_cast<std::int16_t>(static_cast<std::uint16_t>(word >> (16 * which)));
}

struct Tile {
  const std::uint32_t* words;  // words × kRows
  Words sizes;
  std::int16_t units;
};

/// One anchor (its words one after another) against a tile.
void tile_portably(const std::uint32_t* anchor, const Tile& tile, std::int32_t* out) {
  std::array<std::int32_t, kRows> sums{};
  const std::uint32_t* words = tile.words;
  const auto each_half = [&](std::size_t count, const auto& difference) {
    for (std::size_t w = 0; w < count; ++w, ++anchor, words += kRows)
      for (std::size_t r = 0; r < kRows; ++r)
        for (const unsigned which : {0U, 1U})
          sums[r] += difference(half(*anchor, which), half(words[r], which));
  };
  const auto numeric = [](std::int16_t a, std::int16_t b) { return std::abs(a - b); };
  const std::int32_t units = tile.units;
  const auto nominal = [units](std::int16_t a, std::int16_t b) {
    return a == b ? 0 : units;
  };
  each_half(tile.sizes.numeric, numeric);
  each_half(tile.sizes.nominal, nominal);
  const auto each_gap = [&](std::size_t count, const auto& difference) {
    for (std::size_t w = 0; w < count; ++w, ++anchor, words += kRows)
      for (std::size_t r = 0; r < kRows; ++r)
        for (const unsigned which : {0U, 1U}) {
          const std::int16_t a = half(*anchor, which);
          const std::int16_t b = half(words[r], which);
          if (b == kMissing) {
            sums[r] += half(anchor[count], which);
          } else if (a == kMissing) {
            sums[r] += half(words[count * kRows + r], which);
          } else {
            sums[r] += difference(a, b);
          }
        }
    anchor += count;
    words += count * kRows;
  };
  each_gap(tile.sizes.numeric_gaps, numeric);
  each_gap(tile.sizes.nominal_gaps, nominal);
  std::copy(sums.begin(), sums.end(), out);
}

#ifdef FEATSIEVE_X86

FEATSIEVE_AVX2 inline __m256i load(const std::uint32_t* words) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words));
}

FEATSIEVE_AVX2 inline __m256i broadcast(std::uint32_t word) {
  return _mm256_set1_epi32(static_cast<int>(word));
}

/// Adds the differences of kWords words of numbers; they are widened together.
template <std::size_t kWords>
FEATSIEVE_AVX2 inline void add_numbers(const std::uint32_t* anchor,
                                       const std::uint32_t* words, __m256i* sums) {
  __m256i narrow[2] = {_mm256_setzero_si256(), _mm256_setzero_si256()};
  for (std::size_t i = 0; i < kWords; ++i) {
    const __m256i own = broadcast(anchor[i]);
    for (std::size_t h = 0; h < 2; ++h) {
      const __m256i rows = load(words + i * kRows + 8 * h);
      narrow[h] =
          _mm256_add_epi16(narrow[h], _mm256_abs_epi16(_mm256_sub_epi16(own, rows)));
    }
  }
  const __m256i ones = _mm256_set1_epi16(1);
  for (std::size_t h = 0; h < 2; ++h)
    sums[h] = _mm256_add_epi32(sums[h], _mm256_madd_epi16(narrow[h], ones));
}

/// kAnchors anchors, `stride` words apart, against a tile.
template <std::size_t kAnchors>
FEATSIEVE_AVX2 void tile_avx2(const std::uint32_t* anchors, std::size_t stride,
                              const Tile& tile, std::int32_t* out,
                              std::size_t out_stride) {
  const __m256i ones = _mm256_set1_epi16(1);
  const __m256i units = _mm256_set1_epi16(tile.units);
  __m256i sums[kAnchors][2];
  for (auto& pair : sums) pair[0] = pair[1] = _mm256_setzero_si256();
  const std::uint32_t* words = tile.words;
  std::size_t w = 0;
  for (; w + kWordsAtOnce <= tile.sizes.numeric; w += kWordsAtOnce) {
    for (std::size_t k = 0; k < kAnchors; ++k)
      add_numbers<kWordsAtOnce>(anchors + k * stride + w, words, sums[k]);
    words += kWordsAtOnce * kRows;
  }
  for (; w < tile.sizes.numeric; ++w, words += kRows)
    for (std::size_t k = 0; k < kAnchors; ++k)
      add_numbers<1>(anchors + k * stride + w, words, sums[k]);
  for (const std::size_t end = w + tile.sizes.nominal; w < end; ++w, words += kRows) {
    const __m256i rows[2] = {load(words), load(words + 8)};
    for (std::size_t k = 0; k < kAnchors; ++k) {
      const __m256i anchor = broadcast(anchors[k * stride + w]);
      for (std::size_t h = 0; h < 2; ++h) {
        const __m256i difference =
            _mm256_andnot_si256(_mm256_cmpeq_epi16(anchor, rows[h]), units);
        sums[k][h] = _mm256_add_epi32(sums[k][h], _mm256_madd_epi16(difference, ones));
      }
    }
  }
  for (const bool numeric : {true, false}) {
    const std::size_t count =
        numeric ? tile.sizes.numeric_gaps : tile.sizes.nominal_gaps;
    for (std::size_t i = 0; i < count; ++i, ++w, words += kRows) {
      const std::uint32_t* expected = words + count * kRows;
      const __m256i rows[2] = {load(words), load(words + 8)};
      const __m256i expected_rows[2] = {load(expected), load(expected + 8)};
      for (std::size_t k = 0; k < kAnchors; ++k) {
        const __m256i anchor = broadcast(anchors[k * stride + w]);
        const __m256i expected_anchor = broadcast(anchors[k * stride + w + count]);
        for (std::size_t h = 0; h < 2; ++h) {
          __m256i difference =
              numeric ? _mm256_abs_epi16(_mm256_sub_epi16(anchor, rows[h]))
                      : _mm256_andnot_si256(_mm256_cmpeq_epi16(anchor, rows[h]), units);
          difference = _mm256_blendv_epi8(difference, expected_rows[h],
                                          _mm256_srai_epi16(anchor, 15));
          difference = _mm256_blendv_epi8(difference, expected_anchor,
                                          _mm256_srai_epi16(rows[h], 15));
          sums[k][h] =
              _mm256_add_epi32(sums[k][h], _mm256_madd_epi16(difference, ones));
        }
      }
    }
    w += count;
    words += count * kRows;
  }
  for (std::size_t k = 0; k < kAnchors; ++k)
    for (std::size_t h = 0; h < 2; ++h)
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + k * out_stride + 8 * h),
                          sums[k][h]);
}

#endif

}  // namespace

CoarseDistances::CoarseDistances(const MixedRows& rows, Instructions instructions)
    : n_rows_(rows.n_rows),
      n_tiles_((rows.n_rows + kRows - 1) / kRows),
      words_{words_for(rows.groups.numeric), words_for(rows.groups.nominal),
             words_for(rows.groups.numeric_gaps), words_for(rows.groups.nominal_gaps)},
      wide_(require(instructions) != Instructions::kPortable) {
  const auto columns =
      static_cast<double>(std::max<std::size_t>(rows.groups.total(), 1));
  units_ = std::floor(std::min(kMostUnits, kMostSum / columns));
  residuals_.assign(n_rows_, 0);
  tiles_.assign(n_tiles_ * words_.total() * kRows, 0);
  fill(rows);
  for (const double residual : residuals_)
    largest_residual_ = std::max(largest_residual_, residual);
}

void CoarseDistances::fill(const MixedRows& rows) {
  const ColumnGroups& groups = rows.groups;
  for (std::size_t i = 0; i < n_rows_; ++i) {
    std::uint32_t* word =
        tiles_.data() + i / kRows * words_.total() * kRows + i % kRows;
    const double* value = rows.row(i);
    const double* expected = rows.expected_of(i);
    double& residual = residuals_[i];
    const auto number = [&](double x) {
      const double scaled = x * units_;
      const double whole = std::nearbyint(scaled);
      residual += std::abs(scaled - whole);
      return static_cast<std::int16_t>(whole);
    };
    const auto level = [&](double x) {
      // Levels beyond 15 bits share codes; then a whole unit may be wrong.
      if (x > kMostLevel) residual += units_;
      return static_cast<std::int16_t>(static_cast<std::int64_t>(x) & 0x7FFF);
    };
    const auto put = [&](std::size_t count, std::size_t n_words, const double* source,
                         const auto& code) {
      for (std::size_t w = 0; w < n_words; ++w, word += kRows) {
        const std::size_t j = 2 * w;
        const auto low = code(source[j]);
        *word = pack(low, j + 1 < count ? code(source[j + 1]) : std::int16_t{0});
      }
    };
    const auto known = [](const auto& code) {
      return [&code](double x) { return x == x ? code(x) : kMissing; };
    };
    put(groups.numeric, words_.numeric, value, number);
    put(groups.nominal, words_.nominal, value + groups.numeric, level);
    value += groups.complete();
    put(groups.numeric_gaps, words_.numeric_gaps, value, known(number));
    put(groups.numeric_gaps, words_.numeric_gaps, expected, number);
    value += groups.numeric_gaps;
    expected += groups.numeric_gaps;
    put(groups.nominal_gaps, words_.nominal_gaps, value, known(level));
    put(groups.nominal_gaps, words_.nominal_gaps, expected, number);
  }
}

std::int32_t CoarseDistances::error(std::size_t a) const {
  const double bound = std::ceil(residuals_[a] + largest_residual_) + 1;
  return static_cast<std::int32_t>(std::min(bound, kMostSum / 2));
}

void CoarseDistances::from(std::span<const std::int32_t> anchors,
                           std::span<std::int32_t> out) const {
  const std::size_t n_words = words_.total();
  std::vector<std::uint32_t> packed(anchors.size() * n_words);
  for (std::size_t k = 0; k < anchors.size(); ++k) {
    const auto row = static_cast<std::size_t>(anchors[k]);
    const std::uint32_t* source =
        tiles_.data() + row / kRows * n_words * kRows + row % kRows;
    for (std::size_t w = 0; w < n_words; ++w)
      packed[k * n_words + w] = source[w * kRows];
  }
  const auto units = static_cast<std::int16_t>(units_);
  for (std::size_t t = 0; t < n_tiles_; ++t) {
    const Tile tile{tiles_.data() + t * n_words * kRows, words_, units};
    std::int32_t* target = out.data() + t * kRows;
    std::size_t k = 0;
#ifdef FEATSIEVE_X86
    if (wide_) {
      for (; k + kAnchorsAtOnce <= anchors.size(); k += kAnchorsAtOnce)
        tile_avx2<kAnchorsAtOnce>(packed.data() + k * n_words, n_words, tile,
                                  target + k * stride(), stride());
      for (; k < anchors.size(); ++k)
        tile_avx2<1>(packed.data() + k * n_words, n_words, tile, target + k * stride(),
                     stride());
    }
#endif
    for (; k < anchors.size(); ++k)
      tile_portably(packed.data() + k * n_words, tile, target + k * stride());
  }
}

}  // namespace featsieve
