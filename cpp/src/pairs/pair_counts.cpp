#include "pairs/pair_counts.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "common/exact_log_table.hpp"
#include "pairs/pair_tables.hpp"

namespace featsieve {
namespace {

/// With more planes than this for each feature of a group, a histogram is faster
/// (pair_scan.cpp measures the same crossover).
constexpr std::size_t kMostPlaneLevels = 16;
constexpr std::uint32_t kMostLevels = 256;

}  // namespace

PairCounts::PairCounts(std::vector<std::uint32_t> levels, std::size_t n_classes,
                       Instructions instructions)
    : levels_(std::move(levels)), n_classes_(n_classes), instructions_(instructions) {
  for (const std::uint32_t n : levels_)
    if (n < 1 || n > kMostLevels)
      throw std::invalid_argument("every feature must have 1 to 256 levels");
  std::size_t end = 0;
  for (std::size_t i = 0; i < n_features(); ++i)
    for (std::size_t j = i + 1; j < n_features(); ++j) {
      offsets_.push_back(end);
      end += n_classes_ * levels_[i] * levels_[j];
    }
  offsets_.push_back(end);
  counts_.assign(end, 0);
}

std::size_t PairCounts::offset(std::size_t i, std::size_t j) const {
  if (i >= j || j >= n_features())
    throw std::out_of_range("a pair is two features in order");
  return offsets_[i * n_features() - i * (i + 1) / 2 + (j - i - 1)];
}

void PairCounts::start(std::span<const std::int32_t> classes) {
  order_.emplace(classes, n_classes_, instructions_);
  columns_.resize(n_features());
  for (DenseColumn& column : columns_) column.narrow.clear();
}

std::uint8_t PairCounts::write(std::size_t j, std::span<const std::int32_t> codes,
                               std::span<const std::uint8_t> places) {
  if (!order_ || j >= n_features())
    throw std::invalid_argument("classes come first, then a feature");
  std::vector<std::uint8_t>& sorted = columns_[j].narrow;
  sorted.resize(order_->size());
  return order_->write(codes, places, sorted);
}

void PairCounts::finish() {
  if (!order_) throw std::invalid_argument("classes come first");
  for (std::size_t j = 0; j < n_features(); ++j) {
    const std::vector<std::uint8_t>& codes = columns_[j].narrow;
    if (codes.size() != order_->size())
      throw std::invalid_argument("every feature must have been written");
    std::uint8_t largest = 0;
    for (const std::uint8_t code : codes) largest = std::max(largest, code);
    if (largest >= levels_[j])
      throw std::invalid_argument("a code is not below the levels of its feature");
  }
  if (order_->size() == 0) return;
  BitPlanes planes(order_->rows(), n_features(), instructions_);
  for (std::size_t j = 0; j < n_features(); ++j) {
    columns_[j].levels = levels_[j];
    planes.add(columns_[j], levels_[j] <= kMostPlaneLevels);
  }
  planes.finish();
  for (std::size_t i = 0; i < n_features(); ++i) {
    if (planes.features()[i].has_planes) add_planes(planes, i);
    for (std::size_t j = i + 1; j < n_features(); ++j)
      if (!planes.features()[i].has_planes || !planes.features()[j].has_planes)
        add_rows(i, j);
  }
}

void PairCounts::add_planes(const BitPlanes& planes, std::size_t i) {
  const BitPlanes::Feature& first = planes.features()[i];
  const std::size_t class_stride = first.n_planes * kLanes;
  common_.reserve(n_classes_ * class_stride + kLanes);
  for (std::size_t g = 0; g < planes.groups().size(); ++g) {
    const BitPlanes::Group& group = planes.groups()[g];
    if (group.features.back() <= i) continue;
    planes.count_common(planes.plane(first.first_plane), first.n_planes, g, common_);
    for (const std::uint32_t j : group.features) {
      if (j <= i) continue;
      const BitPlanes::Feature& second = planes.features()[j];
      fill_table(common_.data() + second.lane, class_stride, planes.margins(first),
                 planes.margins(second), first.levels, second.levels, n_classes_,
                 table_);
      std::int64_t* out = &counts_[offset(i, j)];
      for (std::size_t cell = 0; cell < table_.size(); ++cell)
        out[cell] += table_[cell];
    }
  }
}

void PairCounts::add_rows(std::size_t i, std::size_t j) {
  const ClassRows& rows = order_->rows();
  const std::uint8_t* first = columns_[i].narrow.data();
  const std::uint8_t* second = columns_[j].narrow.data();
  const std::size_t levels = levels_[j];
  for (std::size_t c = 0; c < n_classes_; ++c) {
    std::int64_t* cells = counts_.data() + offset(i, j) + c * levels_[i] * levels;
    for (std::size_t row = rows.begin[c]; row < rows.begin[c + 1]; ++row)
      ++cells[first[row] * levels + second[row]];
  }
}

void PairCounts::merge(std::span<const std::int64_t> counts) {
  if (counts.size() != counts_.size())
    throw std::invalid_argument("merged counts must be of the same features");
  for (std::size_t i = 0; i < counts.size(); ++i) counts_[i] += counts[i];
}

void PairCounts::interactions(std::span<const std::int64_t> first,
                              std::span<const std::int64_t> second,
                              std::span<ThreeWayDistance> distances) const {
  if (second.size() != first.size() || distances.size() != first.size())
    throw std::invalid_argument("one value per pair is needed");
  ThreeWayFit fit;
  std::vector<double> table;
  for (std::size_t k = 0; k < first.size(); ++k) {
    const auto i = static_cast<std::size_t>(first[k]);
    const auto j = static_cast<std::size_t>(second[k]);
    const std::int64_t* cells = counts_.data() + offset(i, j);
    table.assign(cells, cells + n_classes_ * levels_[i] * levels_[j]);
    distances[k] = fit.distance(table, n_classes_, levels_[i], levels_[j]);
  }
}

void PairCounts::gains(std::span<double> joint_gain, std::span<double> synergy) const {
  const std::size_t n_pairs = offsets_.size() - 1;
  if (joint_gain.size() != n_pairs || synergy.size() != n_pairs)
    throw std::invalid_argument("one value per pair is needed");
  if (n_pairs == 0) return;
  const ExactLogTable log(static_cast<std::size_t>(std::accumulate(
      counts_.begin(), counts_.begin() + static_cast<std::ptrdiff_t>(offsets_[1]),
      std::int64_t{0})));
  TableSums<std::int64_t> table_sums(log);
  std::size_t pair = 0;
  for (std::size_t i = 0; i < n_features(); ++i)
    for (std::size_t j = i + 1; j < n_features(); ++j, ++pair) {
      const GainsOfPair gains =
          gains_of(table_sums.sum(counts_.data() + offsets_[pair], levels_[i],
                                  levels_[j], n_classes_),
                   log.unit());
      joint_gain[pair] = gains.joint;
      synergy[pair] = gains.synergy;
    }
}

}  // namespace featsieve
