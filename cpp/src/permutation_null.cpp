#include "featsieve/permutation_null.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "featsieve/log_factorials.hpp"
#include "featsieve/log_table.hpp"
#include "featsieve/random.hpp"

namespace featsieve {
namespace {

/// A permuted score this close below the observed one counts as reaching it: equal
/// tables may be summed in another order.
constexpr double kTie = 1e-12;

double real(std::int64_t k) { return static_cast<double>(k); }

/// How many of a sample from good + bad balls are good: the hypergeometric law.
struct Urn {
  std::int64_t good;
  std::int64_t bad;
  std::int64_t sample;

  std::int64_t total() const { return good + bad; }
  std::int64_t least() const { return std::max<std::int64_t>(0, sample - bad); }
  std::int64_t most() const { return std::min(good, sample); }
  std::int64_t mode() const {
    const auto k = static_cast<std::int64_t>(real(sample + 1) * real(good + 1) /
                                             real(total() + 2));
    return std::clamp(k, least(), most());
  }
  double variance() const {
    const double share = real(good) / real(total());
    return real(sample) * share * (1 - share) * real(total() - sample) /
           real(total() - 1);
  }
  /// ln of the probability of k, up to a constant.
  double log_weight(std::int64_t k, const LogFactorials& lf) const {
    return -lf(k) - lf(good - k) - lf(sample - k) - lf(bad - sample + k);
  }
  double log_constant(const LogFactorials& lf) const {
    return lf(good) + lf(bad) + lf(sample) + lf(total() - sample) - lf(total());
  }
};

/// Inversion outward from the mode: expected steps are a few standard deviations, and
/// probabilities come by recurrence.
std::int64_t draw_by_inversion(const Urn& urn, const LogFactorials& lf,
                               Random& random) {
  const auto [good, bad, sample] = urn;
  const std::int64_t least = urn.least();
  const std::int64_t most = urn.most();
  const std::int64_t mode = urn.mode();
  const double at_mode = std::exp(urn.log_weight(mode, lf) + urn.log_constant(lf));

  double rest = random.uniform() - at_mode;
  if (rest < 0) return mode;
  std::int64_t up = mode;
  std::int64_t down = mode;
  double up_probability = at_mode;
  double down_probability = at_mode;
  while (up < most || down > least) {
    if (up < most) {
      up_probability *= real(good - up) * real(sample - up) /
                        (real(up + 1) * real(bad - sample + up + 1));
      ++up;
      rest -= up_probability;
      if (rest < 0) return up;
    }
    if (down > least) {
      down_probability *= real(down) * real(bad - sample + down) /
                          (real(good - down + 1) * real(sample - down + 1));
      --down;
      rest -= down_probability;
      if (rest < 0) return down;
    }
  }
  return mode;  // only rounding leads here
}

/// Stadlober's ratio of uniforms (1990): less than two trials on average, however wide
/// the law is. Beyond sixteen standard deviations nothing is drawn.
std::int64_t draw_by_ratio(const Urn& urn, double variance, const LogFactorials& lf,
                           Random& random) {
  constexpr double kTwoSqrtTwoByE = 1.7155277699214135;  // 2 sqrt(2 / e)
  constexpr double kThreeLessThat = 0.8989161620588988;  // 3 - 2 sqrt(3 / e)
  const double centre = real(urn.sample) * real(urn.good) / real(urn.total()) + 0.5;
  const double scale = std::sqrt(variance + 0.5);
  const double width = kTwoSqrtTwoByE * scale + kThreeLessThat;
  const double lowest = std::max(real(urn.least()), std::floor(centre - 16 * scale));
  const double beyond = std::min(real(urn.most()) + 1, std::floor(centre + 16 * scale));
  const double at_mode = urn.log_weight(urn.mode(), lf);
  while (true) {
    const double u = 1 - random.uniform();  // never 0
    const double x = centre + width * (random.uniform() - 0.5) / u;
    if (x < lowest || x >= beyond) continue;
    const auto k = static_cast<std::int64_t>(x);
    const double relative = urn.log_weight(k, lf) - at_mode;
    // Two bounds on 2 ln u spare most logarithms.
    if (u * (4 - u) - 3 <= relative) return k;
    if (u * (u - relative) >= 1) continue;
    if (2 * std::log(u) <= relative) return k;
  }
}

/// Variance from which the ratio of uniforms is faster than inversion. Measured: equal
/// from 20 to 40, five times as fast at 60,000.
constexpr double kWide = 25;

std::int64_t draw_hypergeometric(const Urn& urn, const LogFactorials& lf,
                                 Random& random) {
  if (urn.least() == urn.most()) return urn.least();
  const double variance = urn.variance();
  return variance < kWide ? draw_by_inversion(urn, lf, random)
                          : draw_by_ratio(urn, variance, lf, random);
}

/// Rows that wait for a level, per class.
struct Waiting {
  std::vector<std::int64_t> per_class;
  std::int64_t total = 0;

  void fill(std::span<const std::int64_t> class_totals) {
    per_class.assign(class_totals.begin(), class_totals.end());
    total = std::accumulate(per_class.begin(), per_class.end(), std::int64_t{0});
  }

  /// Takes `wanted` rows at random; counts[c] of them are of class c.
  void take(std::int64_t wanted, const LogFactorials& lf, Random& random,
            std::int64_t* counts) {
    std::int64_t available = total;
    total -= wanted;
    for (std::size_t c = 0; c < per_class.size(); ++c) {
      available -= per_class[c];
      counts[c] = draw_hypergeometric({per_class[c], available, wanted}, lf, random);
      per_class[c] -= counts[c];
      wanted -= counts[c];
    }
  }

  /// Takes one row at random and returns its class.
  std::size_t take_one(Random& random) {
    auto place =
        static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(total)));
    --total;
    std::size_t c = 0;
    while (place >= per_class[c]) place -= per_class[c++];
    --per_class[c];
    return c;
  }
};

/// Runs of ties from this length on are drawn as a whole. Measured with three classes:
/// 10 % slower at 10 rows, a third faster at 20.
constexpr std::int64_t kLongRun = 12;

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

  /// missing: rows without a value, per class.
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
    return measure_of(table_entropies(table_, n_classes, score_.missing, logs_),
                      score_.measure);
  }

 private:
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
  const std::size_t n_classes = class_totals.size();
  Random random(seed);

  const LogFactorials lf(known + n_missing);
  Waiting waiting;
  Blocks<std::int64_t> blocks(n_classes);
  std::vector<std::int64_t> group(n_classes);
  CutScorer scorer(price, score, known + n_missing);
  std::vector<Exceedances> results(observed.size());
  for (std::int64_t draw = 0; draw < limits.max_draws; ++draw) {
    waiting.fill(class_totals);
    blocks.clear();
    for (const std::int64_t run : runs) {
      if (run == 1) {
        blocks.add_pure(waiting.take_one(random), 1);
        continue;
      }
      if (run >= kLongRun) {
        waiting.take(run, lf, random, group.data());
      } else {
        std::fill(group.begin(), group.end(), 0);
        for (std::int64_t i = 0; i < run; ++i) ++group[waiting.take_one(random)];
      }
      blocks.add(group.data());
    }
    const double permuted = scorer(blocks, waiting.per_class);
    if (record(permuted, observed, limits, results)) break;
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
