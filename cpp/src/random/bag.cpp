#include "random/bag.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "random/random.hpp"

namespace featsieve {

std::vector<double> draw_bag(std::size_t n_rows, std::span<const double> chances,
                             std::uint64_t seed, bool distinct) {
  std::vector<double> counts(n_rows, 0.0);
  Random random(seed);
  if (chances.empty()) {
    for (std::size_t i = 0; i < n_rows; ++i) counts[random.below(n_rows)] += 1;
  } else {
    if (chances.size() != n_rows)
      throw std::invalid_argument("chances must be one per row");
    std::vector<double> ends(n_rows);
    std::partial_sum(chances.begin(), chances.end(), ends.begin());
    const double total = n_rows > 0 ? ends.back() : 0.0;
    // Rounding may put a draw at the very end; the last row with a chance takes it.
    const auto last = std::lower_bound(ends.begin(), ends.end(), total);
    for (std::size_t i = 0; i < n_rows; ++i) {
      const auto found = std::upper_bound(ends.begin(), last, random.uniform() * total);
      counts[static_cast<std::size_t>(found - ends.begin())] += 1;
    }
  }
  if (distinct)
    for (double& count : counts) count = std::min(count, 1.0);
  return counts;
}

}  // namespace featsieve
