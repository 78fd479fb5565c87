#include "random/feature_draw.hpp"

#include <numeric>
#include <stdexcept>
#include <utility>

namespace featsieve {

namespace {

constexpr double kRecount = 1e-3;

}  // namespace

FeatureDraw::FeatureDraw(std::size_t n_features, std::span<const double> chances,
                         std::uint64_t seed)
    : random_(seed),
      uniform_(chances.empty()),
      order_(n_features),
      chances_(chances.begin(), chances.end()) {
  if (!chances.empty() && chances.size() != n_features)
    throw std::invalid_argument("chances must be one per feature");
  std::iota(order_.begin(), order_.end(), 0U);
  total_ = std::accumulate(chances_.begin(), chances_.end(), 0.0);
}

void FeatureDraw::begin() {
  n_drawn_ = 0;
  if (uniform_) return;
  left_ = chances_;
  total_left_ = counted_ = total_;
}

void FeatureDraw::begin(std::span<const double> chances) {
  n_drawn_ = 0;
  left_.assign(chances.begin(), chances.end());
  for (double& chance : left_)
    if (!(chance > 0)) chance = 0;
  recount();
  uniform_ = !(total_left_ > 0);
}

void FeatureDraw::recount() {
  total_left_ = counted_ = std::accumulate(left_.begin(), left_.end(), 0.0);
}

bool FeatureDraw::next(std::size_t& feature) {
  return uniform_ ? next_uniform(feature) : next_weighted(feature);
}

bool FeatureDraw::next_uniform(std::size_t& feature) {
  if (n_drawn_ == order_.size()) return false;
  const std::size_t pick = n_drawn_ + random_.below(order_.size() - n_drawn_);
  std::swap(order_[n_drawn_], order_[pick]);
  feature = order_[n_drawn_++];
  return true;
}

bool FeatureDraw::next_weighted(std::size_t& feature) {
  // Taking drawn chances from the total leaves rounding behind. It must be small
  // against what is left, and a draw beyond the end has a second turn with the exact
  // sum.
  if (total_left_ < kRecount * counted_) recount();
  for (int turn = 0; turn < 2; ++turn) {
    double remaining = random_.uniform() * total_left_;
    for (std::size_t f = 0; f < left_.size(); ++f) {
      if (left_[f] <= 0) continue;
      remaining -= left_[f];
      if (remaining >= 0) continue;
      feature = f;
      total_left_ -= left_[f];
      left_[f] = 0;
      return true;
    }
    recount();
    if (!(total_left_ > 0)) return false;
  }
  // Only rounding at the very end of the sum leads here: the last feature left.
  for (std::size_t f = left_.size(); f-- > 0;) {
    if (left_[f] <= 0) continue;
    feature = f;
    left_[f] = 0;
    return true;
  }
  return false;
}

}  // namespace featsieve
