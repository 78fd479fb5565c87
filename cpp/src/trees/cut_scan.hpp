#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace featsieve {

/// A case and its code in some column; in order of code, then of case.
class CodedCase {
 public:
  CodedCase() = default;
  CodedCase(std::uint32_t code, std::uint32_t number)
      : key_((std::uint64_t{code} << 32U) | number) {}

  std::uint32_t code() const { return static_cast<std::uint32_t>(key_ >> 32U); }
  std::uint32_t number() const { return static_cast<std::uint32_t>(key_); }
  bool operator>(const CodedCase& other) const { return key_ > other.key_; }

 private:
  std::uint64_t key_ = 0;
};

/// Which cuts a scan may take.
struct CutLimits {
  double min_side = 0;  // least weight of a side
  double min_gap = 0;   // neighbours must differ by more
  /// Values whose codes differ by this much do; it saves looking them up.
  std::uint32_t far_codes = 0;
  double tie = 0;  // a later cut wins if its score is greater by more than this
  double floor = -std::numeric_limits<double>::infinity();  // the score to beat
  /// Leave out cuts between cases of one class. The best cut is never among them,
  /// because the score is convex there (Fayyad and Irani 1992); classes only.
  const std::uint32_t* labels = nullptr;
  std::uint32_t n_thresholds = 0;  // if positive, equally spaced thresholds only
};

struct FoundCut {
  bool found = false;
  double score = 0;
  std::size_t n_left = 0;  // cases up to the cut
  double left_weight = 0;
  std::size_t n_tried = 0;
  double threshold = 0;  // with n_thresholds only
};

namespace cut_scan_detail {

/// Whether the cases around a cut are all of one class, as far as is seen at a glance:
/// the group that ends at `last` is of `own`, and the next holds a single case.
inline bool inside_a_class(std::span<const CodedCase> cases, std::size_t last,
                           bool group_is_pure, const std::uint32_t* labels) {
  const std::size_t next = last + 1;
  if (!group_is_pure || labels[cases[next].number()] != labels[cases[last].number()])
    return false;
  return next + 1 == cases.size() || cases[next + 1].code() != cases[next].code();
}

/// Walks through the equally spaced thresholds of a node.
class Thresholds {
 public:
  Thresholds() = default;
  Thresholds(double least, double greatest, std::uint32_t count)
      : least_(least), greatest_(greatest), count_(count) {}

  /// Whether a threshold lies in [below, above); it is then `current`.
  bool between(double below, double above) {
    // First where it must be but for rounding: there may be very many thresholds.
    const double guess = (below - least_) / (greatest_ - least_) * (count_ + 1.0) - 1;
    if (guess > next_)
      next_ = static_cast<std::uint32_t>(std::min(guess, 1.0 * count_));
    while (next_ <= count_ && at(next_) < below) ++next_;
    return next_ <= count_ && at(next_) < above;
  }
  double current() const { return at(next_); }

 private:
  double at(std::uint32_t j) const {
    return least_ + (greatest_ - least_) * j / (count_ + 1.0);
  }

  double least_ = 0, greatest_ = 0;
  std::uint32_t count_ = 0;
  std::uint32_t next_ = 1;
};

}  // namespace cut_scan_detail

/// The best cut of cases in the order of their codes, the first of equals. `known` are
/// the sums of these cases; `values` leads from codes to values. With kAnyCut the
/// limits leave out no cut but those inside a class.
template <bool kAnyCut, class Score>
FoundCut scan_cuts_as(std::span<const CodedCase> cases, Score& score,
                      const double* known, std::span<const double> values,
                      const CutLimits& limits) {
  FoundCut best;
  best.score = limits.floor;
  score.start(known);
  cut_scan_detail::Thresholds thresholds;
  if (!kAnyCut && limits.n_thresholds > 0)
    thresholds = {values[cases.front().code()], values[cases.back().code()],
                  limits.n_thresholds};
  const std::uint32_t* labels = limits.labels;
  bool pure = true;
  const std::size_t last = cases.size() - 1;
  for (std::size_t i = 0; i < last; ++i) {
    score.move(cases[i].number());
    if (cases[i].code() == cases[i + 1].code()) {
      if (labels != nullptr)
        pure = pure && labels[cases[i].number()] == labels[cases[i + 1].number()];
      continue;
    }
    const bool was_pure = pure;
    pure = true;
    if (labels != nullptr &&
        cut_scan_detail::inside_a_class(cases, i, was_pure, labels))
      continue;
    if constexpr (!kAnyCut) {
      if (score.left_weight() < limits.min_side) continue;
      if (score.right_weight() < limits.min_side) break;
      const std::uint32_t below = cases[i].code();
      const std::uint32_t above = cases[i + 1].code();
      if (above - below < limits.far_codes &&
          !(values[below] + limits.min_gap < values[above]))
        continue;
      if (limits.n_thresholds > 0 && !thresholds.between(values[below], values[above]))
        continue;
    }
    ++best.n_tried;
    const double reached = score.score();
    if (reached > best.score + limits.tie) {
      best.found = true;
      best.score = reached;
      best.n_left = i + 1;
      best.left_weight = score.left_weight();
      if (limits.n_thresholds > 0) best.threshold = thresholds.current();
    }
  }
  return best;
}

template <class Score>
FoundCut scan_cuts(std::span<const CodedCase> cases, Score& score, const double* known,
                   std::span<const double> values, const CutLimits& limits) {
  if (cases.size() < 2) return {};
  if (limits.min_side <= 0 && limits.min_gap <= 0 && limits.n_thresholds == 0)
    return scan_cuts_as<true>(cases, score, known, values, limits);
  return scan_cuts_as<false>(cases, score, known, values, limits);
}

}  // namespace featsieve
