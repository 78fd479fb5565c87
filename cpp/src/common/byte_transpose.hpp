#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "common/simd.hpp"

namespace featsieve {

namespace detail {

inline void transpose_plainly(const std::uint8_t* source, std::size_t source_stride,
                              std::size_t n_rows, std::size_t n_columns,
                              std::uint8_t* target, std::size_t target_stride) {
  for (std::size_t j = 0; j < n_columns; ++j)
    for (std::size_t i = 0; i < n_rows; ++i)
      target[j * target_stride + i] = source[i * source_stride + j];
}

#ifdef FEATSIEVE_X86

/// 16 × 16 bytes, with what every x86-64 has: four rounds, each of which interleaves
/// row i with row i + 8.
inline void transpose_16(const std::uint8_t* source, std::size_t source_stride,
                         std::uint8_t* target, std::size_t target_stride) {
  __m128i rows[16];
  for (std::size_t i = 0; i < 16; ++i)
    rows[i] =
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(source + i * source_stride));
  for (int round = 0; round < 4; ++round) {
    __m128i mixed[16];
    for (std::size_t i = 0; i < 8; ++i) {
      mixed[2 * i] = _mm_unpacklo_epi8(rows[i], rows[i + 8]);
      mixed[2 * i + 1] = _mm_unpackhi_epi8(rows[i], rows[i + 8]);
    }
    std::copy(mixed, mixed + 16, rows);
  }
  for (std::size_t j = 0; j < 16; ++j)
    _mm_storeu_si128(reinterpret_cast<__m128i*>(target + j * target_stride), rows[j]);
}

#endif

}  // namespace detail

/// Rows of bytes into columns of bytes: target[j * target_stride + i] becomes
/// source[i * source_stride + j]. The two must not overlap.
inline void transpose_bytes(const std::uint8_t* source, std::size_t source_stride,
                            std::size_t n_rows, std::size_t n_columns,
                            std::uint8_t* target, std::size_t target_stride) {
  std::size_t whole_rows = 0;
  std::size_t whole_columns = 0;
#ifdef FEATSIEVE_X86
  whole_rows = n_rows - n_rows % 16;
  whole_columns = n_columns - n_columns % 16;
  for (std::size_t j = 0; j < whole_columns; j += 16)
    for (std::size_t i = 0; i < whole_rows; i += 16)
      detail::transpose_16(source + i * source_stride + j, source_stride,
                           target + j * target_stride + i, target_stride);
#endif
  // What is left: a strip of rows below, and a strip of columns beside the blocks.
  detail::transpose_plainly(source + whole_rows * source_stride, source_stride,
                            n_rows - whole_rows, whole_columns, target + whole_rows,
                            target_stride);
  detail::transpose_plainly(source + whole_columns, source_stride, n_rows,
                            n_columns - whole_columns,
                            target + whole_columns * target_stride, target_stride);
}

}  // namespace featsieve
