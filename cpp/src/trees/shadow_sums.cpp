#include "trees/shadow_sums.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "trees/node_complexity.hpp"

namespace featsieve {

namespace {

/// Which of the different numbers each row has.
std::vector<std::uint32_t> number_codes(std::span<const double> numbers) {
  std::vector<double> values(numbers.begin(), numbers.end());
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  std::vector<std::uint32_t> codes;
  codes.reserve(numbers.size());
  for (const double number : numbers)
    codes.push_back(static_cast<std::uint32_t>(
        std::lower_bound(values.begin(), values.end(), number) - values.begin()));
  return codes;
}

}  // namespace

ShadowSums::ShadowSums(std::size_t n_features, std::size_t shadows)
    : n_shadows(shadows),
      n_draws(n_features, 0),
      weight(n_features, 0.0),
      gain(n_features, 0.0),
      shadow_gain(n_features * shadows, 0.0) {}

ShadowWatch::ShadowWatch(const Shadows& shadows, const TreeTarget& target,
                         const ShadowRule& rule, ShadowSums& sums)
    : shadows_(&shadows),
      target_(&target),
      rule_(&rule),
      sums_(&sums),
      search_(shadows, target),
      factorials_(static_cast<std::int64_t>(shadows.columns().n_rows())),
      shadow_gains_(shadows.n_shadows()) {
  const std::size_t n_rows = shadows.columns().n_rows();
  if ((target.is_number() ? target.numbers.size() : target.classes.size()) != n_rows)
    throw std::invalid_argument("the target must have one value per row");
  if (sums.n_shadows != shadows.n_shadows() ||
      sums.weight.size() != shadows.columns().n_columns())
    throw std::invalid_argument("sums must be of these features and shadows");
  const std::size_t n_features = shadows.columns().n_columns();
  if (!rule.used_up_by.empty() && rule.used_up_by.size() != n_features * n_features)
    throw std::invalid_argument("used_up_by must have one mark per two features");
  std::size_t n_outcomes = target.n_classes;
  if (target.is_number()) {
    outcome_ = number_codes(target.numbers);
    n_outcomes = n_rows;
  }
  counts_.assign(n_outcomes, 0);
}

void ShadowWatch::begin_tree() {
  steps_.assign(1, {-1, -1});
  turned_ = false;
}

bool ShadowWatch::is_fresh(std::size_t node, std::size_t feature) const {
  const std::size_t n_features = shadows_->columns().n_columns();
  const bool relatives = !rule_->used_up_by.empty();
  for (Step step = steps_[node]; step.parent >= 0;
       step = steps_[static_cast<std::size_t>(step.parent)]) {
    const auto other = static_cast<std::size_t>(step.feature);
    if (other == feature) return false;
    if (relatives && rule_->used_up_by[feature * n_features + other] != 0) return false;
  }
  return true;
}

double ShadowWatch::complexity(std::span<const std::uint32_t> rows) {
  const auto outcome = [&](std::uint32_t row) {
    return target_->is_number() ? outcome_[row]
                                : static_cast<std::uint32_t>(target_->classes[row]);
  };
  for (const std::uint32_t row : rows) ++counts_[outcome(row)];
  NodeComplexity complexity(factorials_);
  // Counts are taken back as they are met, so that only those of the node are touched.
  for (const std::uint32_t row : rows) {
    std::int64_t& count = counts_[outcome(row)];
    if (count > 0) complexity.add(static_cast<double>(count));
    count = 0;
  }
  return complexity.bits();
}

double ShadowWatch::variance(std::span<const std::uint32_t> rows) const {
  double mean = 0;
  for (const std::uint32_t row : rows) mean += target_->numbers[row];
  mean /= static_cast<double>(rows.size());
  double squares = 0;
  for (const std::uint32_t row : rows)
    squares += (target_->numbers[row] - mean) * (target_->numbers[row] - mean);
  return squares / static_cast<double>(rows.size());
}

void ShadowWatch::turn_to(std::size_t node, std::span<const std::uint32_t> rows) {
  if (turned_ && node == node_) return;
  node_ = node;
  turned_ = true;
  weight_ = std::pow(complexity(rows), rule_->power);
  if (target_->is_number()) variance_ = variance(rows);
  search_.begin(rows);
}

double ShadowWatch::see(std::size_t node, std::span<const std::uint32_t> rows,
                        std::size_t feature, double gain, bool asked) {
  const bool fresh = is_fresh(node, feature);
  if (!fresh && !asked) return 0;
  turn_to(node, rows);
  if (!(weight_ > 0) && !asked) return 0;
  search_.gains(feature, shadow_gains_);
  const double unit = target_->is_number() ? variance_ : 1.0;
  if (fresh && weight_ > 0) {
    ++sums_->n_draws[feature];
    sums_->weight[feature] += weight_;
    sums_->gain[feature] += weight_ * (unit > 0 ? gain / unit : 0.0);
    double* sums = &sums_->shadow_gain[feature * shadow_gains_.size()];
    for (std::size_t b = 0; b < shadow_gains_.size(); ++b)
      sums[b] += weight_ * shadow_gains_[b];
  }
  const double total = std::accumulate(shadow_gains_.begin(), shadow_gains_.end(), 0.0);
  return unit * total / static_cast<double>(shadow_gains_.size());
}

void ShadowWatch::split(std::size_t node, std::size_t feature, std::size_t n_children) {
  steps_.resize(steps_.size() + n_children,
                {static_cast<std::int32_t>(node), static_cast<std::int32_t>(feature)});
}

}  // namespace featsieve
