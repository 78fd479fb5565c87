#include "trees/relevance_sums.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "trees/node_complexity.hpp"

namespace featsieve {

namespace {

/// Exponent of the upper approximation of what chance gains.
constexpr double kChanceExponent = -0.82;

}  // namespace

double arrangement_bits(std::span<const double> counts,
                        const LogFactorials& log_factorials) {
  NodeComplexity complexity(log_factorials);
  for (const double count : counts)
    if (count != 0) complexity.add(count);
  return complexity.bits();
}

ChanceGain chance_gain(double n) {
  const double rest = (n - 1) / n;
  const double lower = 1 / n - (rest > 0 ? rest * std::log2(rest) : 0.0);
  return {lower, std::pow(n / 2, kChanceExponent)};
}

RelevanceSums::RelevanceSums(std::size_t n_features, std::size_t n_rows,
                             std::span<const std::int32_t> value_codes)
    : log_factorials_(static_cast<std::int64_t>(n_rows)),
      value_codes_(value_codes),
      values_(n_features * kEntries, 0.0) {
  if (value_codes.empty()) return;
  const auto [least, most] =
      std::minmax_element(value_codes.begin(), value_codes.end());
  if (value_codes.size() != n_rows || *least < 0)
    throw std::invalid_argument("value_codes must be one per row and not negative");
  all_differ_ = static_cast<std::size_t>(*most) + 1 == n_rows;
  weight_of_value_.assign(static_cast<std::size_t>(*most) + 1, 0.0);
  count_of_value_.assign(weight_of_value_.size(), 0);
}

double RelevanceSums::complexity_of_values(const CaseLists& lists,
                                           const OpenNode& node) {
  const std::size_t n_known = log_factorials_.table().size();
  if (node.cases.whole && node.weight < static_cast<double>(n_known)) {
    const WholeCounts counts =
        all_differ_ ? count_different(lists.members(node.cases), lists.data().weight)
                    : count_equal(lists, node);
    // No arrangement equals its own reflection, as in nearly all nodes.
    if (counts.n_odd > 1) {
      const double all = log_factorials_.table()[static_cast<std::size_t>(node.weight)];
      return std::max(0.0, (all - counts.log_factorials) * std::numbers::log2e - 1);
    }
  }
  return exact_complexity(lists, node);
}

WholeCounts RelevanceSums::count_different(std::span<const std::uint32_t> members,
                                           std::span<const double> weights) const {
  // Without branches, since whether a row was drawn once or twice cannot be foreseen,
  // and in two chains, since an addition waits for the one before.
  const std::span<const double> table = log_factorials_.table();
  double first = 0;
  double second = 0;
  std::size_t odd = 0;
  std::size_t i = 0;
  for (; i + 1 < members.size(); i += 2) {
    const auto one = static_cast<std::size_t>(weights[members[i]]);
    const auto other = static_cast<std::size_t>(weights[members[i + 1]]);
    first += table[one];
    second += table[other];
    odd += (one & 1U) + (other & 1U);
  }
  if (i < members.size()) {
    const auto last = static_cast<std::size_t>(weights[members[i]]);
    first += table[last];
    odd += last & 1U;
  }
  return {first + second, static_cast<std::int64_t>(odd)};
}

WholeCounts RelevanceSums::count_equal(const CaseLists& lists, const OpenNode& node) {
  const std::span<const double> table = log_factorials_.table();
  const std::span<const double> weights = lists.data().weight;
  const std::span<const std::uint32_t> members = lists.members(node.cases);
  seen_.resize(std::max(seen_.size(), members.size()));
  WholeCounts found;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const std::int32_t code = value_codes_[lists.row(members[i])];
    std::uint32_t& count = count_of_value_[static_cast<std::size_t>(code)];
    const std::uint32_t before = count;
    count += static_cast<std::uint32_t>(weights[members[i]]);
    found.log_factorials += table[count] - table[before];
    found.n_odd += static_cast<std::int64_t>(count & 1U) - (before & 1U);
    seen_[i] = code;
  }
  for (std::size_t i = 0; i < members.size(); ++i)
    count_of_value_[static_cast<std::size_t>(seen_[i])] = 0;
  return found;
}

double RelevanceSums::exact_complexity(const CaseLists& lists, const OpenNode& node) {
  seen_weights_.clear();
  if (all_differ_) {
    for (const std::uint32_t number : lists.members(node.cases))
      seen_weights_.push_back(lists.data().weight[number]);
    return arrangement_bits(seen_weights_, log_factorials_);
  }
  seen_.clear();
  for (const std::uint32_t number : lists.members(node.cases)) {
    const std::int32_t code = value_codes_[lists.row(number)];
    double& weight = weight_of_value_[static_cast<std::size_t>(code)];
    if (weight == 0) seen_.push_back(code);
    weight += lists.data().weight[number];
  }
  for (const std::int32_t code : seen_) {
    double& weight = weight_of_value_[static_cast<std::size_t>(code)];
    seen_weights_.push_back(weight);
    weight = 0;
  }
  return arrangement_bits(seen_weights_, log_factorials_);
}

void RelevanceSums::begin_node(const CaseLists& lists, const OpenNode& node,
                               std::span<const double> sums) {
  if (value_codes_.empty()) {
    phi_ = arrangement_bits(sums, log_factorials_);
    chance_ = chance_gain(std::max(node.weight, 1.0));
    return;
  }
  phi_ = complexity_of_values(lists, node);
  const double mean = sums[1] / sums[0];
  const double variance = sums[2] / sums[0] - mean * mean;
  scale_ = variance > 0 ? 1 / variance : 0.0;
}

void RelevanceSums::add(std::size_t feature, bool valid, double gain) {
  double* own = &values_[feature * kEntries];
  own[kTries] += 1;
  own[kPhi] += phi_;
  if (!valid) {
    own[kFailed] += 1;
    own[kPhiFailed] += phi_;
    return;
  }
  gain *= scale_;
  own[kGain] += gain;
  own[kPhiGain] += phi_ * gain;
  own[kPhiGainSquared] += phi_ * gain * gain;
  own[kPhiLower] += phi_ * chance_.lower;
  own[kPhiUpper] += phi_ * chance_.upper;
}

}  // namespace featsieve
