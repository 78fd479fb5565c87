#include "counting/three_way.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace featsieve {
namespace {

constexpr int kMostRounds = 200;
/// Margins of the fit may be off by this share of the rows.
constexpr double kClose = 1e-9;

/// Which of `size` levels have a row; level_of says which level a cell has.
template <class LevelOf>
std::vector<std::size_t> occurring(std::span<const double> counts, std::size_t size,
                                   const LevelOf& level_of) {
  std::vector<double> sums(size, 0);
  for (std::size_t cell = 0; cell < counts.size(); ++cell)
    sums[level_of(cell)] += counts[cell];
  std::vector<std::size_t> levels;
  for (std::size_t level = 0; level < size; ++level)
    if (sums[level] > 0) levels.push_back(level);
  return levels;
}

}  // namespace

void ThreeWayFit::keep_what_occurs(std::span<const double> counts,
                                   std::size_t n_classes, std::size_t n_first,
                                   std::size_t n_second) {
  const auto classes = occurring(
      counts, n_classes, [&](std::size_t cell) { return cell / (n_first * n_second); });
  const auto first = occurring(
      counts, n_first, [&](std::size_t cell) { return cell / n_second % n_first; });
  const auto second =
      occurring(counts, n_second, [&](std::size_t cell) { return cell % n_second; });
  counts_.clear();
  for (const std::size_t c : classes)
    for (const std::size_t a : first)
      for (const std::size_t b : second)
        counts_.push_back(counts[(c * n_first + a) * n_second + b]);
  n_classes_ = classes.size();
  n_first_ = first.size();
  n_second_ = second.size();
}

/// Sums over one axis; sums are in the order of the cells that are left.
void ThreeWayFit::sum(const Axis& axis, const std::vector<double>& cells,
                      std::vector<double>& sums) const {
  const std::size_t n_runs = cells.size() / (axis.size * axis.stride);
  sums.assign(n_runs * axis.stride, 0);
  for (std::size_t run = 0; run < n_runs; ++run)
    for (std::size_t level = 0; level < axis.size; ++level)
      for (std::size_t i = 0; i < axis.stride; ++i)
        sums[run * axis.stride + i] +=
            cells[(run * axis.size + level) * axis.stride + i];
}

/// Scales the fit to the wanted sums, and returns how far it was from them.
double ThreeWayFit::scale(const Axis& axis, std::span<const double> wanted) {
  sum(axis, fitted_, now_);
  double gap = 0;
  for (std::size_t i = 0; i < now_.size(); ++i) {
    gap = std::max(gap, std::abs(now_[i] - wanted[i]));
    now_[i] = now_[i] > 0 ? wanted[i] / now_[i] : 0;
  }
  const std::size_t n_runs = now_.size() / axis.stride;
  for (std::size_t run = 0; run < n_runs; ++run)
    for (std::size_t level = 0; level < axis.size; ++level)
      for (std::size_t i = 0; i < axis.stride; ++i)
        fitted_[(run * axis.size + level) * axis.stride + i] *=
            now_[run * axis.stride + i];
  return gap;
}

void ThreeWayFit::fit() {
  const std::array<Axis, 3> axes = {Axis{n_classes_, n_first_ * n_second_},
                                    Axis{n_first_, n_second_}, Axis{n_second_, 1}};
  std::array<std::vector<double>, 3> wanted;
  for (std::size_t k = 0; k < axes.size(); ++k) sum(axes[k], counts_, wanted[k]);
  fitted_.resize(counts_.size());
  for (std::size_t cell = 0; cell < fitted_.size(); ++cell)
    fitted_[cell] = wanted[0][cell % wanted[0].size()] > 0 ? 1 : 0;
  const double close = kClose * std::accumulate(counts_.begin(), counts_.end(), 0.0);
  for (int round = 0; round < kMostRounds; ++round) {
    double gap = 0;
    for (std::size_t k = 0; k < axes.size(); ++k)
      gap = std::max(gap, scale(axes[k], wanted[k]));
    if (gap <= close) break;
  }
}

ThreeWayDistance ThreeWayFit::distance(std::span<const double> counts,
                                       std::size_t n_classes, std::size_t n_first,
                                       std::size_t n_second) {
  if (counts.size() != n_classes * n_first * n_second)
    throw std::invalid_argument("counts must be one per class and two levels");
  keep_what_occurs(counts, n_classes, n_first, n_second);
  if (counts_.empty()) return {};
  std::int64_t occupied = 0;
  const std::size_t n_cells = n_first_ * n_second_;
  for (std::size_t cell = 0; cell < n_cells; ++cell) {
    bool any = false;
    for (std::size_t c = 0; c < n_classes_; ++c) any |= counts_[c * n_cells + cell] > 0;
    occupied += any ? 1 : 0;
  }
  const std::int64_t degrees =
      (static_cast<std::int64_t>(n_classes_) - 1) *
      (occupied - static_cast<std::int64_t>(n_first_ + n_second_) + 1);
  if (degrees <= 0) return {};
  fit();
  ThreeWayDistance found{0, 0, degrees};
  for (std::size_t cell = 0; cell < counts_.size(); ++cell) {
    const double count = counts_[cell];
    const double expected = fitted_[cell];
    if (expected > 0) {
      found.distance += (count - expected) * (count - expected) / expected;
      if (count > 0) found.deviance += 2 * count * std::log(count / expected);
    } else if (count > 0) {
      found.deviance = std::numeric_limits<double>::infinity();
    }
  }
  return found;
}

}  // namespace featsieve
