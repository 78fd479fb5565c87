#pragma once

#include <cstddef>
#include <cstdint>

namespace featsieve {

/// A matrix of codes that somebody else owns. Strides count elements, not bytes.
/// A negative code is a missing value.
template <class Code>
struct MatrixView {
  const Code* data;
  std::size_t n_rows;
  std::size_t n_columns;
  std::ptrdiff_t row_stride;
  std::ptrdiff_t column_stride;

  const Code& operator()(std::size_t row, std::size_t column) const {
    return data[static_cast<std::ptrdiff_t>(row) * row_stride +
                static_cast<std::ptrdiff_t>(column) * column_stride];
  }
};

}  // namespace featsieve
