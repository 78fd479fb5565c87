#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cuts/mdl.hpp"
#include "featsieve/counting.hpp"

namespace featsieve {

/// How many permuted tables scored at least as high as the observed one.
struct Exceedances {
  std::int64_t at_least = 0;
  std::int64_t draws = 0;
};

/// When to stop drawing: after max_draws, or earlier once stop_after permutations have
/// reached the observed score (Besag and Clifford's sequential Monte Carlo test).
struct DrawLimits {
  std::int64_t max_draws;
  std::int64_t stop_after;
};

/// What is measured on each permuted table.
struct Score {
  Measure measure;
  Missing missing;
};

/// Permutation null of a nominal feature. Permuting the class keeps both margins, and
/// the measures see nothing but the table, so tables are drawn directly with their
/// hypergeometric law: a draw costs levels × classes, whatever the number of rows.
/// level_totals: rows per level, the last one for missing values. Features with the
/// same totals share their draws: one result per observed score.
std::vector<Exceedances> table_null(std::span<const std::int64_t> level_totals,
                                    std::span<const std::int64_t> class_totals,
                                    std::span<const double> observed, Score score,
                                    DrawLimits limits, std::uint64_t seed);

/// Permutation null of numeric features that are cut by MDL, cuts included: each draw
/// permutes the class and cuts anew, since cuts that were chosen with the class in
/// sight look informative on noise. Features with the same runs of ties and the same
/// number of missing values share their draws. One result per observed score.
std::vector<Exceedances> mdl_null(std::span<const std::int64_t> runs,
                                  std::int64_t n_missing,
                                  std::span<const std::int64_t> class_totals,
                                  std::span<const double> observed, CutPrice price,
                                  Score score, DrawLimits limits, std::uint64_t seed);

/// The runs of ties of one numeric feature (or of several that have the same), and the
/// observed scores.
struct TiedScores {
  std::span<const std::int64_t> runs;
  std::span<const double> observed;
};

/// The same for many features at once: all see the same permutations, whose class
/// counts are summed up once, so that a feature costs its distinct values and not its
/// rows. Which features come together changes no answer. One result per observed
/// score, feature after feature.
std::vector<Exceedances> mdl_null_together(std::span<const TiedScores> features,
                                           std::span<const std::int64_t> class_totals,
                                           CutPrice price, Score score,
                                           DrawLimits limits, std::uint64_t seed);

}  // namespace featsieve
