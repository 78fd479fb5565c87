#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/log_factorials.hpp"
#include "random/random.hpp"

namespace featsieve {

/// How many of a sample from good + bad balls are good.
std::int64_t draw_hypergeometric(std::int64_t good, std::int64_t bad,
                                 std::int64_t sample, const LogFactorials& lf,
                                 Random& random);

/// Rows that wait for a level, per class.
struct Waiting {
  std::vector<std::int64_t> per_class;
  std::int64_t total = 0;

  void fill(std::span<const std::int64_t> class_totals);

  /// Takes `wanted` rows at random; counts[c] of them are of class c.
  void take(std::int64_t wanted, const LogFactorials& lf, Random& random,
            std::int64_t* counts);

  /// Takes one row at random and returns its class.
  std::size_t take_one(Random& random) {
    auto place =
        static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(total)));
    --total;
    std::size_t c = 0;
    while (place >= per_class[c]) place -= per_class[c++];
    --per_class[c];
    return c;
  }
};

}  // namespace featsieve
