#include "featsieve/shadow_growth.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "featsieve/random.hpp"
#include "featsieve/tree_growth.hpp"

namespace featsieve {

namespace {

/// Draws rows with replacement; a row's weight is 1 if it was drawn at all.
class DistinctBag {
 public:
  DistinctBag(std::size_t n_rows, std::span<const double> chances)
      : weights_(n_rows), ends_(chances.size()) {
    if (!chances.empty() && chances.size() != n_rows)
      throw std::invalid_argument("row_chances must be one per row");
    std::partial_sum(chances.begin(), chances.end(), ends_.begin());
    if (!ends_.empty() && !(ends_.back() > 0))
      throw std::invalid_argument("some row must have a chance");
  }

  std::span<const double> draw(Random& random) {
    std::fill(weights_.begin(), weights_.end(), 0.0);
    for (std::size_t i = 0; i < weights_.size(); ++i) weights_[one(random)] = 1.0;
    return weights_;
  }

 private:
  std::size_t one(Random& random) const {
    if (ends_.empty()) return random.below(weights_.size());
    // The first row whose end lies beyond; rounding may put the draw on the last end.
    const double point = std::min(random.uniform() * ends_.back(), ends_.back());
    auto row = std::upper_bound(ends_.begin(), ends_.end(), point);
    if (row == ends_.end())
      row = std::lower_bound(ends_.begin(), ends_.end(), ends_.back());
    return static_cast<std::size_t>(row - ends_.begin());
  }

  std::vector<double> weights_;
  std::vector<double> ends_;  // of the rows' stretches on a line
};

}  // namespace

ShadowSums grow_with_shadows(const Shadows& shadows, const TreeTarget& target,
                             std::span<const double> row_chances,
                             const GrowthRules& rules,
                             std::span<const std::uint64_t> seeds,
                             const ShadowRule& rule) {
  const TreeColumns& columns = shadows.columns();
  ShadowSums sums(columns.n_columns(), shadows.n_shadows());
  if (columns.n_rows() == 0) return sums;
  ShadowWatch watch(shadows, target, rule, sums);
  DistinctBag bag(columns.n_rows(), row_chances);
  GrowthRules own = rules;
  for (const std::uint64_t seed : seeds) {
    Random random(seed);
    const auto weights = bag.draw(random);
    own.features.seed = random.next();
    grow_tree(columns, target, weights, own, {.shadows = &watch});
  }
  return sums;
}

}  // namespace featsieve
