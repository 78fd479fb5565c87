#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "featsieve/trees.hpp"

namespace featsieve {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// A subtree must err less than a leaf by more than this to stay.
constexpr double kCollapse = 1e-3;
/// A smaller tree may be estimated this much worse.
constexpr double kPrune = 0.1;

struct Case {
  std::uint32_t row;
  double weight;
};

double training_errors(const FlatTree& tree, std::size_t node) {
  const double* value = &tree.value[node * tree.n_outputs];
  return tree.weight[node] - *std::max_element(value, value + tree.n_outputs);
}

class Pruner {
 public:
  Pruner(FlatTree& tree, const TreeColumns& columns, const TreeTarget& target,
         std::span<const double> weights, const PruneRules& rules)
      : tree_(tree),
        columns_(columns),
        target_(target),
        rules_(rules),
        slack_(rules.j48 ? kSlackJ48 : kSlackC45),
        settled_(tree.size()) {
    check();
    for (std::uint32_t row = 0; row < columns.n_rows(); ++row) {
      const double weight = weights.empty() ? 1.0 : weights[row];
      if (weight > 0 && target.classes[row] >= 0) cases_.push_back({row, weight});
    }
  }

  void run() {
    frames_.push_back({0, 0, cases_.size()});
    while (!frames_.empty()) {
      if (!frames_.back().entered && !enter()) continue;
      Frame& frame = frames_.back();
      if (frame.next < static_cast<std::size_t>(tree_.n_children[frame.node]))
        visit_child();
      else
        decide();
    }
  }

 private:
  /// A node on the way, its cases, and how far it is.
  struct Frame {
    std::size_t node;
    std::size_t begin;
    std::size_t end;
    bool entered = false;
    std::size_t next = 0;               // child to visit
    double subtree_errors = 0;          // estimated, of the children visited
    std::size_t missing = 0;            // cases at the end whose value is missing
    bool complete = true;               // no value was missing so far, here and below
    std::vector<std::size_t> bounds{};  // of the children's cases
    std::vector<double> shares{};
  };

  /// Cases that try a branch.
  struct Trial {
    std::size_t node;
    std::size_t begin;
    std::size_t end;
  };

  /// What is known of a subtree that is done.
  struct Settled {
    double errors = 0;      // estimated
    bool complete = false;  // no value was missing at its tests
  };

  void check() const {
    if (target_.is_number() || target_.n_classes != tree_.n_outputs)
      throw std::invalid_argument("only trees that predict classes can be pruned");
    for (std::size_t node = 0; node < tree_.size(); ++node) {
      if (tree_.is_leaf(node)) continue;
      const auto feature = static_cast<std::size_t>(tree_.feature[node]);
      const auto count = static_cast<std::uint32_t>(tree_.n_children[node]);
      if (columns_.is_nominal(feature) && columns_.n_codes(feature) != count)
        throw std::invalid_argument("pruning needs a branch for every level");
    }
  }

  double leaf_estimate(double weight, double errors) const {
    if (weight <= (rules_.j48 ? kSlackJ48 : 0.0)) return 0;
    return errors + extra_errors(weight, errors, rules_);
  }

  /// Takes the cases of the node of the last frame into account. False if it is a leaf,
  /// and done.
  bool enter() {
    Frame& frame = frames_.back();
    update_node(frame.node,
                std::span(cases_).subspan(frame.begin, frame.end - frame.begin));
    if (tree_.is_leaf(frame.node)) {
      finish(own_estimate(frame.node));
      return false;
    }
    frame.entered = true;
    frame.next = 0;
    frame.subtree_errors = 0;
    frame.missing =
        arrange(frame.node, cases_, frame.begin, frame.end, frame.bounds, frame.shares);
    frame.complete = frame.missing == 0;
    if (!rules_.j48 && frame.bounds.back() == frame.begin) {
      // Nothing known: no telling the branches apart.
      tree_.make_leaf(frame.node);
      finish(own_estimate(frame.node));
      return false;
    }
    return true;
  }

  double own_estimate(std::size_t node) const {
    return leaf_estimate(tree_.weight[node], training_errors(tree_, node));
  }

  void update_node(std::size_t node, std::span<const Case> cases) {
    const std::size_t n_classes = tree_.n_outputs;
    double* value = &tree_.value[node * n_classes];
    std::fill_n(value, n_classes, 0.0);
    for (const Case& each : cases) value[class_of(each)] += each.weight;
    tree_.weight[node] = std::accumulate(value, value + n_classes, 0.0);
    if (cases.empty()) return;
    const auto best = heaviest_class({value, n_classes}, rules_.j48 ? kSlackJ48 : 0.0);
    const auto kept = tree_.prediction[node];
    // Release 8 keeps the class unless another is heavier.
    if (rules_.j48 || value[best] > value[kept] + slack_)
      tree_.prediction[node] = static_cast<std::int32_t>(best);
  }

  std::size_t class_of(const Case& each) const {
    return static_cast<std::size_t>(target_.classes[each.row]);
  }

  std::size_t child_of(std::size_t node, std::uint32_t code) const {
    const auto feature = static_cast<std::size_t>(tree_.feature[node]);
    if (columns_.is_nominal(feature)) return code;
    return columns_.values(feature)[code] <= tree_.threshold[node] ? 0 : 1;
  }

  /// Sorts the cases of a node by branch, those with a missing value last; returns how
  /// many these are. bounds[b] is where branch b begins, the last one where they end.
  std::size_t arrange(std::size_t node, std::vector<Case>& cases, std::size_t begin,
                      std::size_t end, std::vector<std::size_t>& bounds,
                      std::vector<double>& shares) {
    const auto n_children = static_cast<std::size_t>(tree_.n_children[node]);
    const std::uint32_t* codes =
        columns_.codes(static_cast<std::size_t>(tree_.feature[node]));
    bounds.assign(n_children + 2, 0);
    shares.assign(n_children, 0.0);
    double known = 0;
    branch_.resize(end - begin);
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t code = codes[cases[i].row];
      const std::size_t branch =
          code == kMissingCode ? n_children : child_of(node, code);
      branch_[i - begin] = static_cast<std::uint32_t>(branch);
      ++bounds[branch + 1];
      if (branch == n_children) continue;
      shares[branch] += cases[i].weight;
      known += cases[i].weight;
    }
    bounds[0] = begin;
    for (std::size_t b = 0; b <= n_children; ++b) bounds[b + 1] += bounds[b];
    cursors_.assign(bounds.begin(), bounds.end());
    scratch_.assign(cases.begin() + static_cast<std::ptrdiff_t>(begin),
                    cases.begin() + static_cast<std::ptrdiff_t>(end));
    for (std::size_t i = 0; i < scratch_.size(); ++i)
      cases[cursors_[branch_[i]]++] = scratch_[i];
    for (double& share : shares)
      share = known > 0 ? share / known : 1.0 / static_cast<double>(n_children);
    bounds.pop_back();
    return end - bounds.back();
  }

  void append_missing(std::vector<Case>& to, const std::vector<Case>& from,
                      std::size_t begin, std::size_t end, double share) const {
    if (share <= (rules_.j48 ? kSlackJ48 : 0.0)) return;
    for (std::size_t i = begin; i < end; ++i)
      to.push_back({from[i].row, from[i].weight * share});
  }

  void visit_child() {
    Frame& frame = frames_.back();
    const std::size_t b = frame.next++;
    const std::size_t child =
        static_cast<std::size_t>(tree_.first_child[frame.node]) + b;
    Frame down{child, frame.bounds[b], frame.bounds[b + 1]};
    if (frame.missing > 0) {
      // The child's cases move behind all others, with their parts of the missing.
      const std::size_t begin = cases_.size();
      for (std::size_t i = down.begin; i < down.end; ++i)
        cases_.push_back(Case(cases_[i]));
      const std::vector<Case> lost(
          cases_.begin() + static_cast<std::ptrdiff_t>(frame.bounds.back()),
          cases_.begin() + static_cast<std::ptrdiff_t>(frame.end));
      append_missing(cases_, lost, 0, lost.size(), frame.shares[b]);
      down.begin = begin;
      down.end = cases_.size();
    }
    if (down.begin == down.end) {
      make_empty(child, tree_.prediction[frame.node]);
      return;
    }
    frames_.push_back(std::move(down));
  }

  void make_empty(std::size_t node, std::int32_t parent_class) {
    tree_.make_leaf(node);
    tree_.weight[node] = 0;
    std::fill_n(&tree_.value[node * tree_.n_outputs], tree_.n_outputs, 0.0);
    if (rules_.j48) tree_.prediction[node] = parent_class;
    settled_[node] = {0.0, true};
  }

  void finish(double estimate) {
    const Frame frame = std::move(frames_.back());
    frames_.pop_back();
    const bool complete = frame.complete || tree_.is_leaf(frame.node);
    settled_[frame.node] = {estimate, complete};
    if (frames_.empty()) return;
    frames_.back().subtree_errors += estimate;
    frames_.back().complete = frames_.back().complete && complete;
    if (frames_.back().missing > 0) cases_.resize(frame.begin);
  }

  void decide() {
    Frame& frame = frames_.back();
    const std::size_t node = frame.node;
    const double as_leaf = own_estimate(node);
    const double as_subtree = frame.subtree_errors;
    const std::size_t branch = heaviest_child(node);
    const bool leaf_will_do = as_leaf <= as_subtree + kPrune + slack_;
    double as_branch = kInfinity;
    if (rules_.subtree_raising) {
      // Beyond the bound the exact sum no longer matters.
      const double bound =
          leaf_will_do ? as_leaf - kPrune - slack_ : as_subtree + kPrune + slack_;
      as_branch = estimate_branch(branch, frame, bound);
    }
    if (leaf_will_do && as_leaf <= as_branch + kPrune + slack_) {
      tree_.make_leaf(node);
      finish(as_leaf);
    } else if (as_branch <= as_subtree + kPrune + slack_) {
      tree_.replace(node, branch);
      frame.entered = false;
    } else {
      finish(as_subtree);
    }
  }

  /// The last of the heaviest.
  std::size_t heaviest_child(std::size_t node) const {
    const auto first = static_cast<std::size_t>(tree_.first_child[node]);
    const auto count = static_cast<std::size_t>(tree_.n_children[node]);
    std::size_t best = first;
    for (std::size_t child = first; child < first + count; ++child)
      if (tree_.weight[child] >= tree_.weight[best] - slack_) best = child;
    return best;
  }

  /// Estimated errors of a branch if all cases of a frame go down it.
  double estimate_branch(std::size_t root, const Frame& frame, double bound) {
    double errors = 0;
    if (estimate_with_others(root, frame, errors)) return errors;
    return estimate_anew(root, frame, bound);
  }

  /// The same from what the branch has counted already: only the cases of the other
  /// branches go down it, which keeps long chains cheap. False if a value is missing on
  /// the way, because that changes the shares of all cases.
  bool estimate_with_others(std::size_t root, const Frame& frame, double& errors) {
    if (frame.missing > 0 || !settled_[root].complete) return false;
    const std::size_t b =
        root - static_cast<std::size_t>(tree_.first_child[frame.node]);
    const auto at = [&](std::size_t i) {
      return cases_.begin() + static_cast<std::ptrdiff_t>(i);
    };
    std::vector<Case>& cases = trial_cases_;
    cases.assign(at(frame.begin), at(frame.bounds[b]));
    cases.insert(cases.end(), at(frame.bounds[b + 1]), at(frame.end));
    trial_.clear();
    trial_.push_back({root, 0, cases.size()});
    errors = settled_[root].errors;
    while (!trial_.empty()) {
      Trial next = trial_.back();
      trial_.pop_back();
      if (next.begin == next.end) continue;
      go_on_together(next, cases);
      if (tree_.is_leaf(next.node)) {
        const double* counted = &tree_.value[next.node * tree_.n_outputs];
        class_weights_.assign(counted, counted + tree_.n_outputs);
        errors -= own_estimate(next.node);
        errors += trial_leaf(cases, next.begin, next.end);
        continue;
      }
      if (arrange(next.node, cases, next.begin, next.end, bounds_, shares_) > 0)
        return false;
      const auto first = static_cast<std::size_t>(tree_.first_child[next.node]);
      for (std::size_t k = 0; k + 1 < bounds_.size(); ++k)
        if (bounds_[k] < bounds_[k + 1])
          trial_.push_back({first + k, bounds_[k], bounds_[k + 1]});
    }
    return true;
  }

  /// Goes down as long as all cases take the same branch, as in a chain.
  void go_on_together(Trial& trial, const std::vector<Case>& cases) const {
    while (!tree_.is_leaf(trial.node)) {
      const std::uint32_t* codes =
          columns_.codes(static_cast<std::size_t>(tree_.feature[trial.node]));
      const std::uint32_t code = codes[cases[trial.begin].row];
      if (code == kMissingCode) return;
      const std::size_t branch = child_of(trial.node, code);
      for (std::size_t i = trial.begin + 1; i < trial.end; ++i) {
        const std::uint32_t other = codes[cases[i].row];
        if (other == kMissingCode || child_of(trial.node, other) != branch) return;
      }
      trial.node = static_cast<std::size_t>(tree_.first_child[trial.node]) + branch;
    }
  }

  double estimate_anew(std::size_t root, const Frame& frame, double bound) {
    std::vector<Case>& cases = trial_cases_;
    cases.assign(cases_.begin() + static_cast<std::ptrdiff_t>(frame.begin),
                 cases_.begin() + static_cast<std::ptrdiff_t>(frame.end));
    trial_.clear();
    trial_.push_back({root, 0, cases.size()});
    double errors = 0;
    while (!trial_.empty() && errors <= bound) {
      const Trial at = trial_.back();
      trial_.pop_back();
      cases.resize(at.end);
      if (at.begin == at.end) continue;
      if (tree_.is_leaf(at.node)) {
        class_weights_.assign(tree_.n_outputs, 0.0);
        errors += trial_leaf(cases, at.begin, at.end);
        continue;
      }
      const std::size_t missing =
          arrange(at.node, cases, at.begin, at.end, bounds_, shares_);
      if (!rules_.j48 && bounds_.back() == at.begin) {
        class_weights_.assign(tree_.n_outputs, 0.0);
        errors += trial_leaf(cases, at.begin, at.end);
        continue;
      }
      if (missing > 0) spread(cases, at.begin, at.end);
      const auto first = static_cast<std::size_t>(tree_.first_child[at.node]);
      for (std::size_t b = 0; b + 1 < bounds_.size(); ++b)
        trial_.push_back({first + b, bounds_[b], bounds_[b + 1]});
    }
    return errors;
  }

  /// Estimated errors of a leaf with these cases on top of `class_weights_`.
  double trial_leaf(const std::vector<Case>& cases, std::size_t begin,
                    std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      class_weights_[class_of(cases[i])] += cases[i].weight;
    const double weight =
        std::accumulate(class_weights_.begin(), class_weights_.end(), 0.0);
    const double best = *std::max_element(class_weights_.begin(), class_weights_.end());
    return leaf_estimate(weight, weight - best);
  }

  /// Gives every branch its part of the missing cases at the end of a stretch.
  void spread(std::vector<Case>& cases, std::size_t begin, std::size_t end) {
    const std::vector<Case> old(cases.begin() + static_cast<std::ptrdiff_t>(begin),
                                cases.begin() + static_cast<std::ptrdiff_t>(end));
    const std::size_t lost = bounds_.back() - begin;
    cases.resize(begin);
    for (std::size_t b = 0; b + 1 < bounds_.size(); ++b) {
      const std::size_t from = bounds_[b] - begin;
      const std::size_t to = bounds_[b + 1] - begin;
      bounds_[b] = cases.size();
      cases.insert(cases.end(), old.begin() + static_cast<std::ptrdiff_t>(from),
                   old.begin() + static_cast<std::ptrdiff_t>(to));
      append_missing(cases, old, lost, old.size(), shares_[b]);
    }
    bounds_.back() = cases.size();
  }

  FlatTree& tree_;
  const TreeColumns& columns_;
  const TreeTarget& target_;
  const PruneRules& rules_;
  double slack_;
  std::vector<Case> cases_;
  std::vector<Frame> frames_;
  std::vector<Settled> settled_;  // by node

  std::vector<Case> trial_cases_, scratch_;
  std::vector<Trial> trial_;
  std::vector<std::uint32_t> branch_;
  std::vector<std::size_t> cursors_, bounds_;
  std::vector<double> shares_, class_weights_;
};

}  // namespace

double extra_errors(double weight, double errors, const PruneRules& rules) {
  if (errors < 1) {
    const double none = weight * (1 - std::pow(rules.confidence, 1 / weight));
    if (errors <= 0) return none;
    return none + errors * (extra_errors(weight, 1, rules) - none);
  }
  if (errors + 0.5 >= weight)
    return rules.j48 ? std::max(weight - errors, 0.0) : 0.67 * (weight - errors);
  const double square = rules.deviate * rules.deviate;
  const double seen = errors + 0.5;
  const double root = std::sqrt(square * (seen * (1 - seen / weight) + square / 4));
  return weight * (seen + square / 2 + root) / (weight + square) - errors;
}

void collapse_tree(FlatTree& tree, bool j48) {
  std::vector<double> below(tree.size());
  for (std::size_t node = tree.size(); node-- > 0;) {
    const double own = training_errors(tree, node);
    if (tree.is_leaf(node)) {
      below[node] = own;
      continue;
    }
    const auto first = static_cast<std::size_t>(tree.first_child[node]);
    const auto count = static_cast<std::size_t>(tree.n_children[node]);
    below[node] = 0;
    for (std::size_t child = first; child < first + count; ++child)
      below[node] += below[child];
    if (j48 || below[node] < own - kCollapse) continue;
    tree.make_leaf(node);
    below[node] = own;
  }
  if (!j48) return;
  for (std::size_t node = 0; node < tree.size(); ++node)
    if (!tree.is_leaf(node) && below[node] >= training_errors(tree, node) - kCollapse)
      tree.make_leaf(node);
}

void prune_tree(FlatTree& tree, const TreeColumns& columns, const TreeTarget& target,
                std::span<const double> weights, const PruneRules& rules) {
  Pruner(tree, columns, target, weights, rules).run();
}

}  // namespace featsieve
