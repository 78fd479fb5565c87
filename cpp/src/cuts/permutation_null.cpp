#include "cuts/permutation_null.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "cuts/permuted_runs.hpp"
#include "featsieve/log_table.hpp"
#include "random/hypergeometric.hpp"
#include "random/random.hpp"

namespace featsieve {
namespace {

/// A permuted score this close below the observed one counts as reaching it: equal
/// tables may be summed in another order.
constexpr double kTie = 1e-12;

void check_counts(std::span<const std::int64_t> counts) {
  if (std::any_of(counts.begin(), counts.end(), [](std::int64_t c) { return c < 0; }))
    throw std::invalid_argument("counts must not be negative");
}

void check_margins(std::int64_t rows, std::span<const std::int64_t> class_totals) {
  check_counts(class_totals);
  const std::int64_t by_class =
      std::accumulate(class_totals.begin(), class_totals.end(), std::int64_t{0});
  if (rows != by_class || rows < 0)
    throw std::invalid_argument("levels and classes must count the same rows");
}

/// Counts observed scores that a permuted score reaches; true when all are settled.
bool record(double permuted, std::span<const double> observed, DrawLimits limits,
            std::span<Exceedances> results) {
  bool settled = true;
  for (std::size_t i = 0; i < observed.size(); ++i) {
    Exceedances& result = results[i];
    if (result.at_least >= limits.stop_after) continue;
    ++result.draws;
    if (permuted >= observed[i] - kTie) ++result.at_least;
    settled = settled && result.at_least >= limits.stop_after;
  }
  return settled;
}

/// Cuts a permuted column and scores it.
class CutScorer {
 public:
  CutScorer(CutPrice price, Score score, std::int64_t rows)
      : price_(price), score_(score), logs_(static_cast<std::size_t>(rows)) {}

  /// known: rows with a value, per class; missing: rows without.
  double without_cuts(std::span<const std::int64_t> known,
                      std::span<const std::int64_t> missing) {
    table_.assign(known.begin(), known.end());
    table_.insert(table_.end(), missing.begin(), missing.end());
    return score_table(missing.size());
  }

  double operator()(const Blocks<std::int64_t>& blocks,
                    std::span<const std::int64_t> missing) {
    const auto cuts = mdl_cut_blocks(blocks, price_, logs_);
    const std::size_t n_classes = missing.size();
    table_.assign((cuts.size() + 1) * n_classes, 0);
    table_.insert(table_.end(), missing.begin(), missing.end());
    std::size_t level = 0;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      for (std::size_t c = 0; c < n_classes; ++c)
        table_[level * n_classes + c] += blocks[b][c];
      if (level < cuts.size() && cuts[level] == b) ++level;
    }
    return score_table(n_classes);
  }

  const LogTable& logs() const { return logs_; }

 private:
  double score_table(std::size_t n_classes) const {
    return measure_of(table_entropies(table_, n_classes, score_.missing, logs_),
                      score_.measure);
  }

  CutPrice price_;
  Score score_;
  LogTable logs_;
  std::vector<std::int64_t> table_;
};

/// A random order of the classes, as running counts: before(i)[c] rows of class c come
/// before place i.
class PermutedClasses {
 public:
  explicit PermutedClasses(std::span<const std::int64_t> class_totals)
      : class_totals_(class_totals), n_classes_(class_totals.size()) {
    waiting_.fill(class_totals);
    before_.resize((static_cast<std::size_t>(waiting_.total) + 1) * n_classes_);
    classes_.resize(static_cast<std::size_t>(waiting_.total));
  }

  void draw(Random& random) {
    waiting_.fill(class_totals_);
    for (std::size_t place = 0; place < classes_.size(); ++place) {
      const std::size_t own = waiting_.take_one(random);
      classes_[place] = static_cast<std::uint32_t>(own);
      std::int64_t* now = &before_[place * n_classes_];
      std::copy(now, now + n_classes_, now + n_classes_);
      ++now[n_classes_ + own];
    }
  }

  std::size_t size() const { return classes_.size(); }
  std::size_t at(std::size_t place) const { return classes_[place]; }

  /// Rows per class at the places [begin, end).
  void count(std::size_t begin, std::size_t end, std::int64_t* counts) const {
    const std::int64_t* low = &before_[begin * n_classes_];
    const std::int64_t* high = &before_[end * n_classes_];
    for (std::size_t c = 0; c < n_classes_; ++c) counts[c] = high[c] - low[c];
  }

 private:
  std::span<const std::int64_t> class_totals_;
  std::size_t n_classes_;
  Waiting waiting_;
  std::vector<std::int64_t> before_;  // its first n_classes_ entries stay 0
  std::vector<std::uint32_t> classes_;
};

}  // namespace

std::vector<Exceedances> table_null(std::span<const std::int64_t> level_totals,
                                    std::span<const std::int64_t> class_totals,
                                    std::span<const double> observed, Score score,
                                    DrawLimits limits, std::uint64_t seed) {
  const std::int64_t rows =
      std::accumulate(level_totals.begin(), level_totals.end(), std::int64_t{0});
  check_counts(level_totals);
  check_margins(rows, class_totals);
  const LogFactorials lf(rows);
  const LogTable logs(static_cast<std::size_t>(rows));
  Random random(seed);
  Waiting waiting;
  std::vector<std::int64_t> table(level_totals.size() * class_totals.size());
  std::vector<Exceedances> results(observed.size());
  for (std::int64_t draw = 0; draw < limits.max_draws; ++draw) {
    waiting.fill(class_totals);
    for (std::size_t level = 0; level < level_totals.size(); ++level)
      waiting.take(level_totals[level], lf, random,
                   &table[level * class_totals.size()]);
    const double permuted =
        measure_of(table_entropies(table, class_totals.size(), score.missing, logs),
                   score.measure);
    if (record(permuted, observed, limits, results)) break;
  }
  return results;
}

std::vector<Exceedances> mdl_null(std::span<const std::int64_t> runs,
                                  std::int64_t n_missing,
                                  std::span<const std::int64_t> class_totals,
                                  std::span<const double> observed, CutPrice price,
                                  Score score, DrawLimits limits, std::uint64_t seed) {
  const std::int64_t known = std::accumulate(runs.begin(), runs.end(), std::int64_t{0});
  check_counts(runs);
  if (n_missing < 0) throw std::invalid_argument("counts must not be negative");
  check_margins(known + n_missing, class_totals);
  PermutedRuns permuted(runs, class_totals, seed);
  Blocks<std::int64_t> blocks(class_totals.size());
  CutScorer scorer(price, score, known + n_missing);
  std::vector<Exceedances> results(observed.size());
  for (std::int64_t draw = 0; draw < limits.max_draws; ++draw) {
    permuted.draw(static_cast<std::uint64_t>(draw));
    double score_now = 0;
    if (permuted.may_be_cut(price, scorer.logs())) {
      permuted.fill(blocks);
      score_now = scorer(blocks, permuted.missing());
    } else {
      score_now = scorer.without_cuts(permuted.known(), permuted.missing());
    }
    if (record(score_now, observed, limits, results)) break;
  }
  return results;
}

std::vector<Exceedances> mdl_null_together(std::span<const TiedScores> features,
                                           std::span<const std::int64_t> class_totals,
                                           CutPrice price, Score score,
                                           DrawLimits limits, std::uint64_t seed) {
  const std::int64_t rows =
      std::accumulate(class_totals.begin(), class_totals.end(), std::int64_t{0});
  std::size_t n_scores = 0;
  for (const TiedScores& feature : features) {
    n_scores += feature.observed.size();
    const std::int64_t known =
        std::accumulate(feature.runs.begin(), feature.runs.end(), std::int64_t{0});
    const bool positive = std::all_of(feature.runs.begin(), feature.runs.end(),
                                      [](std::int64_t run) { return run > 0; });
    check_margins(std::max(known, rows), class_totals);
    if (!positive) throw std::invalid_argument("runs must not be empty");
  }
  const std::size_t n_classes = class_totals.size();
  PermutedClasses permuted(class_totals);
  Random random(seed);
  Blocks<std::int64_t> blocks(n_classes);
  std::vector<std::int64_t> group(n_classes);
  CutScorer scorer(price, score, rows);
  std::vector<Exceedances> results(n_scores);
  std::vector<bool> settled(features.size(), false);
  std::size_t open = features.size();
  for (std::int64_t draw = 0; draw < limits.max_draws && open > 0; ++draw) {
    permuted.draw(random);
    std::size_t first_score = 0;
    for (std::size_t f = 0; f < features.size(); ++f) {
      const auto& [runs, observed] = features[f];
      const std::span own(results.data() + first_score, observed.size());
      first_score += observed.size();
      if (settled[f]) continue;
      blocks.clear();
      std::size_t place = 0;
      for (const std::int64_t run : runs) {
        const std::size_t end = place + static_cast<std::size_t>(run);
        if (run == 1) {
          blocks.add_pure(permuted.at(place), 1);
        } else {
          permuted.count(place, end, group.data());
          blocks.add(group.data());
        }
        place = end;
      }
      permuted.count(place, permuted.size(), group.data());
      settled[f] = record(scorer(blocks, group), observed, limits, own);
      if (settled[f]) --open;
    }
  }
  return results;
}

}  // namespace featsieve
