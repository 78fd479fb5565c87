#include <cmath>
#include <cstdint>

#include "check.hpp"
#include "common/log_factorials.hpp"

using namespace featsieve;

namespace {

CASE("log factorials") {
  const LogFactorials small(10);
  check::equal(small(0), 0, "0!");
  check::equal(small(10), std::log(3628800.0), "10!", 1e-12);
  const LogFactorials large(1'000'000'000);
  for (const std::int64_t k : {1000LL, 131072LL, 131073LL, 1000000000LL})
    check::equal(large(k) / std::lgamma(static_cast<double>(k) + 1), 1, "ln k!", 1e-13);
}

}  // namespace
