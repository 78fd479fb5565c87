#include "random/hypergeometric.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace featsieve {
namespace {

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

}  // namespace

std::int64_t draw_hypergeometric(std::int64_t good, std::int64_t bad,
                                 std::int64_t sample, const LogFactorials& lf,
                                 Random& random) {
  const Urn urn{good, bad, sample};
  if (urn.least() == urn.most()) return urn.least();
  const double variance = urn.variance();
  return variance < kWide ? draw_by_inversion(urn, lf, random)
                          : draw_by_ratio(urn, variance, lf, random);
}

void Waiting::fill(std::span<const std::int64_t> class_totals) {
  per_class.assign(class_totals.begin(), class_totals.end());
  total = std::accumulate(per_class.begin(), per_class.end(), std::int64_t{0});
}

void Waiting::take(std::int64_t wanted, const LogFactorials& lf, Random& random,
                   std::int64_t* counts) {
  std::int64_t available = total;
  total -= wanted;
  for (std::size_t c = 0; c < per_class.size(); ++c) {
    available -= per_class[c];
    counts[c] = draw_hypergeometric(per_class[c], available, wanted, lf, random);
    per_class[c] -= counts[c];
    wanted -= counts[c];
  }
}

}  // namespace featsieve
