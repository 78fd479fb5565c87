#include "neighbours/boosting.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace featsieve {
namespace {

/// A correlation below this is rounding noise of none.
constexpr double kNoCorrelation = 1e-12;

constexpr std::size_t kPositive = 0;
constexpr std::size_t kNegative = 1;

/// One class against the others, description by description.
class BinaryProblem {
 public:
  BinaryProblem(const DescribedRows& rows, std::size_t positive,
                const BoostingRules& rules)
      : rows_(rows), rules_(rules), size_(rows.size()), sides_(size_), sums_(size_) {
    for (std::size_t a = 0; a < size_; ++a) {
      const auto counts = rows.counts.subspan(a * rows.n_classes, rows.n_classes);
      const auto total = std::accumulate(counts.begin(), counts.end(), 0.0);
      sides_[a].counts = {static_cast<double>(counts[positive]),
                          total - static_cast<double>(counts[positive])};
      n_rows_ += total;
    }
    set_weights(positive);
  }

  BoostingRounds run() {
    BoostingRounds result;
    double z = 1;
    while (result.confidences.size() < rules_.n_rounds) {
      vote();
      const double r = correlation();
      result.correlations.push_back(r);
      if (r <= kNoCorrelation) break;
      // Kept finite: a perfect learner would have infinite confidence.
      const double cut = std::min(r, 1 - 1 / n_rows_);
      const double alpha = 0.5 * std::log((1 + cut) / (1 - cut));
      result.confidences.push_back(alpha);
      z *= update(alpha);
      if (rules_.conflict == Conflict::kRounds) z = plain_criterion();
      result.criterion.push_back(z);
    }
    result.criterion.resize(rules_.n_rounds, z);
    for (const Sides& side : sides_)
      for (const std::size_t label : {kPositive, kNegative}) {
        result.weights.push_back(side.weights[label]);
        result.margins.push_back(side.margins[label]);
      }
    return result;
  }

 private:
  /// The rows of one description with the label, and with another one.
  struct Sides {
    std::array<double, 2> counts{};
    std::array<double, 2> weights{};  // of one row
    std::array<double, 2> votes{};
    std::array<double, 2> margins{};
  };
  /// Weights of a description: with sign of the label, and without.
  struct Sums {
    double with_sign = 0;
    double total = 0;
  };

  void set_weights(std::size_t positive) {
    double total = 0;
    for (std::size_t a = 0; a < size_; ++a) {
      Sides& side = sides_[a];
      const double weight = rows_.agreement.empty()
                                ? 1.0
                                : rows_.agreement[a * rows_.n_classes + positive];
      side.weights = {weight, weight};
      total += weight * (side.counts[kPositive] + side.counts[kNegative]);
    }
    for (Sides& side : sides_)
      for (double& weight : side.weights)
        weight = total > 0 ? weight / total : 1 / n_rows_;
  }

  void vote() {
    for (std::size_t a = 0; a < size_; ++a) {
      const Sides& side = sides_[a];
      const double plus = side.counts[kPositive] * side.weights[kPositive];
      const double minus = side.counts[kNegative] * side.weights[kNegative];
      sums_[a] = {plus - minus, plus + minus};
    }
    for (std::size_t a = 0; a < size_; ++a) {
      Sums others;
      bool own = false;
      for (const std::int32_t b : (*rows_.neighbours)[a]) {
        if (static_cast<std::size_t>(b) == a) {
          own = true;
          continue;
        }
        const Sums& sum = sums_[static_cast<std::size_t>(b)];
        others.with_sign += sum.with_sign;
        others.total += sum.total;
      }
      Sides& side = sides_[a];
      for (const std::size_t label : {kPositive, kNegative}) {
        if (side.counts[label] == 0) continue;
        Sums sum = others;
        if (own) {
          // The row itself is left out by counting one less: nothing is subtracted
          // that was added before, and nothing cancels.
          auto counts = side.counts;
          if (rows_.leave_one_out) counts[label] -= 1;
          const double plus = counts[kPositive] * side.weights[kPositive];
          const double minus = counts[kNegative] * side.weights[kNegative];
          sum.with_sign += plus - minus;
          sum.total += plus + minus;
        }
        side.votes[label] = sum.total > 0 ? as_vote(sum) : 0.0;
      }
    }
  }

  double as_vote(const Sums& sum) const {
    const double mean = sum.with_sign / sum.total;
    if (rules_.vote == Vote::kReal) return mean;
    if (std::abs(mean) <= kNoCorrelation) return 0;
    return mean > 0 ? 1 : -1;
  }

  double correlation() const {
    double sum = 0;
    for (const Sides& side : sides_)
      sum += side.counts[kPositive] * side.weights[kPositive] * side.votes[kPositive] -
             side.counts[kNegative] * side.weights[kNegative] * side.votes[kNegative];
    return sum;
  }

  /// Returns the sum of the new weights before they are normalised.
  double update(double alpha) {
    double total = 0;
    for (Sides& side : sides_)
      for (const std::size_t label : {kPositive, kNegative}) {
        if (side.counts[label] == 0) continue;
        const double step = alpha * side.votes[label];
        side.margins[label] += step;
        side.weights[label] *= std::exp(label == kPositive ? -step : step);
        total += side.counts[label] * side.weights[label];
      }
    for (Sides& side : sides_)
      for (double& weight : side.weights) weight /= total;
    return total;
  }

  /// Mean of exp(−y F) over all rows alike.
  double plain_criterion() const {
    double sum = 0;
    for (const Sides& side : sides_)
      for (const std::size_t label : {kPositive, kNegative})
        if (side.counts[label] > 0) {
          const double margin = side.margins[label];
          sum += side.counts[label] * std::exp(label == kPositive ? -margin : margin);
        }
    return sum / n_rows_;
  }

  const DescribedRows& rows_;
  const BoostingRules& rules_;
  std::size_t size_;
  std::vector<Sides> sides_;
  std::vector<Sums> sums_;
  double n_rows_ = 0;
};

/// Ranks of classes by their number of rows: 0 for the most frequent one.
std::vector<std::size_t> frequency_order(const DescribedRows& rows) {
  std::vector<std::int64_t> totals(rows.n_classes, 0);
  for (std::size_t a = 0; a < rows.size(); ++a)
    for (std::size_t c = 0; c < rows.n_classes; ++c)
      totals[c] += rows.counts[a * rows.n_classes + c];
  std::vector<std::size_t> order(rows.n_classes);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return totals[a] > totals[b]; });
  return order;
}

}  // namespace

BoostingRounds boost(const DescribedRows& rows, std::size_t positive,
                     const BoostingRules& rules) {
  return BinaryProblem(rows, positive, rules).run();
}

std::vector<double> boosting_curve(const DescribedRows& rows,
                                   const BoostingRules& rules) {
  std::vector<double> mean(rules.n_rounds, 0);
  // Of two classes the problems of both are the same one. With one class there is
  // nothing to tell apart.
  const std::size_t n_problems = rows.n_classes <= 2 ? 1 : rows.n_classes;
  for (std::size_t positive = 0; positive < n_problems; ++positive) {
    const BoostingRounds rounds = boost(rows, positive, rules);
    for (std::size_t t = 0; t < rules.n_rounds; ++t) mean[t] += rounds.criterion[t];
  }
  for (double& z : mean) z /= static_cast<double>(n_problems);
  return mean;
}

std::int64_t count_right(const DescribedRows& rows) {
  const std::size_t n_classes = rows.n_classes;
  const auto order = frequency_order(rows);
  std::vector<std::int64_t> votes(n_classes);
  std::int64_t right = 0;
  for (std::size_t a = 0; a < rows.size(); ++a) {
    std::fill(votes.begin(), votes.end(), 0);
    bool own = false;
    for (const std::int32_t b : (*rows.neighbours)[a]) {
      const auto begin = static_cast<std::size_t>(b) * n_classes;
      own = own || static_cast<std::size_t>(b) == a;
      for (std::size_t c = 0; c < n_classes; ++c) votes[c] += rows.counts[begin + c];
    }
    for (std::size_t label = 0; label < n_classes; ++label) {
      const std::int32_t count = rows.counts[a * n_classes + label];
      if (count == 0) continue;
      const std::int64_t itself = own && rows.leave_one_out ? 1 : 0;
      votes[label] -= itself;
      std::size_t best = order[0];
      for (const std::size_t c : order)
        if (votes[c] > votes[best]) best = c;
      if (best == label) right += count;
      votes[label] += itself;
    }
  }
  return right;
}

}  // namespace featsieve
