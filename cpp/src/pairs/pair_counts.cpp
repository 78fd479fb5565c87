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

void check_levels(std::span<const std::uint32_t> levels) {
  for (const std::uint32_t n : levels)
    if (n < 1 || n > kMostLevels)
      throw std::invalid_argument("every feature must have 1 to 256 levels");
}

/// Adds the cells of one pair to where their levels are elsewhere.
void add_cells(const std::int64_t* from, std::span<const std::uint8_t> first,
               std::span<const std::uint8_t> second, std::size_t n_classes,
               std::size_t first_levels, std::size_t second_levels, std::int64_t* to) {
  for (std::size_t c = 0; c < n_classes; ++c)
    for (const std::uint8_t a : first)
      for (const std::uint8_t b : second)
        to[(c * first_levels + a) * second_levels + b] += *from++;
}

void check_places(std::span<const std::uint8_t> places, std::uint32_t levels_there,
                  std::uint32_t levels) {
  if (places.size() != levels_there)
    throw std::invalid_argument("one place per level is needed");
  for (const std::uint8_t place : places)
    if (place >= levels) throw std::invalid_argument("a place lies beyond the levels");
}

}  // namespace

PairCounts::PairCounts(std::vector<std::uint32_t> levels, std::size_t n_classes,
                       Instructions instructions)
    : levels_(std::move(levels)), n_classes_(n_classes), instructions_(instructions) {
  check_levels(levels_);
  lay_out();
}

/// Makes room for the levels, all counts being 0.
void PairCounts::lay_out() {
  offsets_.clear();
  margins_.clear();
  std::size_t end = 0;
  for (std::size_t i = 0; i < n_features(); ++i) {
    margins_.emplace_back(n_classes_ * levels_[i], 0);
    for (std::size_t j = i + 1; j < n_features(); ++j) {
      offsets_.push_back(end);
      end += n_classes_ * levels_[i] * levels_[j];
    }
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

void PairCounts::leave_out(std::size_t j) {
  if (!order_ || j >= n_features())
    throw std::invalid_argument("classes come first, then a feature");
  columns_[j].narrow.assign(order_->size(), 0);
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
    add_margins(planes, i);
    if (planes.features()[i].has_planes) add_planes(planes, i);
    for (std::size_t j = i + 1; j < n_features(); ++j)
      if (!planes.features()[i].has_planes || !planes.features()[j].has_planes)
        add_rows(i, j);
  }
}

void PairCounts::add_margins(const BitPlanes& planes, std::size_t j) {
  std::vector<std::int64_t>& margins = margins_[j];
  const BitPlanes::Feature& feature = planes.features()[j];
  if (feature.has_planes) {
    const std::uint32_t* found = planes.margins(feature);
    for (std::size_t cell = 0; cell < margins.size(); ++cell)
      margins[cell] += found[cell];
    return;
  }
  const ClassRows& rows = order_->rows();
  for (std::size_t c = 0; c < n_classes_; ++c)
    for (std::size_t row = rows.begin[c]; row < rows.begin[c + 1]; ++row)
      ++margins[c * levels_[j] + columns_[j].narrow[row]];
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

void PairCounts::change_levels(std::vector<std::uint32_t> levels,
                               const std::vector<std::vector<std::uint8_t>>& places) {
  check_levels(levels);
  if (levels.size() != n_features() || places.size() != n_features())
    throw std::invalid_argument("the features stay the same");
  for (std::size_t j = 0; j < n_features(); ++j)
    check_places(places[j], levels_[j], levels[j]);
  const std::vector<std::uint32_t> before = std::exchange(levels_, std::move(levels));
  const std::vector<std::int64_t> counts = std::exchange(counts_, {});
  const std::vector<std::vector<std::int64_t>> margins = std::exchange(margins_, {});
  lay_out();
  std::vector<std::size_t> features(n_features());
  std::iota(features.begin(), features.end(), std::size_t{0});
  merge(counts, before, features, places);
  for (std::size_t j = 0; j < n_features(); ++j)
    for (std::size_t c = 0; c < n_classes_; ++c)
      for (std::size_t a = 0; a < before[j]; ++a)
        margins_[j][c * levels_[j] + places[j][a]] += margins[j][c * before[j] + a];
}

void PairCounts::merge(std::span<const std::int64_t> counts) {
  if (counts.size() != counts_.size())
    throw std::invalid_argument("merged counts must be of the same features");
  for (std::size_t i = 0; i < counts.size(); ++i) counts_[i] += counts[i];
}

void PairCounts::merge(std::span<const std::int64_t> counts,
                       std::span<const std::uint32_t> levels,
                       std::span<const std::size_t> features,
                       const std::vector<std::vector<std::uint8_t>>& places) {
  if (features.size() != n_features() || places.size() != n_features())
    throw std::invalid_argument("every feature must be one of those merged");
  const std::size_t n_there = levels.size();
  for (std::size_t j = 0; j < n_features(); ++j) {
    if (features[j] >= n_there || (j > 0 && features[j] <= features[j - 1]))
      throw std::invalid_argument("features must ascend");
    check_places(places[j], levels[features[j]], levels_[j]);
  }
  std::size_t begin = 0;
  std::size_t i = 0;  // the next feature from here that comes there
  for (std::size_t a = 0; a < n_there; ++a) {
    const bool first = i < n_features() && features[i] == a;
    std::size_t j = i + 1;
    for (std::size_t b = a + 1; b < n_there; ++b) {
      const std::size_t size = n_classes_ * levels[a] * levels[b];
      if (counts.size() - begin < size)
        throw std::invalid_argument("merged counts must be of these levels");
      if (first && j < n_features() && features[j] == b) {
        add_cells(counts.data() + begin, places[i], places[j], n_classes_, levels_[i],
                  levels_[j], &counts_[offset(i, j)]);
        ++j;
      }
      begin += size;
    }
    if (first) ++i;
  }
  if (begin != counts.size())
    throw std::invalid_argument("merged counts must be of these levels");
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
