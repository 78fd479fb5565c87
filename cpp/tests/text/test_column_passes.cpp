#include <bit>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "text/column_passes.hpp"

using namespace featsieve;

namespace {

constexpr std::int32_t kRows = 1'000;

CASE("codes follow the table") {
  const std::vector<std::int32_t> table{-1, 2, 0, 1, 3};
  for (const std::int32_t n_seen : {5, 4}) {  // all levels occur, or all but the last
    std::vector<std::int32_t> codes;
    for (std::int32_t row = 0; row < kRows; ++row) codes.push_back(row % n_seen - 1);
    std::vector<std::int32_t> out(codes.size());
    std::vector<std::uint8_t> used(table.size());
    recode_levels(codes, table, out, used);
    bool right = true;
    for (std::size_t row = 0; row < codes.size(); ++row)
      right &= out[row] == table[static_cast<std::size_t>(codes[row] + 1)];
    check::that(right, "every code");
    check::that(used[1] && used[2] && used[3] && used[4] == (n_seen == 5), "marks");
    recode_levels(codes, table, codes, used);
    check::that(codes == out, "where they stand");
  }
}

CASE("strangers are refused") {
  const std::vector<std::int32_t> table{-1, 0, 1};
  for (const std::int32_t wrong : {2, -2, std::numeric_limits<std::int32_t>::max(),
                                   std::numeric_limits<std::int32_t>::min()}) {
    std::vector<std::int32_t> codes(kRows, 0);
    codes.back() = wrong;
    std::vector<std::uint8_t> used(3);
    check::refuses([&] { recode_levels(codes, table, codes, used); },
                   "outside the table");
  }
  std::vector<std::int32_t> codes(3, 0);
  std::vector<std::uint8_t> used(2);
  check::refuses([&] { recode_levels(codes, table, codes, used); }, "too few marks");
}

CASE("sizes") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  check::equal(greatest_size({}), 0, "no value");
  for (const std::size_t n_rows : {1U, 15U, 16U, 17U, 50U}) {
    for (std::size_t place = 0; place < n_rows; ++place) {
      std::vector<double> values(n_rows, nan);
      check::equal(greatest_size(values), 0, "only NaN");
      for (const double value : {-3.0, 0.5, -infinity}) {
        values[place] = value;
        check::equal(greatest_size(values) - std::abs(value),
                     std::isinf(value) ? nan : 0, "one value among NaN");
      }
    }
  }
}

CASE("whole numbers become doubles") {
  const std::int64_t low = std::numeric_limits<std::int64_t>::min();
  std::vector<std::int64_t> values{0, -1, 7, (std::int64_t{1} << 53) + 1, low};
  const std::vector<std::int64_t> before = values;
  check::equal(whole_to_double(values), 0x1p63, "the greatest size");
  for (std::size_t i = 0; i < values.size(); ++i)
    check::equal(std::bit_cast<double>(values[i]), before[i], "as a double");
  check::equal(whole_to_double({}), 0, "no value");
}

}  // namespace
