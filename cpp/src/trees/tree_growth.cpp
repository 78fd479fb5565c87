#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "featsieve/trees.hpp"
#include "random/feature_draw.hpp"
#include "trees/case_lists.hpp"
#include "trees/relevance_sums.hpp"
#include "trees/shadow_sums.hpp"
#include "trees/split_search.hpp"

namespace featsieve {

namespace {

/// Quinlan's constant: gains this far below the average still count as average.
constexpr double kEpsilon = 1e-3;
/// C4.5 leaves features of many levels out of the average gain.
constexpr double kManyLevels = 0.3;
/// Where trees grow until they are pure, cases with missing values are divided only
/// while no part falls below a hundredth of the row: the copies of a row would double
/// with every test. A little less, so that rounding does not decide.
constexpr double kLeastPart = 0.01 * (1 - 1e-9);
/// Sorted lists of all columns pay off when at least this share of the columns is
/// looked at in every node.
constexpr double kSortShare = 0.5;

/// The MDL price of naming the feature of a split (thesis, eq. 2.24).
class FeaturePrice {
 public:
  FeaturePrice(std::size_t n_features, FeatureCost cost)
      : n_features_(static_cast<double>(n_features)), cost_(cost), used_(n_features) {}

  double operator()(std::size_t feature) const {
    if (cost_ == FeatureCost::kNone) return 0;
    if (used_[feature] != 0) return std::log2(n_used_);
    const double known = n_used_ > 0 ? n_splits_ * std::log2(n_used_) : 0.0;
    const double key = cost_ == FeatureCost::kFull ? std::log2(n_features_) : 0.0;
    return key + (n_splits_ + 1) * std::log2(n_used_ + 1) - known;
  }
  void use(std::size_t feature) {
    n_used_ += used_[feature] == 0 ? 1 : 0;
    used_[feature] = 1;
    n_splits_ += 1;
  }

 private:
  double n_features_;
  FeatureCost cost_;
  std::vector<std::uint8_t> used_;
  double n_used_ = 0;
  double n_splits_ = 0;
};

class Grower {
 public:
  Grower(const TreeColumns& columns, const TreeTarget& target,
         std::span<const double> weights, const GrowthRules& rules,
         const Observers& observers)
      : columns_(columns),
        target_(target),
        weights_(weights),
        rules_(rules),
        tried_(observers.tried),
        relevance_(observers.relevance),
        watch_(observers.shadows),
        lists_(columns, target, weights, sorts_columns(columns, rules)),
        search_(columns, lists_, rules, target.n_classes),
        draw_(columns.n_columns(), rules.features.chances, rules.features.seed),
        price_(columns.n_columns(), rules.stop.feature_cost),
        mean_(mean_response(target, weights)) {
    tree_.n_outputs = target.is_number() ? 1 : target.n_classes;
    const std::size_t cells = columns.n_rows() * columns.n_columns();
    if (!rules.features.row_chances.empty() &&
        rules.features.row_chances.size() != cells)
      throw std::invalid_argument("row_chances must be one per row and feature");
  }

  FlatTree grow() {
    std::vector<double> sums(lists_.n_sums(), 0.0);
    const Segment root = lists_.root();
    for (const std::uint32_t number : lists_.members(root))
      lists_.add(number, sums.data());
    tree_.add(1);
    fill_node(0, sums.data(), 0);
    root_weight_ = tree_.weight[0];
    root_sums_ = sums;
    if (!is_terminal(sums.data(), 0)) push(0, 0, root, sums.data());
    while (!open_.empty()) {
      const OpenNode node = open_.back();
      open_.pop_back();
      node_sums_.assign(open_sums_.end() - static_cast<std::ptrdiff_t>(n_sums()),
                        open_sums_.end());
      open_sums_.resize(open_sums_.size() - n_sums());
      lists_.forget_copies(node.cases);
      if (relevance_ != nullptr) relevance_->begin_node(lists_, node, node_sums_);
      const Candidate chosen = choose(node);
      if (chosen.valid) split(node, chosen);
    }
    // All at once, because then the processor waits for many values together.
    for (const auto& [node, candidate] : cuts_)
      tree_.threshold[node] = search_.threshold(candidate, weights_);
    return std::move(tree_);
  }

 private:
  static bool sorts_columns(const TreeColumns& columns, const GrowthRules& rules) {
    const double drawn = static_cast<double>(rules.features.n_drawn);
    return drawn == 0 || drawn > kSortShare * static_cast<double>(columns.n_columns());
  }
  static double mean_response(const TreeTarget& target,
                              std::span<const double> weights) {
    double sum = 0;
    double total = 0;
    for (std::size_t row = 0; row < target.numbers.size(); ++row) {
      const double weight = weights.empty() ? 1.0 : weights[row];
      sum += weight > 0 ? weight * target.numbers[row] : 0.0;
      total += weight;
    }
    return total > 0 ? sum / total : 0.0;
  }

  std::size_t n_sums() const { return lists_.n_sums(); }

  double weight_of(const double* sums) const {
    return target_.is_number() ? sums[0] : std::accumulate(sums, sums + n_sums(), 0.0);
  }

  /// `fallback` is the class of a node without cases.
  void fill_node(std::size_t node, const double* sums, std::int32_t fallback) {
    tree_.weight[node] = weight_of(sums);
    if (target_.is_number()) {
      tree_.value[node] = mean_ + (sums[0] > 0 ? sums[1] / sums[0] : 0.0);
      return;
    }
    std::copy_n(sums, n_sums(), &tree_.value[node * n_sums()]);
    const bool empty = !(tree_.weight[node] > 0);
    const auto best = heaviest_class({sums, n_sums()}, rules_.j48 ? kSlackJ48 : 0.0);
    tree_.prediction[node] = empty ? fallback : static_cast<std::int32_t>(best);
  }

  bool is_terminal(const double* sums, std::size_t depth) const {
    const double weight = weight_of(sums);
    if (!(weight > 0) || depth >= rules_.stop.max_depth) return true;
    const double slack = rules_.j48 ? kSlackJ48 : kSlackC45;
    if (weight < rules_.stop.min_weight - slack) return true;
    if (target_.is_number()) {
      const double spread = sums[2] - sums[1] * sums[1] / sums[0];
      return spread <= kGainTie * root_variance() * weight;
    }
    const double rest = weight - *std::max_element(sums, sums + n_sums());
    return rest <= (rules_.j48 ? kSlackJ48 : kSlackC45 * weight);
  }

  double root_variance() const {
    if (root_sums_.empty()) return 0;
    const double mean = root_sums_[1] / root_sums_[0];
    return std::max(0.0, root_sums_[2] / root_sums_[0] - mean * mean);
  }

  void push(std::size_t node, std::size_t depth, const Segment& cases,
            const double* sums) {
    open_.push_back({node, depth, cases, weight_of(sums)});
    open_sums_.insert(open_sums_.end(), sums, sums + n_sums());
  }

  // Choosing a test. -----------------------------------------------------------------

  Candidate choose(const OpenNode& node) {
    if (rules_.score == SplitScore::kGainRatio) return choose_c45(node);
    Candidate best;
    const auto consider = [&](std::size_t feature) {
      const Candidate candidate = evaluate(node, feature);
      const double ahead =
          (candidate.gain - candidate.by_chance) - (best.gain - best.by_chance);
      if (candidate.valid && (!best.valid || ahead > tie())) best = candidate;
    };
    const std::size_t n_features = columns_.n_columns();
    const std::size_t n_drawn = rules_.features.n_drawn;
    if (n_drawn == 0) {
      for (std::size_t feature = 0; feature < n_features; ++feature) consider(feature);
      return best;
    }
    begin_draw(node);
    drawn_.clear();
    std::size_t feature = 0;
    while (drawn_.size() < n_drawn && draw_.next(feature)) drawn_.push_back(feature);
    std::sort(drawn_.begin(), drawn_.end());
    for (const std::size_t each : drawn_) consider(each);
    if (rules_.features.failed_draw == FailedDraw::kLeaf) return best;
    while (!best.valid && draw_.next(feature)) consider(feature);
    if (best.valid || rules_.features.row_chances.empty()) return best;
    // Every feature that helps these rows is constant here: any other one will do.
    for (double& chance : chances_) chance = chance > 0 ? 0.0 : 1.0;
    const auto [least, most] = std::minmax_element(chances_.begin(), chances_.end());
    if (*least == *most) return best;  // all were drawn already
    draw_.begin(chances_);
    while (!best.valid && draw_.next(feature)) consider(feature);
    return best;
  }

  double tie() const {
    return rules_.score == SplitScore::kVariance ? kGainTie * root_variance()
                                                 : kGainTie;
  }

  /// The best test of a feature; valid only if the rules allow to split on it.
  Candidate evaluate(const OpenNode& node, std::size_t feature) {
    Candidate candidate = search_.evaluate(node, node_sums_.data(), feature);
    if (candidate.valid && rules_.stop.description_length)
      candidate.valid = saves_bits(node, candidate);
    if (relevance_ != nullptr)
      relevance_->add(feature, candidate.valid, candidate.gain);
    if (tried_ != nullptr) {
      tried_->node.push_back(static_cast<std::int32_t>(node.node));
      tried_->feature.push_back(static_cast<std::int32_t>(feature));
      tried_->gain.push_back(candidate.gain);
      tried_->passes.push_back(candidate.valid ? 1 : 0);
    }
    if (watch_ != nullptr)
      candidate.by_chance = watch_->see(node.node, lists_.members(node.cases), feature,
                                        candidate.gain, rules_.features.n_drawn != 1);
    return candidate;
  }

  bool saves_bits(const OpenNode& node, const Candidate& candidate) const {
    const double saved = rules_.score == SplitScore::kVariance
                             ? candidate.saved_bits
                             : node.weight * candidate.gain;
    return saved >= candidate.price + price_(candidate.feature);
  }

  void begin_draw(const OpenNode& node) {
    const auto row_chances = rules_.features.row_chances;
    if (row_chances.empty()) {
      draw_.begin();
      return;
    }
    const std::size_t n_features = columns_.n_columns();
    chances_.assign(n_features, 0.0);
    for (const std::uint32_t number : lists_.members(node.cases)) {
      const double* own = &row_chances[lists_.row(number) * n_features];
      for (std::size_t f = 0; f < n_features; ++f) chances_[f] += own[f];
    }
    draw_.begin(chances_);
  }

  /// C4.5: the greatest gain ratio among the tests of at least average gain.
  Candidate choose_c45(const OpenNode& node) {
    candidates_.clear();
    for (std::size_t feature = 0; feature < columns_.n_columns(); ++feature)
      candidates_.push_back(evaluate(node, feature));
    const double average = average_gain();
    Candidate best;
    double best_worth = rules_.j48 ? 0.0 : -std::numeric_limits<double>::infinity();
    const double slack = rules_.j48 ? kSlackJ48 : kSlackC45;
    const double least_info = rules_.j48 ? kSlackJ48 : kEpsilon;
    for (const Candidate& candidate : candidates_) {
      if (!candidate.valid) continue;
      double worth = candidate.gain;
      if (rules_.use_ratio) {
        const bool average_or_more = candidate.gain >= average - kEpsilon;
        if (!average_or_more || candidate.split_info <= least_info) continue;
        worth = candidate.gain / candidate.split_info;
      }
      if (worth > best_worth + slack) {
        best = candidate;
        best_worth = worth;
      }
    }
    return best;
  }

  double average_gain() const {
    const double cases =
        rules_.n_all_rows > 0 ? static_cast<double>(rules_.n_all_rows) : root_weight_;
    double sum = 0;
    double count = 0;
    // Whether all features are such is asked of the table, not of the node's tests.
    const bool any_usual = std::any_of(
        candidates_.begin(), candidates_.end(),
        [&](const Candidate& each) { return !has_many_levels(each, cases); });
    for (const Candidate& candidate : candidates_) {
      if (!candidate.valid) continue;
      if (any_usual && has_many_levels(candidate, cases)) continue;
      sum += candidate.gain;
      count += 1;
    }
    return count > 0 ? sum / count : std::numeric_limits<double>::infinity();
  }

  bool has_many_levels(const Candidate& candidate, double cases) const {
    if (!columns_.is_nominal(candidate.feature)) return false;
    const double slack = rules_.j48 ? kSlackJ48 : kSlackC45;
    const auto levels = static_cast<double>(columns_.n_codes(candidate.feature));
    return levels >= kManyLevels * cases - slack;
  }

  // Splitting. -----------------------------------------------------------------------

  void split(const OpenNode& node, const Candidate& chosen) {
    const std::size_t n_branches = assign(node, chosen);
    send_missing();
    lists_.branch_sums(node.cases, branch_sums_);
    const std::size_t first = tree_.add(n_branches);
    if (watch_ != nullptr) watch_->split(node.node, chosen.feature, n_branches);
    tree_.feature[node.node] = static_cast<std::int32_t>(chosen.feature);
    const bool nominal = columns_.is_nominal(chosen.feature);
    if (!nominal) cuts_.emplace_back(node.node, chosen);
    tree_.first_child[node.node] = static_cast<std::int32_t>(first);
    tree_.n_children[node.node] = static_cast<std::int32_t>(n_branches);
    tree_.gain[node.node] = chosen.gain;
    price_.use(chosen.feature);

    open_branches_.assign(n_branches, 0);
    const std::int32_t fallback = tree_.prediction[node.node];
    for (std::size_t b = 0; b < n_branches; ++b) {
      const double* sums = &branch_sums_[b * n_sums()];
      fill_node(first + b, sums, fallback);
      if (nominal) tree_.level[first + b] = static_cast<std::int32_t>(levels_[b]);
      open_branches_[b] = is_terminal(sums, node.depth + 1) ? 0 : 1;
    }
    lists_.divide(node.cases, open_branches_, segments_);
    for (std::size_t b = n_branches; b-- > 0;)
      if (open_branches_[b] != 0)
        push(first + b, node.depth + 1, segments_[b], &branch_sums_[b * n_sums()]);
  }

  /// Sends cases whose value is known to their branches; returns how many there are.
  std::size_t assign(const OpenNode& node, const Candidate& chosen) {
    if (!columns_.is_nominal(chosen.feature)) {
      lists_.assign_cut(node.cases, chosen.feature, chosen.cut);
      return 2;
    }
    const std::size_t n_levels = columns_.n_codes(chosen.feature);
    if (rules_.all_levels) {
      levels_.resize(n_levels);
      std::iota(levels_.begin(), levels_.end(), 0U);
    } else {
      search_.levels_present(node, chosen.feature, levels_);
    }
    if (branch_of_level_.size() < n_levels) branch_of_level_.resize(n_levels);
    for (std::size_t b = 0; b < levels_.size(); ++b)
      branch_of_level_[levels_[b]] = static_cast<std::uint32_t>(b);
    lists_.assign_levels(node.cases, chosen.feature, branch_of_level_, levels_.size());
    return levels_.size();
  }

  void send_missing() {
    if (lists_.n_unassigned() == 0) return;
    if (rules_.missing == MissingCases::kLargest) {
      lists_.send_to(lists_.heaviest());
      return;
    }
    const bool c45 = rules_.score == SplitScore::kGainRatio;
    lists_.send_copies(rules_.j48 ? kSlackJ48 : 0.0, c45 ? 0.0 : kLeastPart);
  }

  const TreeColumns& columns_;
  const TreeTarget& target_;
  std::span<const double> weights_;
  const GrowthRules& rules_;
  TriedFeatures* tried_;
  RelevanceSums* relevance_;
  ShadowWatch* watch_;
  CaseLists lists_;
  SplitSearch search_;
  FeatureDraw draw_;
  FeaturePrice price_;
  double mean_;
  double root_weight_ = 0;
  std::vector<double> root_sums_;
  FlatTree tree_;
  std::vector<std::pair<std::size_t, Candidate>> cuts_;  // whose threshold is due
  std::vector<OpenNode> open_;
  std::vector<double> open_sums_;  // n_sums per open node

  std::vector<double> node_sums_;
  std::vector<Candidate> candidates_;
  std::vector<std::size_t> drawn_;
  std::vector<double> chances_;
  std::vector<std::uint32_t> levels_;
  std::vector<std::uint32_t> branch_of_level_;
  std::vector<double> branch_sums_;
  std::vector<std::uint8_t> open_branches_;
  std::vector<Segment> segments_;
};

}  // namespace

FlatTree grow_tree(const TreeColumns& columns, const TreeTarget& target,
                   std::span<const double> weights, const GrowthRules& rules,
                   const Observers& observers) {
  if (target.is_number() != (rules.score == SplitScore::kVariance))
    throw std::invalid_argument("numbers are split by variance, classes are not");
  if (observers.shadows != nullptr) {
    // Copies of cases are no rows, and shadows know rows only.
    if (rules.missing != MissingCases::kLargest)
      throw std::invalid_argument("shadows need cases that are not divided");
    observers.shadows->begin_tree();
  }
  return Grower(columns, target, weights, rules, observers).grow();
}

}  // namespace featsieve
