#include "featsieve/encode.hpp"

#include <algorithm>
#include <cstddef>
#include <type_traits>

namespace featsieve {
namespace {

/// A tile of rows × columns whose destination lines stay in the first-level cache.
constexpr std::size_t kTileRows = 64;
constexpr std::size_t kTileColumns = 64;

}  // namespace

template <class Value>
bool encode_bytes(const MatrixView<Value>& values, std::vector<std::uint8_t>& codes) {
  codes.resize(values.n_rows * values.n_columns);
  for (std::size_t row0 = 0; row0 < values.n_rows; row0 += kTileRows) {
    const std::size_t row1 = std::min(row0 + kTileRows, values.n_rows);
    for (std::size_t j0 = 0; j0 < values.n_columns; j0 += kTileColumns) {
      const std::size_t j1 = std::min(j0 + kTileColumns, values.n_columns);
      bool good = true;
      std::uint8_t tile[kTileRows][kTileColumns];
      for (std::size_t row = row0; row < row1; ++row) {
        const Value* source = &values(row, j0);
        std::uint8_t* line = tile[row - row0];
        for (std::size_t j = 0; j < j1 - j0; ++j) {
          const Value value =
              source[static_cast<std::ptrdiff_t>(j) * values.column_stride];
          // Out-of-range conversions are undefined, so the range is tested first;
          // NaN fails both comparisons.
          const bool inside = value >= Value{0} && value <= Value{255};
          const auto code = static_cast<std::int32_t>(inside ? value : Value{0});
          good &= inside && static_cast<Value>(code) == value;
          line[j] = static_cast<std::uint8_t>(code);
        }
      }
      if (!good) return false;
      for (std::size_t j = j0; j < j1; ++j) {
        std::uint8_t* column = &codes[j * values.n_rows];
        for (std::size_t row = row0; row < row1; ++row)
          column[row] = tile[row - row0][j - j0];
      }
    }
  }
  return true;
}

template bool encode_bytes(const MatrixView<double>&, std::vector<std::uint8_t>&);
template bool encode_bytes(const MatrixView<float>&, std::vector<std::uint8_t>&);
template bool encode_bytes(const MatrixView<std::int64_t>&, std::vector<std::uint8_t>&);
template bool encode_bytes(const MatrixView<std::int32_t>&, std::vector<std::uint8_t>&);

}  // namespace featsieve
