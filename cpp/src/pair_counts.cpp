#include "featsieve/pair_counts.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "featsieve/exact_log_table.hpp"
#include "featsieve/pair_tables.hpp"

namespace featsieve {
namespace {

/// With more planes than this for each feature of a group, a histogram is faster
/// (pair_scan.cpp measures the same crossover).
constexpr std::size_t kMostPlaneLevels = 16;
constexpr std::uint32_t kMostLevels = 256;

/// Rows with a class, sorted by it.
ClassRows rows_of_classes(std::span<const std::int32_t> classes,
                          std::size_t n_classes) {
  ClassRows rows;
  rows.begin.assign(n_classes + 1, 0);
  for (const std::int32_t c : classes) {
    if (c < 0) continue;
    if (static_cast<std::size_t>(c) >= n_classes)
      throw std::invalid_argument("class codes must be declared");
    ++rows.begin[static_cast<std::size_t>(c) + 1];
  }
  for (std::size_t c = 0; c < n_classes; ++c) rows.begin[c + 1] += rows.begin[c];
  rows.order.resize(rows.begin.back());
  std::vector<std::size_t> next(rows.begin.begin(), rows.begin.end() - 1);
  for (std::size_t row = 0; row < classes.size(); ++row)
    if (classes[row] >= 0)
      rows.order[next[static_cast<std::size_t>(classes[row])]++] =
          static_cast<std::uint32_t>(row);
  return rows;
}

/// Writes a column in another order of rows, and returns its largest code.
std::uint8_t sort_rows(const MatrixView<std::uint8_t>& codes, std::size_t j,
                       std::span<const std::uint32_t> order, std::uint8_t* sorted) {
  if (order.empty()) return 0;
  if (codes.row_stride == 1) {
    const std::uint8_t* column = &codes(0, j);
    for (std::size_t i = 0; i < order.size(); ++i) sorted[i] = column[order[i]];
  } else {
    for (std::size_t i = 0; i < order.size(); ++i) sorted[i] = codes(order[i], j);
  }
  // Apart from the above, so that it is done many at a time.
  std::uint8_t largest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) largest = std::max(largest, sorted[i]);
  return largest;
}

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

void PairCounts::add(const MatrixView<std::uint8_t>& codes,
                     std::span<const std::int32_t> classes) {
  if (codes.n_columns != n_features() || codes.n_rows != classes.size())
    throw std::invalid_argument("codes must be one per row and feature");
  const ClassRows rows = rows_of_classes(classes, n_classes_);
  if (rows.order.empty()) return;
  BitPlanes planes(rows, n_features(), instructions_);
  columns_.resize(n_features());
  for (std::size_t j = 0; j < n_features(); ++j) {
    DenseColumn& column = columns_[j];
    column.levels = levels_[j];
    column.narrow.resize(rows.order.size());
    if (sort_rows(codes, j, rows.order, column.narrow.data()) >= levels_[j])
      throw std::invalid_argument("a code is not below the levels of its feature");
    planes.add(column, levels_[j] <= kMostPlaneLevels);
  }
  planes.finish();
  for (std::size_t i = 0; i + 1 < n_features(); ++i) {
    if (planes.features()[i].has_planes) add_planes(planes, i);
    for (std::size_t j = i + 1; j < n_features(); ++j)
      if (!planes.features()[i].has_planes || !planes.features()[j].has_planes)
        add_rows(rows, i, j);
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

void PairCounts::add_rows(const ClassRows& rows, std::size_t i, std::size_t j) {
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

/// Sums of c log2 c over the tables of one pair, from which its gains follow.
class PairCounts::Sums {
 public:
  explicit Sums(std::int64_t n_rows)
      : n_rows_(n_rows), log_(static_cast<std::size_t>(n_rows)) {}

  /// Joint gain and synergy, in bits.
  std::pair<double, double> gains(const std::int64_t* table, std::size_t first_levels,
                                  std::size_t second_levels, std::size_t n_classes) {
    const std::size_t n_cells = first_levels * second_levels;
    cells_.assign(n_cells, 0);
    first_.assign(first_levels, 0);
    second_.assign(second_levels, 0);
    std::int64_t joint = 0;
    std::int64_t one = 0;
    std::int64_t other = 0;
    std::int64_t classes = log_of(n_rows_);
    for (std::size_t c = 0; c < n_classes; ++c) {
      const std::int64_t* in_class = table + c * n_cells;
      margins(in_class, first_levels, second_levels);
      for (std::size_t i = 0; i < n_cells; ++i) joint += take(in_class[i], cells_[i]);
      for (std::size_t a = 0; a < first_levels; ++a) one += take(rows_[a], first_[a]);
      for (std::size_t b = 0; b < second_levels; ++b)
        other += take(columns_[b], second_[b]);
      classes -= log_of(std::accumulate(rows_.begin(), rows_.end(), std::int64_t{0}));
    }
    for (const std::int64_t count : cells_) joint -= log_of(count);
    for (const std::int64_t count : first_) one -= log_of(count);
    for (const std::int64_t count : second_) other -= log_of(count);
    joint = std::max<std::int64_t>(0, joint + classes);
    one = std::max<std::int64_t>(0, one + classes);
    other = std::max<std::int64_t>(0, other + classes);
    const double unit = n_rows_ > 0 ? log_.unit() / static_cast<double>(n_rows_) : 0.0;
    return {static_cast<double>(joint) * unit,
            static_cast<double>(joint - one - other) * unit};
  }

 private:
  std::int64_t log_of(std::int64_t count) const {
    return log_(static_cast<std::size_t>(count));
  }
  /// Adds a count to a total over classes, and returns its logarithm term.
  std::int64_t take(std::int64_t count, std::int64_t& total) const {
    total += count;
    return log_of(count);
  }
  void margins(const std::int64_t* table, std::size_t first_levels,
               std::size_t second_levels) {
    rows_.assign(first_levels, 0);
    columns_.assign(second_levels, 0);
    for (std::size_t a = 0; a < first_levels; ++a)
      for (std::size_t b = 0; b < second_levels; ++b) {
        rows_[a] += table[a * second_levels + b];
        columns_[b] += table[a * second_levels + b];
      }
  }

  std::int64_t n_rows_;
  ExactLogTable log_;
  std::vector<std::int64_t> cells_;
  std::vector<std::int64_t> first_;
  std::vector<std::int64_t> second_;
  std::vector<std::int64_t> rows_;
  std::vector<std::int64_t> columns_;
};

void PairCounts::gains(std::span<double> joint_gain, std::span<double> synergy) const {
  const std::size_t n_pairs = offsets_.size() - 1;
  if (joint_gain.size() != n_pairs || synergy.size() != n_pairs)
    throw std::invalid_argument("one value per pair is needed");
  if (n_pairs == 0) return;
  Sums sums(std::accumulate(counts_.begin(),
                            counts_.begin() + static_cast<std::ptrdiff_t>(offsets_[1]),
                            std::int64_t{0}));
  std::size_t pair = 0;
  for (std::size_t i = 0; i < n_features(); ++i)
    for (std::size_t j = i + 1; j < n_features(); ++j, ++pair)
      std::tie(joint_gain[pair], synergy[pair]) = sums.gains(
          counts_.data() + offsets_[pair], levels_[i], levels_[j], n_classes_);
}

}  // namespace featsieve
