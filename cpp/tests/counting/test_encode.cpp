#include <cstdint>
#include <limits>
#include <vector>

#include "check.hpp"
#include "counting/encode.hpp"

using namespace featsieve;

namespace {

template <class Value>
void round_trip() {
  const std::size_t n_rows = 130;
  const std::size_t n_columns = 70;
  const auto rows = static_cast<std::ptrdiff_t>(n_rows);
  const auto columns = static_cast<std::ptrdiff_t>(n_columns);
  std::vector<Value> values(2 * n_rows * n_columns);
  const MatrixView<Value> by_row{values.data(), n_rows, n_columns, columns, 1};
  const MatrixView<Value> by_column{values.data(), n_rows, n_columns, 1, rows};
  const MatrixView<Value> apart{values.data(), n_rows, n_columns, 2 * columns, 2};
  for (const auto& view : {by_row, by_column, apart}) {
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<Value>(i * 7 % 256);
    std::vector<std::uint8_t> codes;
    check::that(encode_bytes(view, codes), "whole numbers are codes");
    bool equal = true;
    for (std::size_t i = 0; i < n_rows; ++i)
      for (std::size_t j = 0; j < n_columns; ++j)
        equal = equal && static_cast<Value>(codes[j * n_rows + i]) == view(i, j);
    check::that(equal, "column after column");
    // Among the vectors, and in what is left behind the last one.
    for (const std::size_t column : {std::size_t{5}, n_columns - 1}) {
      for (const double wrong : {-1.0, 256.0, 65536.0, -2147483648.0}) {
        auto& value = const_cast<Value&>(view(n_rows - 1, column));
        const Value before = value;
        value = static_cast<Value>(wrong);
        check::that(!encode_bytes(view, codes), "refused");
        value = before;
      }
    }
  }
}

CASE("whole numbers") {
  round_trip<double>();
  round_trip<float>();
  round_trip<std::int64_t>();
  round_trip<std::int32_t>();
}

CASE("anything else") {
  for (const double wrong : {0.5, 254.99, std::numeric_limits<double>::quiet_NaN(),
                             1e30, -1e30, std::numeric_limits<double>::infinity()}) {
    for (const std::size_t position : {0U, 3U, 15U, 16U, 32U}) {
      std::vector<double> values(33, 1.0);
      values[position] = wrong;
      const std::vector<float> narrow(values.begin(), values.end());
      std::vector<std::uint8_t> codes;
      check::that(!encode_bytes(MatrixView<double>{values.data(), 33, 1, 1, 33}, codes),
                  "refused");
      check::that(!encode_bytes(MatrixView<float>{narrow.data(), 1, 33, 33, 1}, codes),
                  "refused as float");
    }
  }
}

}  // namespace
