#include "counting/encode.hpp"

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "common/byte_transpose.hpp"

namespace featsieve {
namespace {

/// A tile of rows × columns whose destination lines stay in the first-level cache.
constexpr std::size_t kTileRows = 64;
constexpr std::size_t kTileColumns = 64;

/// One value as a byte; false if it is no whole number from 0 to 255.
template <class Value>
bool encode_one(Value value, std::uint8_t& code) {
  // Out-of-range conversions are undefined, so the range is tested first; NaN fails
  // both comparisons.
  const bool inside = value >= Value{0} && value <= Value{255};
  code = static_cast<std::uint8_t>(inside ? value : Value{0});
  return inside && static_cast<Value>(code) == value;
}

#if defined(__SSE2__)

/// Four numbers cut to int32, in `cut`; all bits set in lanes that had a fraction.
/// What does not fit, NaN included, becomes the smallest int32.
inline __m128i cut_four(const double* values, __m128i& cut) {
  const __m128d low = _mm_loadu_pd(values);
  const __m128d high = _mm_loadu_pd(values + 2);
  const __m128i low_cut = _mm_cvttpd_epi32(low);
  const __m128i high_cut = _mm_cvttpd_epi32(high);
  cut = _mm_unpacklo_epi64(low_cut, high_cut);
  return _mm_castpd_si128(_mm_or_pd(_mm_cmpneq_pd(_mm_cvtepi32_pd(low_cut), low),
                                    _mm_cmpneq_pd(_mm_cvtepi32_pd(high_cut), high)));
}

inline __m128i cut_four(const float* values, __m128i& cut) {
  const __m128 four = _mm_loadu_ps(values);
  cut = _mm_cvttps_epi32(four);
  return _mm_castps_si128(_mm_cmpneq_ps(_mm_cvtepi32_ps(cut), four));
}

/// Encodes as many neighbours as fill vectors; returns how many, and in `good` whether
/// all were codes.
template <class Value>
std::size_t encode_vectors(const Value* values, std::size_t size, std::uint8_t* codes,
                           bool& good) {
  __m128i bad = _mm_setzero_si128();   // any bit: a fraction
  __m128i seen = _mm_setzero_si128();  // bits beyond the low byte: out of range
  std::size_t i = 0;
  for (; i + 16 <= size; i += 16) {
    __m128i cut[4];
    for (std::size_t part = 0; part < 4; ++part) {
      bad = _mm_or_si128(bad, cut_four(values + i + 4 * part, cut[part]));
      seen = _mm_or_si128(seen, cut[part]);
    }
    const __m128i bytes = _mm_packus_epi16(_mm_packs_epi32(cut[0], cut[1]),
                                           _mm_packs_epi32(cut[2], cut[3]));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(codes + i), bytes);
  }
  bad = _mm_or_si128(bad, _mm_andnot_si128(_mm_set1_epi32(0xFF), seen));
  good = _mm_movemask_epi8(_mm_cmpeq_epi8(bad, _mm_setzero_si128())) == 0xFFFF;
  return i;
}

#endif

/// Neighbours in memory.
template <class Value>
bool encode_line(const Value* values, std::size_t size, std::uint8_t* codes) {
  bool good = true;
  std::size_t i = 0;
  if constexpr (std::is_integral_v<Value>) {
    // No test per value, so that the loop is vectorised.
    Value seen{0};
    for (; i < size; ++i) {
      seen |= values[i];
      codes[i] = static_cast<std::uint8_t>(values[i]);
    }
    return (seen & ~Value{0xFF}) == 0;
  }
#if defined(__SSE2__)
  else {
    i = encode_vectors(values, size, codes, good);
  }
#endif
  for (; i < size; ++i) good = encode_one(values[i], codes[i]) && good;
  return good;
}

}  // namespace

template <class Value>
bool encode_bytes(const MatrixView<Value>& values, std::vector<std::uint8_t>& codes) {
  codes.resize(values.n_rows * values.n_columns);
  if (values.row_stride == 1) {
    for (std::size_t j = 0; j < values.n_columns && values.n_rows > 0; ++j)
      if (!encode_line(&values(0, j), values.n_rows, &codes[j * values.n_rows]))
        return false;
    return true;
  }
  for (std::size_t row0 = 0; row0 < values.n_rows; row0 += kTileRows) {
    const std::size_t row1 = std::min(row0 + kTileRows, values.n_rows);
    for (std::size_t j0 = 0; j0 < values.n_columns; j0 += kTileColumns) {
      const std::size_t width = std::min(kTileColumns, values.n_columns - j0);
      bool good = true;
      std::uint8_t tile[kTileRows][kTileColumns];
      for (std::size_t row = row0; row < row1; ++row) {
        std::uint8_t* line = tile[row - row0];
        if (values.column_stride == 1) {
          good = encode_line(&values(row, j0), width, line) && good;
        } else {
          for (std::size_t k = 0; k < width; ++k)
            good = encode_one(values(row, j0 + k), line[k]) && good;
        }
      }
      if (!good) return false;
      transpose_bytes(&tile[0][0], kTileColumns, row1 - row0, width,
                      &codes[j0 * values.n_rows + row0], values.n_rows);
    }
  }
  return true;
}

template bool encode_bytes(const MatrixView<double>&, std::vector<std::uint8_t>&);
template bool encode_bytes(const MatrixView<float>&, std::vector<std::uint8_t>&);
template bool encode_bytes(const MatrixView<std::int64_t>&, std::vector<std::uint8_t>&);
template bool encode_bytes(const MatrixView<std::int32_t>&, std::vector<std::uint8_t>&);

}  // namespace featsieve
