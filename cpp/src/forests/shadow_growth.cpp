#include "forests/shadow_growth.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "featsieve/trees.hpp"
#include "random/random.hpp"

namespace featsieve {

namespace {

/// Draws rows with replacement, or groups of rows; a row's weight is 1 if it, or its
/// group, was drawn at all.
class DistinctBag {
 public:
  DistinctBag(std::size_t n_rows, std::span<const double> chances,
              std::span<const std::uint32_t> groups)
      : weights_(n_rows), groups_(groups), n_units_(n_rows) {
    if (!chances.empty() && chances.size() != n_rows)
      throw std::invalid_argument("row_chances must be one per row");
    if (!groups.empty()) {
      if (groups.size() != n_rows)
        throw std::invalid_argument("row_groups must be one per row");
      n_units_ = std::size_t{*std::max_element(groups.begin(), groups.end())} + 1;
      if (n_units_ > n_rows)
        throw std::invalid_argument("row_groups must be numbered from 0 on");
      drawn_.resize(n_units_);
    }
    if (chances.empty()) return;
    ends_.assign(n_units_, 0.0);
    for (std::size_t row = 0; row < n_rows; ++row)
      ends_[groups.empty() ? row : groups[row]] += chances[row];
    std::partial_sum(ends_.begin(), ends_.end(), ends_.begin());
    if (!(ends_.back() > 0)) throw std::invalid_argument("some row must have a chance");
  }

  std::span<const double> draw(Random& random) {
    auto& units = groups_.empty() ? weights_ : drawn_;
    std::fill(units.begin(), units.end(), 0.0);
    for (std::size_t i = 0; i < n_units_; ++i) units[one(random)] = 1.0;
    for (std::size_t row = 0; row < groups_.size(); ++row)
      weights_[row] = drawn_[groups_[row]];
    return weights_;
  }

 private:
  std::size_t one(Random& random) const {
    if (ends_.empty()) return random.below(n_units_);
    // The first row whose end lies beyond; rounding may put the draw on the last end.
    const double point = std::min(random.uniform() * ends_.back(), ends_.back());
    auto row = std::upper_bound(ends_.begin(), ends_.end(), point);
    if (row == ends_.end())
      row = std::lower_bound(ends_.begin(), ends_.end(), ends_.back());
    return static_cast<std::size_t>(row - ends_.begin());
  }

  std::vector<double> weights_;
  std::span<const std::uint32_t> groups_;
  std::size_t n_units_;
  std::vector<double> drawn_;  // groups
  std::vector<double> ends_;   // of the stretches of rows or groups on a line
};

}  // namespace

ShadowSums grow_with_shadows(const Shadows& shadows, const TreeTarget& target,
                             std::span<const double> row_chances,
                             std::span<const std::uint32_t> row_groups,
                             const GrowthRules& rules,
                             std::span<const std::uint64_t> seeds,
                             const ShadowRule& rule) {
  const TreeColumns& columns = shadows.columns();
  ShadowSums sums(columns.n_columns(), shadows.n_shadows());
  if (columns.n_rows() == 0) return sums;
  ShadowWatch watch(shadows, target, rule, sums);
  DistinctBag bag(columns.n_rows(), row_chances, row_groups);
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
