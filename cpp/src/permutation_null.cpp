#include "featsieve/permutation_null.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "featsieve/log_table.hpp"
#include "featsieve/random.hpp"

namespace featsieve {
namespace {

/// A permuted score this close below the observed one counts as reaching it: equal
/// tables may be summed in another order.
constexpr double kTie = 1e-12;

class LogFactorials {
 public:
  explicit LogFactorials(std::int64_t largest)
      : values_(static_cast<std::size_t>(largest) + 1, 0.0) {
    for (std::size_t k = 1; k < values_.size(); ++k)
      values_[k] = values_[k - 1] + std::log(static_cast<double>(k));
  }
  double operator()(std::int64_t k) const {
    return values_[static_cast<std::size_t>(k)];
  }

 private:
  std::vector<double> values_;
};

/// Draws from the hypergeometric law by inversion outward from the mode: expected
/// steps are a few standard deviations, and probabilities come by recurrence.
std::int64_t draw_hypergeometric(std::int64_t good, std::int64_t bad,
                                 std::int64_t sample, const LogFactorials& lf,
                                 Random& random) {
  const std::int64_t least = std::max<std::int64_t>(0, sample - bad);
  const std::int64_t most = std::min(good, sample);
  if (least == most) return least;
  const std::int64_t total = good + bad;
  const auto real = [](std::int64_t k) { return static_cast<double>(k); };
  auto mode =
      static_cast<std::int64_t>(real(sample + 1) * real(good + 1) / real(total + 2));
  mode = std::clamp(mode, least, most);
  const double at_mode =
      std::exp(lf(good) - lf(mode) - lf(good - mode) + lf(bad) - lf(sample - mode) -
               lf(bad - sample + mode) - lf(total) + lf(sample) + lf(total - sample));

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

/// A table with the given margins, cell by cell.
void draw_table(std::span<const std::int64_t> level_totals,
                std::span<const std::int64_t> class_totals, const LogFactorials& lf,
                Random& random, std::vector<std::int64_t>& left_per_class,
                std::vector<std::int64_t>& table) {
  left_per_class.assign(class_totals.begin(), class_totals.end());
  const std::size_t n_classes = class_totals.size();
  for (std::size_t level = 0; level < level_totals.size(); ++level) {
    std::int64_t wanted = level_totals[level];
    std::int64_t available =
        std::accumulate(left_per_class.begin(), left_per_class.end(), std::int64_t{0});
    for (std::size_t c = 0; c < n_classes; ++c) {
      const std::int64_t here = left_per_class[c];
      available -= here;
      const std::int64_t count =
          draw_hypergeometric(here, available, wanted, lf, random);
      table[level * n_classes + c] = count;
      left_per_class[c] -= count;
      wanted -= count;
    }
  }
}

void check_margins(std::int64_t rows, std::span<const std::int64_t> class_totals) {
  const std::int64_t by_class =
      std::accumulate(class_totals.begin(), class_totals.end(), std::int64_t{0});
  if (rows != by_class || rows < 0)
    throw std::invalid_argument("levels and classes must count the same rows");
}

/// Counts observed scores that a permuted score reaches; true when all are settled.
bool record(double permuted, std::span<const double> observed, DrawLimits limits,
            std::vector<Exceedances>& results) {
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

}  // namespace

std::vector<Exceedances> table_null(std::span<const std::int64_t> level_totals,
                                    std::span<const std::int64_t> class_totals,
                                    std::span<const double> observed, Score score,
                                    DrawLimits limits, std::uint64_t seed) {
  const std::int64_t rows =
      std::accumulate(level_totals.begin(), level_totals.end(), std::int64_t{0});
  check_margins(rows, class_totals);
  const LogFactorials lf(rows);
  const LogTable logs(static_cast<std::size_t>(rows));
  Random random(seed);
  std::vector<std::int64_t> left_per_class;
  std::vector<std::int64_t> table(level_totals.size() * class_totals.size());
  std::vector<Exceedances> results(observed.size());
  for (std::int64_t draw = 0; draw < limits.max_draws; ++draw) {
    draw_table(level_totals, class_totals, lf, random, left_per_class, table);
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
  check_margins(known + n_missing, class_totals);
  const std::size_t n_classes = class_totals.size();
  const LogTable logs(static_cast<std::size_t>(known + n_missing));
  Random random(seed);

  std::vector<std::uint32_t> classes;
  for (std::size_t c = 0; c < n_classes; ++c)
    classes.insert(classes.end(), static_cast<std::size_t>(class_totals[c]),
                   static_cast<std::uint32_t>(c));
  std::vector<std::int64_t> groups(runs.size() * n_classes);
  std::vector<std::int64_t> table;
  std::vector<Exceedances> results(observed.size());
  for (std::int64_t draw = 0; draw < limits.max_draws; ++draw) {
    random.shuffle(std::span<std::uint32_t>(classes));
    std::fill(groups.begin(), groups.end(), 0);
    std::size_t row = 0;
    for (std::size_t g = 0; g < runs.size(); ++g)
      for (std::int64_t i = 0; i < runs[g]; ++i)
        ++groups[g * n_classes + classes[row++]];
    const auto cuts = mdl_cut_groups(groups, n_classes, price, logs);

    table.assign((cuts.size() + 2) * n_classes, 0);
    std::size_t level = 0;
    for (std::size_t g = 0; g < runs.size(); ++g) {
      for (std::size_t c = 0; c < n_classes; ++c)
        table[level * n_classes + c] += groups[g * n_classes + c];
      if (level < cuts.size() && cuts[level] == g) ++level;
    }
    for (; row < classes.size(); ++row)
      ++table[(cuts.size() + 1) * n_classes + classes[row]];
    const double permuted = measure_of(
        table_entropies(table, n_classes, score.missing, logs), score.measure);
    if (record(permuted, observed, limits, results)) break;
  }
  return results;
}

}  // namespace featsieve
