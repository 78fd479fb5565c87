#include "cuts/permuted_runs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>

namespace featsieve {
namespace {

/// A stretch of so few rows is drawn row by row, which is faster than by halves.
constexpr std::int64_t kFewRows = 64;

/// Runs of ties from this length on are drawn as a whole. Measured with three classes:
/// 10 % slower at 10 rows, a third faster at 20.
constexpr std::int64_t kLongRun = 12;

double real(std::int64_t k) { return static_cast<double>(k); }

}  // namespace

PermutedRuns::PermutedRuns(std::span<const std::int64_t> runs,
                           std::span<const std::int64_t> class_totals,
                           std::uint64_t seed)
    : n_classes_(class_totals.size()),
      class_totals_(class_totals.begin(), class_totals.end()),
      ends_(runs.size() + 1, 0),
      seed_(seed),
      log_factorials_(
          std::accumulate(class_totals.begin(), class_totals.end(), std::int64_t{0})),
      known_(n_classes_),
      missing_(n_classes_),
      share_(n_classes_),
      group_(n_classes_),
      left_(n_classes_) {
  std::partial_sum(runs.begin(), runs.end(), ends_.begin() + 1);
}

/// kind and place name a draw within the permutation.
Random PermutedRuns::stream_of(std::uint64_t kind, std::size_t place) const {
  constexpr std::uint64_t kOdd = 0xD1B54A32D192ED03ULL;
  constexpr std::uint64_t kOther = 0xABC98388FB8FAC03ULL;
  return Random(seed_ + number_ * kOdd + (2 * place + kind) * kOther);
}

void PermutedRuns::draw(std::uint64_t number) {
  number_ = number;
  waiting_.fill(class_totals_);
  std::copy(class_totals_.begin(), class_totals_.end(), known_.begin());
  std::fill(missing_.begin(), missing_.end(), 0);
  if (waiting_.total == ends_.back()) return;
  Random random = stream_of(0, 0);  // no stretch is halved at its beginning
  waiting_.take(ends_.back(), log_factorials_, random, known_.data());
  std::copy(waiting_.per_class.begin(), waiting_.per_class.end(), missing_.begin());
}

bool PermutedRuns::is_small(const Stretch& stretch) const {
  return stretch.end - stretch.begin < 2 || rows(stretch) <= kFewRows;
}

PermutedRuns::Stretch PermutedRuns::whole() {
  counts_.assign(n_classes_, 0);
  counts_.insert(counts_.end(), known_.begin(), known_.end());
  return {0, ends_.size() - 1, 0};
}

std::pair<PermutedRuns::Stretch, PermutedRuns::Stretch> PermutedRuns::halves(
    const Stretch& stretch) {
  const auto first = ends_.begin() + static_cast<std::ptrdiff_t>(stretch.begin);
  const auto last = ends_.begin() + static_cast<std::ptrdiff_t>(stretch.end);
  const auto half = std::lower_bound(first + 1, last - 1, *first + rows(stretch) / 2);
  const auto middle = static_cast<std::size_t>(half - ends_.begin());
  const std::size_t lower = counts_.size();
  counts_.resize(lower + 2 * n_classes_);
  std::int64_t* before = &counts_[stretch.before];
  std::int64_t* within = before + n_classes_;
  std::int64_t* out = &counts_[lower];
  Random random = stream_of(0, middle);
  std::int64_t wanted = ends_[middle] - *first;
  std::int64_t available = rows(stretch);
  for (std::size_t c = 0; c < n_classes_; ++c) {
    available -= within[c];
    const std::int64_t taken =
        draw_hypergeometric(within[c], available, wanted, log_factorials_, random);
    wanted -= taken;
    out[c] = before[c];
    out[n_classes_ + c] = taken;
    before[c] += taken;
    within[c] -= taken;
  }
  return {{stretch.begin, middle, lower}, {middle, stretch.end, stretch.before}};
}

/// Calls visit(group) for every run of a small stretch with its rows per class.
template <class Visit>
void PermutedRuns::visit_runs(const Stretch& stretch, const Visit& visit) {
  const std::int64_t* within = &counts_[stretch.before + n_classes_];
  waiting_.fill({within, n_classes_});
  Random random = stream_of(1, stretch.begin);
  for (std::size_t run = stretch.begin; run < stretch.end; ++run) {
    const std::int64_t size = ends_[run + 1] - ends_[run];
    if (run + 1 == stretch.end) {
      std::copy(waiting_.per_class.begin(), waiting_.per_class.end(), group_.begin());
    } else if (size >= kLongRun) {
      waiting_.take(size, log_factorials_, random, group_.data());
    } else {
      std::fill(group_.begin(), group_.end(), 0);
      for (std::int64_t i = 0; i < size; ++i) ++group_[waiting_.take_one(random)];
    }
    visit(group_.data());
  }
}

void PermutedRuns::fill(Blocks<std::int64_t>& blocks) {
  blocks.clear();
  if (ends_.size() < 2) return;
  open_.assign(1, whole());
  while (!open_.empty()) {
    const Stretch stretch = open_.back();
    open_.pop_back();
    counts_.resize(stretch.before + 2 * n_classes_);  // lower ones are done with
    if (is_small(stretch)) {
      visit_runs(stretch, [&](const std::int64_t* group) { blocks.add(group); });
      continue;
    }
    const auto [lower, upper] = halves(stretch);
    open_.push_back(upper);
    open_.push_back(lower);
  }
}

/// What Fayyad and Irani ask of a cut of the whole range, less what they ask for the
/// entropy of its sides, which may be 0.
void PermutedRuns::set_price(CutPrice price, const LogTable& logs) {
  const std::int64_t n = ends_.back();
  const double cuts = price == CutPrice::kBetter
                          ? real(static_cast<std::int64_t>(ends_.size()) - 2)
                          : real(n) - 1;
  information_ = logs(n);
  double present = 0;
  for (std::size_t c = 0; c < n_classes_; ++c) {
    share_[c] = real(known_[c]) / real(n);
    information_ -= logs(known_[c]);
    present += known_[c] > 0 ? 1 : 0;
  }
  // log2(3^k - 2), a little less for many classes.
  const double sides = present > 30 ? present * std::log2(3.0) - 1e-6
                                    : std::log2(std::pow(3.0, present) - 2);
  const double slack = 1e-9 + 1e-12 * information_;
  price_ = std::log2(cuts) + sides - present * information_ / real(n) - slack;
}

bool PermutedRuns::may_be_cut(CutPrice price, const LogTable& logs) {
  if (price == CutPrice::kKononenko) return true;
  if (ends_.size() < 3 || ends_.back() < 2) return false;
  set_price(price, logs);
  if (!(price_ > 0)) return true;
  open_.assign(1, whole());
  while (!open_.empty()) {
    const Stretch stretch = open_.back();
    open_.pop_back();
    counts_.resize(stretch.before + 2 * n_classes_);  // lower ones are done with
    if (stretch.end - stretch.begin < 2 || most_gain_within(stretch) < price_) continue;
    if (is_small(stretch)) {
      if (small_may_be_cut(stretch, logs)) return true;
      continue;
    }
    const auto [lower, upper] = halves(stretch);
    if (is_worth_it(&counts_[upper.before], ends_[upper.begin], logs)) return true;
    open_.push_back(upper);
    open_.push_back(lower);
  }
  return false;
}

bool PermutedRuns::small_may_be_cut(const Stretch& stretch, const LogTable& logs) {
  std::copy_n(&counts_[stretch.before], n_classes_, left_.begin());
  std::size_t run = stretch.begin;
  bool found = false;
  visit_runs(stretch, [&](const std::int64_t* group) {
    for (std::size_t c = 0; c < n_classes_; ++c) left_[c] += group[c];
    ++run;
    found = found || (run < stretch.end && is_worth_it(left_.data(), ends_[run], logs));
  });
  return found;
}

/// n times the gain of a cut is at most chi-square of its two sides, in nats: the
/// divergence of Kullback and Leibler is at most that of Pearson.
double PermutedRuns::gain_bound(const std::int64_t* left,
                                std::int64_t left_rows) const {
  double sum = 0;
  for (std::size_t c = 0; c < n_classes_; ++c) {
    if (known_[c] == 0) continue;
    const double beyond = real(left[c]) - share_[c] * real(left_rows);
    sum += beyond * beyond / share_[c];
  }
  const double n = real(ends_.back());
  return sum * n / (real(left_rows) * (n - real(left_rows))) * std::numbers::log2e;
}

/// The same for all cuts within a stretch at once: how far the rows of a class on the
/// left may be from their share, wherever the cut lies and whatever is drawn.
double PermutedRuns::most_gain_within(const Stretch& stretch) const {
  const std::int64_t* before = &counts_[stretch.before];
  const std::int64_t* within = before + n_classes_;
  const double n = real(ends_.back());
  const double rows_before = real(ends_[stretch.begin]);
  const double rows_within = real(rows(stretch));
  double sum = 0;
  for (std::size_t c = 0; c < n_classes_; ++c) {
    if (known_[c] == 0) continue;
    const double beyond = real(before[c]) - share_[c] * rows_before;
    const double own = real(within[c]);
    const double most = std::max(beyond + own * (1 - share_[c]),
                                 share_[c] * (rows_within - own) - beyond);
    sum += most * most / share_[c];
  }
  // Cuts lie at the ends of runs inside the stretch.
  const double first = real(ends_[stretch.begin + 1]);
  const double last = real(ends_[stretch.end - 1]);
  const double sides = std::min(first * (n - first), last * (n - last));
  return sides > 0 ? sum * n / sides * std::numbers::log2e
                   : std::numeric_limits<double>::infinity();
}

bool PermutedRuns::is_worth_it(const std::int64_t* left, std::int64_t left_rows,
                               const LogTable& logs) const {
  if (left_rows == 0 || left_rows == ends_.back()) return false;
  if (gain_bound(left, left_rows) < price_) return false;
  double information = logs(left_rows) + logs(ends_.back() - left_rows);
  for (std::size_t c = 0; c < n_classes_; ++c)
    information -= logs(left[c]) + logs(known_[c] - left[c]);
  return information_ - information >= price_;
}

}  // namespace featsieve
