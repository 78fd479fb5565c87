#include <cstddef>
#include <cstdint>

#include "check.hpp"
#include "common/exact_log_table.hpp"
#include "featsieve/log_table.hpp"

using namespace featsieve;

namespace {

CASE("looked up or computed, the same") {
  const LogTable small(10);
  const LogTable large(LogTable::kLargest);
  for (const std::int64_t count : {0, 1, 2, 10, 1000, 1 << 20}) {
    check::equal(small(count), x_log2_x(static_cast<double>(count)), "small");
    check::equal(large(count), small(count), "large");
  }
}

CASE("exact sums") {
  const ExactLogTable logs(1 << 19);  // beyond its table
  check::that(!logs.is_whole() && ExactLogTable(100).is_whole(), "size of the table");
  for (const std::size_t count : {0U, 1U, 7U, 1U << 18U, (1U << 18U) + 1U})
    check::equal(static_cast<double>(logs(count)) * logs.unit(),
                 x_log2_x(static_cast<double>(count)), "a logarithm", 1e-8);
}

}  // namespace
