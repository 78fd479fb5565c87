#include "trees/split_search.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <mutex>

namespace featsieve {

namespace {

constexpr std::uint32_t kAbsent = 0xFFFFFFFFU;
/// Up to so many levels sums are kept for all, present or not.
constexpr std::size_t kFewLevels = 64;
/// C4.5 asks no more than this of a side of a cut.
constexpr double kMostMinimum = 25;

/// Sorts cases that come in order: by digits of the code if many, by insertion if few.
void sort_cases(std::vector<CodedCase>& cases, std::vector<CodedCase>& scratch,
                unsigned code_bits) {
  constexpr std::size_t kFew = 48;
  constexpr unsigned kDigit = 8;
  const std::size_t size = cases.size();
  if (size <= kFew) {
    for (std::size_t i = 1; i < size; ++i) {
      const CodedCase own = cases[i];
      std::size_t j = i;
      for (; j > 0 && cases[j - 1] > own; --j) cases[j] = cases[j - 1];
      cases[j] = own;
    }
    return;
  }
  scratch.resize(size);
  for (unsigned shift = 0; shift < code_bits; shift += kDigit) {
    const auto digit = [shift](const CodedCase& item) {
      return (item.code() >> shift) & 0xFFU;
    };
    std::array<std::uint32_t, 1U << kDigit> starts{};
    for (const CodedCase& item : cases) ++starts[digit(item)];
    std::uint32_t next = 0;
    for (auto& start : starts) {
      const std::uint32_t count = start;
      start = next;
      next += count;
    }
    for (const CodedCase& item : cases) scratch[starts[digit(item)]++] = item;
    cases.swap(scratch);
  }
}

/// The table of logarithms of the last tree if it fits, since the trees of a forest are
/// grown on equally many cases, in any thread.
std::shared_ptr<const ExactLogTable> shared_logs(std::size_t total) {
  static std::mutex mutex;
  static std::size_t last_total = 0;
  static std::shared_ptr<const ExactLogTable> last;
  const std::lock_guard lock(mutex);
  if (!last || last_total != total) {
    last = std::make_shared<const ExactLogTable>(total);
    last_total = total;
  }
  return last;
}

/// How far apart codes must be for their values to differ by more than `gap`.
std::uint32_t least_far_codes(std::span<const double> values, double gap) {
  std::size_t most = 1;
  std::size_t above = 0;
  for (std::size_t below = 0; below < values.size(); ++below) {
    while (above < values.size() && !(values[below] + gap < values[above])) ++above;
    most = std::max(most, above - below);
  }
  return static_cast<std::uint32_t>(most);
}

double midpoint(double below, double above) {
  double middle = (below + above) / 2;
  if (std::isinf(middle)) middle = below / 2 + above / 2;
  return middle < above && middle >= below ? middle : below;
}

/// Bits to say which of `classes` occur in which of `branches`: every class in at least
/// one, and not all in all of them but one (3^k - 2 ways for two branches).
double occurrence_bits(double classes, double branches) {
  constexpr double kExactBits = 40;  // beyond, what is subtracted is nothing
  const double subsets =
      branches < kExactBits ? std::log2(std::exp2(branches) - 1) : branches;
  if (classes * subsets > kExactBits) return classes * subsets;
  return std::log2(std::pow(std::exp2(branches) - 1, classes) - branches);
}

/// Entropy in bits of weights, 0 of nothing.
double entropy_of(std::span<const double> weights) {
  double total = 0;
  double cells = 0;
  for (const double weight : weights) {
    total += weight;
    cells += x_log2_x(weight);
  }
  return total > 0 ? (x_log2_x(total) - cells) / total : 0.0;
}

double count_present(std::span<const double> weights) {
  return static_cast<double>(std::count_if(weights.begin(), weights.end(),
                                           [](double weight) { return weight > 0; }));
}

double variance_of(const double* sums) {
  if (sums[0] <= 0) return 0;
  const double mean = sums[1] / sums[0];
  return std::max(0.0, sums[2] / sums[0] - mean * mean);
}

}  // namespace

SplitSearch::SplitSearch(const TreeColumns& columns, const CaseLists& lists,
                         const GrowthRules& rules, std::size_t n_classes)
    : columns_(&columns),
      lists_(&lists),
      rules_(&rules),
      n_classes_(n_classes),
      n_sums_(lists.n_sums()),
      logs_(shared_logs(lists.whole_total())),
      entropy_of_two_(lists.data(), *logs_),
      entropy_of_counts_(lists.data(), *logs_, n_classes),
      entropy_of_weights_(lists.data(), n_classes),
      gini_(lists.data(), n_classes),
      variance_(lists.data()),
      known_(n_sums_) {
  std::size_t most_levels = 0;
  for (std::size_t column = 0; column < columns.n_columns(); ++column)
    if (columns.is_nominal(column))
      most_levels = std::max<std::size_t>(most_levels, columns.n_codes(column));
  slot_.assign(most_levels, kAbsent);
  far_codes_.assign(columns.n_columns(), 0);
  if (rules.cut.min_gap > 0)
    for (std::size_t column = 0; column < columns.n_columns(); ++column)
      far_codes_[column] = least_far_codes(columns.values(column), rules.cut.min_gap);
  if (rules.score == SplitScore::kVariance) {
    std::vector<double> sums(n_sums_, 0.0);
    for (const std::uint32_t number : lists.members(lists.root()))
      lists.add(number, sums.data());
    response_tie_ = kGainTie * variance_of(sums.data());
    least_variance_ = response_tie_;
  }
}

template <class Task>
auto SplitSearch::with_score(bool whole, Task&& task) {
  if (rules_->score == SplitScore::kVariance) return task(variance_);
  if (rules_->score == SplitScore::kGini) return task(gini_);
  if (!whole) return task(entropy_of_weights_);
  if (n_classes_ == 2) return task(entropy_of_two_);
  return task(entropy_of_counts_);
}

double SplitSearch::total_weight(const double* sums) const {
  if (rules_->score == SplitScore::kVariance) return sums[0];
  double total = 0;
  for (std::size_t c = 0; c < n_sums_; ++c) total += sums[c];
  return total;
}

Candidate SplitSearch::evaluate(const OpenNode& node, const double* sums,
                                std::size_t feature) {
  return columns_->is_nominal(feature) ? evaluate_nominal(node, feature)
                                       : evaluate_numeric(node, sums, feature);
}

std::span<const CodedCase> SplitSearch::sorted_cases(const OpenNode& node,
                                                     std::size_t feature) {
  if (lists_->is_sorted()) {
    const auto all = lists_->sorted(feature, node.cases);
    if (!columns_->has_missing(feature)) return all;
    const auto end = std::partition_point(
        all.begin(), all.end(),
        [](const CodedCase& item) { return item.code() != kMissingCode; });
    return all.first(static_cast<std::size_t>(end - all.begin()));
  }
  const std::uint32_t* codes = columns_->codes(feature);
  const auto members = lists_->members(node.cases);
  cases_.resize(members.size());
  std::size_t n_known = 0;
  std::uint32_t least = kMissingCode;
  std::uint32_t greatest = 0;
  for (const std::uint32_t number : members) {
    const std::uint32_t code = codes[lists_->row(number)];
    if (code == kMissingCode) continue;
    least = std::min(least, code);
    greatest = std::max(greatest, code);
    cases_[n_known++] = {code, number};
  }
  cases_.resize(least < greatest ? n_known : 0);  // of one code: nothing to cut
  sort_cases(cases_, case_scratch_, static_cast<unsigned>(std::bit_width(greatest)));
  return cases_;
}

CutLimits SplitSearch::limits_for(const OpenNode& node, double known,
                                  double base) const {
  const CutRule& rule = rules_->cut;
  const double slack = rules_->j48 ? kSlackJ48 : kSlackC45;
  CutLimits limits;
  limits.min_gap = rule.min_gap;
  limits.n_thresholds = rule.n_thresholds;
  limits.min_side = rule.min_cases - slack;
  limits.tie = kGainTie * node.weight;
  if (rules_->score == SplitScore::kVariance) limits.tie = response_tie_ * node.weight;
  if (rule.minimum_share) {
    const double share = 0.1 * known / static_cast<double>(n_classes_);
    limits.min_side = std::max(rule.min_cases, std::min(share, kMostMinimum)) - slack;
    limits.floor = base;
    limits.tie = slack * node.weight;
  } else if (n_classes_ > 0 && rule.min_cases <= 0 && rule.n_thresholds == 0) {
    limits.labels = lists_->data().label.data();
  }
  return limits;
}

Candidate SplitSearch::evaluate_numeric(const OpenNode& node, const double* sums,
                                        std::size_t feature) {
  Candidate candidate;
  candidate.feature = feature;
  const auto cases = sorted_cases(node, feature);
  if (cases.size() < 2 || cases.front().code() == cases.back().code()) return candidate;
  const double* known = sums;
  if (cases.size() < node.cases.size()) {
    std::fill(known_.begin(), known_.end(), 0.0);
    for (const CodedCase& item : cases) lists_->add(item.number(), known_.data());
    known = known_.data();
  }
  const double known_weight = total_weight(known);
  const auto values = columns_->values(feature);
  double base = 0;
  const FoundCut cut = with_score(node.cases.whole, [&](auto& score) {
    base = score.part(known);
    CutLimits limits = limits_for(node, known_weight, base);
    limits.far_codes = far_codes_[feature];
    // J48 counts cases here, not their weight.
    if (rules_->j48 && static_cast<double>(cases.size()) < 2 * limits.min_side)
      return FoundCut{};
    FoundCut found = scan_cuts(cases, score, known, values, limits);
    // Where nothing is gained, the first cut of all is as good as those between
    // classes.
    if (limits.labels != nullptr &&
        (!found.found || found.score <= base + limits.tie)) {
      limits.labels = nullptr;
      found = scan_cuts(cases, score, known, values, limits);
    }
    return found;
  });
  if (!cut.found) return candidate;
  candidate.gain = std::max(0.0, (cut.score - base) / node.weight);
  settle_cut(node, cases, known, cut, candidate);
  return candidate;
}

void SplitSearch::settle_cut(const OpenNode& node, std::span<const CodedCase> cases,
                             const double* known, const FoundCut& cut,
                             Candidate& candidate) {
  const CutRule& rule = rules_->cut;
  candidate.cut = cases[cut.n_left - 1].code();
  candidate.valid = true;
  if (rule.penalty) {
    candidate.gain -= std::log2(static_cast<double>(cut.n_tried)) / node.weight;
    candidate.valid = candidate.gain > (rules_->j48 ? kSlackJ48 : kSlackC45);
  }
  candidate.threshold = cut.threshold;
  candidate.above = cases[cut.n_left].code();
  if (rules_->score == SplitScore::kGainRatio) {
    const double known_weight = total_weight(known);
    const std::array<double, 3> weights{cut.left_weight, known_weight - cut.left_weight,
                                        std::max(0.0, node.weight - known_weight)};
    candidate.split_info = entropy_of(weights);
  }
  if (rules_->stop.description_length) {
    std::vector<double> branches(2 * n_sums_, 0.0);
    for (std::size_t i = 0; i < cases.size(); ++i)
      lists_->add(cases[i].number(), &branches[i < cut.n_left ? 0 : n_sums_]);
    set_price(node.weight, known, branches, candidate);
  }
}

const std::vector<std::uint8_t>& SplitSearch::used_codes(
    std::size_t feature, std::span<const double> weights) {
  if (used_codes_.empty()) used_codes_.resize(columns_->n_columns());
  auto& used = used_codes_[feature];
  if (used.empty()) {
    used.assign(columns_->n_codes(feature), 0);
    const std::uint32_t* codes = columns_->codes(feature);
    for (std::size_t row = 0; row < weights.size(); ++row)
      if (weights[row] > 0 && codes[row] != kMissingCode) used[codes[row]] = 1;
  }
  return used;
}

double SplitSearch::threshold(const Candidate& candidate,
                              std::span<const double> weights) {
  if (rules_->cut.n_thresholds > 0) return candidate.threshold;
  const auto values = columns_->values(candidate.feature);
  const double middle = midpoint(values[candidate.cut], values[candidate.above]);
  if (!rules_->cut.actual_value) return middle;
  auto code = static_cast<std::size_t>(
      std::upper_bound(values.begin(), values.end(), middle) - values.begin() - 1);
  if (!weights.empty()) {
    // A tree on a bag of rows knows their values only. The cut is one of them.
    const auto& used = used_codes(candidate.feature, weights);
    while (code > candidate.cut && used[code] == 0) --code;
  }
  return values[code];
}

void SplitSearch::collect_levels(const OpenNode& node, std::size_t feature) {
  const std::uint32_t* codes = columns_->codes(feature);
  const auto members = lists_->members(node.cases);
  levels_.clear();
  if (columns_->n_codes(feature) <= kFewLevels) {
    collect_few_levels(codes, members, columns_->n_codes(feature));
    return;
  }
  for (const std::uint32_t number : members) {
    const std::uint32_t code = codes[lists_->row(number)];
    if (code == kMissingCode || slot_[code] != kAbsent) continue;
    slot_[code] = 0;
    levels_.push_back(code);
  }
  std::sort(levels_.begin(), levels_.end());
  for (std::size_t k = 0; k < levels_.size(); ++k)
    slot_[levels_[k]] = static_cast<std::uint32_t>(k);
  level_sums_.assign(levels_.size() * n_sums_, 0.0);
  for (const std::uint32_t number : members) {
    const std::uint32_t code = codes[lists_->row(number)];
    if (code != kMissingCode) lists_->add(number, &level_sums_[slot_[code] * n_sums_]);
  }
  for (const std::uint32_t code : levels_) slot_[code] = kAbsent;
}

void SplitSearch::collect_few_levels(const std::uint32_t* codes,
                                     std::span<const std::uint32_t> members,
                                     std::size_t n_levels) {
  level_sums_.assign(n_levels * n_sums_, 0.0);
  std::array<std::uint8_t, kFewLevels> present{};
  for (const std::uint32_t number : members) {
    const std::uint32_t code = codes[lists_->row(number)];
    if (code == kMissingCode) continue;
    present[code] = 1;
    lists_->add(number, &level_sums_[code * n_sums_]);
  }
  for (std::uint32_t code = 0; code < n_levels; ++code) {
    if (present[code] == 0) continue;
    const std::size_t to = levels_.size();
    levels_.push_back(code);
    if (to < code)
      std::copy_n(&level_sums_[code * n_sums_], n_sums_, &level_sums_[to * n_sums_]);
  }
  level_sums_.resize(levels_.size() * n_sums_);
}

void SplitSearch::levels_present(const OpenNode& node, std::size_t feature,
                                 std::vector<std::uint32_t>& levels) {
  collect_levels(node, feature);
  levels = levels_;
}

Candidate SplitSearch::evaluate_nominal(const OpenNode& node, std::size_t feature) {
  Candidate candidate;
  candidate.feature = feature;
  collect_levels(node, feature);
  std::fill(known_.begin(), known_.end(), 0.0);
  std::vector<double> weights;
  weights.reserve(levels_.size() + 1);
  const double least = rules_->cut.min_cases - (rules_->j48 ? kSlackJ48 : kSlackC45);
  std::size_t heavy = 0;
  for (std::size_t k = 0; k < levels_.size(); ++k) {
    const double* sums = &level_sums_[k * n_sums_];
    for (std::size_t c = 0; c < n_sums_; ++c) known_[c] += sums[c];
    weights.push_back(total_weight(sums));
    heavy += static_cast<std::size_t>(weights.back() >= least && weights.back() > 0);
  }
  if (heavy < 2) return candidate;
  candidate.valid = true;
  const double score = with_score(node.cases.whole, [&](auto& own) {
    double parts = -own.part(known_.data());
    for (std::size_t k = 0; k < levels_.size(); ++k)
      parts += own.part(&level_sums_[k * n_sums_]);
    return parts;
  });
  candidate.gain = std::max(0.0, score / node.weight);
  if (rules_->j48 && score <= kSlackJ48) candidate.gain = 0;
  if (rules_->score == SplitScore::kGainRatio) {
    weights.push_back(std::max(0.0, node.weight - total_weight(known_.data())));
    candidate.split_info = entropy_of(weights);
  }
  if (rules_->stop.description_length)
    set_price(node.weight, known_.data(), level_sums_, candidate);
  return candidate;
}

/// Bits that branches save in telling numbers around their means, normally distributed
/// with one variance. Degrees of freedom instead of cases: a few numbers lie close
/// together by chance.
double SplitSearch::saved_bits(const double* known,
                               std::span<const double> branches) const {
  const std::size_t n_branches = branches.size() / n_sums_;
  const double freedom = known[0] - static_cast<double>(n_branches);
  if (!(freedom > 0)) return 0;
  double inside = 0;
  for (std::size_t b = 0; b < n_branches; ++b) {
    const double* sums = &branches[b * n_sums_];
    inside += sums[0] * variance_of(sums);
  }
  const double before = known[0] * variance_of(known) / (known[0] - 1);
  const double after = std::max(inside / freedom, least_variance_);
  return before > after ? freedom / 2 * std::log2(before / after) : 0.0;
}

void SplitSearch::set_price(double weight, const double* known,
                            std::span<const double> branches,
                            Candidate& candidate) const {
  const double position = weight > 2 ? std::log2(weight - 1) : 0.0;
  const std::size_t n_branches = branches.size() / n_sums_;
  if (rules_->score == SplitScore::kVariance) {
    // A further mean is worth log2(n) / 2 bits.
    const double means = static_cast<double>(n_branches) - 1;
    candidate.price = position + means / 2 * (weight > 1 ? std::log2(weight) : 0.0);
    candidate.saved_bits = saved_bits(known, branches);
    return;
  }
  const std::span<const double> all(known, n_sums_);
  const double classes = count_present(all);
  candidate.price = position - classes * entropy_of(all) +
                    occurrence_bits(classes, static_cast<double>(n_branches));
  for (std::size_t b = 0; b < n_branches; ++b) {
    const auto branch = branches.subspan(b * n_sums_, n_sums_);
    candidate.price += count_present(branch) * entropy_of(branch);
  }
}

}  // namespace featsieve
