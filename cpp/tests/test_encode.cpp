#include <cstdint>
#include <limits>
#include <vector>

#include "check.hpp"
#include "featsieve/encode.hpp"

using namespace featsieve;

namespace {

template <class Value>
void round_trip() {
  const std::size_t n_rows = 130;
  const std::size_t n_columns = 70;
  std::vector<Value> values(n_rows * n_columns);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<Value>(i * 7 % 256);
  std::vector<std::uint8_t> codes;
  const MatrixView<Value> by_row{values.data(), n_rows, n_columns,
                                 static_cast<std::ptrdiff_t>(n_columns), 1};
  check::that(encode_bytes(by_row, codes), "whole numbers are codes");
  bool equal = true;
  for (std::size_t i = 0; i < n_rows; ++i)
    for (std::size_t j = 0; j < n_columns; ++j)
      equal = equal && static_cast<Value>(codes[j * n_rows + i]) == by_row(i, j);
  check::that(equal, "column after column");
  for (const double wrong : {-1.0, 256.0}) {
    values[5] = static_cast<Value>(wrong);
    check::that(!encode_bytes(by_row, codes), "refused");
  }
}

void whole_numbers() {
  round_trip<double>();
  round_trip<float>();
  round_trip<std::int64_t>();
  round_trip<std::int32_t>();
}

void anything_else_is_refused() {
  for (const double wrong : {0.5, std::numeric_limits<double>::quiet_NaN(), 1e300,
                             -1e300, std::numeric_limits<double>::infinity()}) {
    const std::vector<double> values{1, wrong};
    std::vector<std::uint8_t> codes;
    check::that(!encode_bytes(MatrixView<double>{values.data(), 2, 1, 1, 2}, codes),
                "refused");
  }
}

}  // namespace

int main() {
  return check::run(
      {{"whole numbers", whole_numbers}, {"anything else", anything_else_is_refused}});
}
