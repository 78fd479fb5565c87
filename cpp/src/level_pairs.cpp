#include "featsieve/level_pairs.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "featsieve/cell_walk.hpp"
#include "featsieve/pair_tables.hpp"

namespace featsieve {
namespace {

/// Planes of first features counted at a time.
constexpr std::size_t kBlockPlanes = 64;

/// As in pair_scan.cpp: a histogram costs as much as so many pairs of planes.
constexpr std::size_t kPlanePairsPerHistogram = 250;

/// A joint table may have this many cells, or four per row, before rows are sorted.
constexpr std::size_t kSmallTable = 4096;

/// All rows as one class, in their own order.
ClassRows all_rows(std::size_t n) {
  ClassRows rows;
  rows.order.resize(n);
  std::iota(rows.order.begin(), rows.order.end(), 0U);
  rows.begin = {0, n};
  return rows;
}

}  // namespace

template <class Code>
LevelPairs::LevelPairs(const MatrixView<Code>& codes, PairMeasure measure,
                       Missing missing, std::int64_t min_untied,
                       Instructions instructions)
    : rows_(all_rows(codes.n_rows)),
      measure_(measure),
      missing_(missing),
      min_untied_(min_untied),
      log_(codes.n_rows),
      planes_(rows_, codes.n_columns, instructions) {
  if (missing == Missing::kSpread)
    throw std::invalid_argument("missing values cannot be spread over pairs");
  if (measure != PairMeasure::kSymmetricalUncertainty && missing != Missing::kIgnore)
    throw std::invalid_argument("a missing value has no place among ordered levels");
  visit_dense_columns(codes, rows_, [&](std::size_t, DenseColumn& column) {
    planes_.add(column, true);
    has_missing_.push_back(column.has_missing);
  });
  planes_.finish();
  bool needs_columns = false;
  for (std::size_t i = 0; i < n_features(); ++i)
    for (const auto& group : planes_.groups())
      needs_columns = needs_columns || !prefers_planes(i, group);
  for (const auto& feature : planes_.features())
    needs_columns = needs_columns || !feature.has_planes;
  if (needs_columns)
    visit_dense_columns(codes, rows_, [&](std::size_t, DenseColumn& column) {
      columns_.push_back(std::move(column));
      column = {};
    });
  for (std::size_t j = 0; j < n_features(); ++j) {
    const auto& feature = planes_.features()[j];
    std::vector<std::uint32_t> margin(feature.levels, 0);
    if (feature.has_planes && feature.levels > 0) {
      std::copy_n(planes_.margins(feature), feature.levels, margin.begin());
    } else if (!columns_.empty()) {
      const DenseColumn& column = columns_[j];
      for (std::size_t row = 0; row < codes.n_rows; ++row)
        ++margin[column.is_narrow() ? column.narrow[row] : column.wide[row]];
    }
    std::int64_t entropy = log_(codes.n_rows);
    for (const std::uint32_t count : margin) entropy -= log_(count);
    entropies_.push_back(std::max<std::int64_t>(0, entropy));
  }
}

bool LevelPairs::prefers_planes(std::size_t feature,
                                const BitPlanes::Group& group) const {
  const BitPlanes::Feature& first = planes_.features()[feature];
  return first.has_planes &&
         first.n_planes * kLanes <= kPlanePairsPerHistogram * group.features.size();
}

std::size_t LevelPairs::known_levels(std::size_t feature) const {
  const bool skip = missing_ == Missing::kIgnore && has_missing_[feature];
  return planes_.features()[feature].levels - (skip ? 1U : 0U);
}

bool LevelPairs::leaves_rows_out(std::size_t i, std::size_t j) const {
  return missing_ == Missing::kIgnore && (has_missing_[i] || has_missing_[j]);
}

std::size_t LevelPairs::n_pairs(std::size_t begin, std::size_t end) const {
  if (begin > end || end > n_features())
    throw std::out_of_range("first features must lie in [0, n_features]");
  std::size_t pairs = 0;
  for (std::size_t i = begin; i < end; ++i) pairs += n_features() - 1 - i;
  return pairs;
}

void LevelPairs::scan(std::size_t begin, std::size_t end,
                      std::span<double> values) const {
  if (values.size() != n_pairs(begin, end))
    throw std::invalid_argument("one value per pair is needed");
  std::vector<std::size_t> row_begin;  // of row i, minus i + 1
  for (std::size_t i = begin, next = 0; i < end; next += n_features() - 1 - i, ++i)
    row_begin.push_back(next - (i + 1));
  visit(begin, end, true, [&](std::size_t i, std::size_t j, double value) {
    values[row_begin[i - begin] + j] = value;
  });
}

void LevelPairs::row(std::size_t i, std::span<double> values) const {
  if (i >= n_features()) throw std::out_of_range("there is no such feature");
  if (values.size() != n_features())
    throw std::invalid_argument("one value per feature is needed");
  visit(i, i + 1, false,
        [&](std::size_t, std::size_t j, double value) { values[j] = value; });
}

void LevelPairs::visit(std::size_t begin, std::size_t end, bool upper,
                       const Sink& sink) const {
  Scratch scratch;
  while (begin < end) {
    std::size_t block_end = begin;
    std::size_t n_planes = 0;
    for (; block_end < end && block_end - begin < kBlockPlanes; ++block_end) {
      n_planes += planes_.features()[block_end].n_planes;
      if (n_planes > kBlockPlanes && block_end > begin) break;
    }
    for (std::size_t g = 0; g < planes_.groups().size(); ++g)
      visit_planes(begin, block_end, g, upper, scratch, sink);
    // Second features without planes belong to no group.
    for (std::size_t i = begin; i < block_end; ++i)
      for (std::size_t j = upper ? i + 1 : 0; j < n_features(); ++j)
        if (!planes_.features()[j].has_planes) sink(i, j, from_rows(i, j, scratch));
    begin = block_end;
  }
}

void LevelPairs::visit_planes(std::size_t begin, std::size_t end, std::size_t group,
                              bool upper, Scratch& scratch, const Sink& sink) const {
  const BitPlanes::Group& second = planes_.groups()[group];
  const std::size_t last =
      upper ? std::min<std::size_t>(end, second.features.back()) : end;
  for (std::size_t i = begin; i < last;) {
    if (!prefers_planes(i, second)) {
      for (const std::uint32_t j : second.features)
        if (!upper || j > i) sink(i, j, from_rows(i, j, scratch));
      ++i;
      continue;
    }
    // Planes of neighbouring features follow each other, so a run of them is one call.
    const std::size_t run_begin = i;
    std::size_t n_planes = 0;
    for (; i < last && prefers_planes(i, second); ++i)
      n_planes += planes_.features()[i].n_planes;
    const std::size_t first_plane = planes_.features()[run_begin].first_plane;
    scratch.counts.reserve(n_planes * kLanes + kLanes);
    planes_.count_common(planes_.plane(first_plane), n_planes, group, scratch.counts);
    for (std::size_t k = run_begin; k < i; ++k) {
      const std::size_t plane = planes_.features()[k].first_plane - first_plane;
      for (const std::uint32_t j : second.features) {
        if (upper && j <= k) continue;
        const std::uint32_t* counts =
            scratch.counts.data() + plane * kLanes + planes_.features()[j].lane;
        sink(k, j, from_planes(k, j, counts, scratch));
      }
    }
  }
}

double LevelPairs::from_planes(std::size_t i, std::size_t j,
                               const std::uint32_t* counts, Scratch& scratch) const {
  const BitPlanes::Feature& first = planes_.features()[i];
  const BitPlanes::Feature& second = planes_.features()[j];
  if (first.levels == 0 || second.levels == 0) return 0;  // no rows
  fill_table(counts, 0, planes_.margins(first), planes_.margins(second), first.levels,
             second.levels, 1, scratch.table);
  return from_table(i, j, scratch);
}

double LevelPairs::from_rows(std::size_t i, std::size_t j, Scratch& scratch) const {
  const DenseColumn& first = columns_[i];
  const DenseColumn& second = columns_[j];
  if (first.levels == 0 || second.levels == 0) return 0;  // no rows
  const std::size_t n = rows_.order.size();
  const std::size_t cells = std::size_t{first.levels} * second.levels;
  if (cells > std::max(kSmallTable, 4 * n) &&
      measure_ == PairMeasure::kSymmetricalUncertainty)
    return from_sorted_rows(i, j, scratch);
  scratch.table.assign(cells, 0);
  const auto count = [&](const auto* x, const auto* y) {
    std::uint32_t* table = scratch.table.data();
    const std::size_t levels = second.levels;
    for (std::size_t row = 0; row < n; ++row) ++table[x[row] * levels + y[row]];
  };
  const auto with_first = [&](const auto* x) {
    if (second.is_narrow())
      count(x, second.narrow.data());
    else
      count(x, second.wide.data());
  };
  if (first.is_narrow())
    with_first(first.narrow.data());
  else
    with_first(first.wide.data());
  return from_table(i, j, scratch);
}

double LevelPairs::from_sorted_rows(std::size_t i, std::size_t j,
                                    Scratch& scratch) const {
  const DenseColumn& first = columns_[i];
  const DenseColumn& second = columns_[j];
  const CodeOrder order = sort_by_code(first, rows_.order.size());
  const std::size_t first_levels = known_levels(i);
  const std::size_t second_levels = known_levels(j);
  scratch.cells.assign(second.levels, 0);
  std::vector<std::uint32_t> second_totals(second.levels, 0);
  std::int64_t first_sum = 0;
  std::int64_t joint_sum = 0;
  std::size_t n = 0;
  const auto code = [&](std::uint32_t row) -> std::uint32_t {
    return second.is_narrow() ? second.narrow[row] : second.wide[row];
  };
  for (std::size_t a = 0; a < first_levels; ++a) {
    std::size_t in_level = 0;
    for (std::uint32_t at = order.begin[a]; at < order.begin[a + 1]; ++at) {
      const std::uint32_t b = code(order.rows[at]);
      if (b >= second_levels) continue;
      ++scratch.cells[b];
      ++second_totals[b];
      ++in_level;
    }
    for (std::uint32_t at = order.begin[a]; at < order.begin[a + 1]; ++at) {
      std::uint32_t& cell = scratch.cells[code(order.rows[at])];
      joint_sum += log_(cell);
      cell = 0;
    }
    first_sum += log_(in_level);
    n += in_level;
  }
  std::int64_t second_sum = 0;
  for (const std::uint32_t total : second_totals) second_sum += log_(total);
  return uncertainty_of(log_(n) - first_sum, log_(n) - second_sum, log_(n) - joint_sum);
}

double LevelPairs::from_table(std::size_t i, std::size_t j, Scratch& scratch) const {
  const std::size_t width = planes_.features()[j].levels;
  const std::size_t n_first = known_levels(i);
  const std::size_t n_second = known_levels(j);
  const std::vector<std::uint32_t>& table = scratch.table;
  if (measure_ != PairMeasure::kSymmetricalUncertainty) {
    scratch.known.clear();
    for (std::size_t a = 0; a < n_first; ++a)
      for (std::size_t b = 0; b < n_second; ++b)
        scratch.known.push_back(table[a * width + b]);
    return measure_of(concordance_of_table(scratch.known, n_first, n_second),
                      measure_ == PairMeasure::kTauB ? ConcordanceMeasure::kTauB
                                                     : ConcordanceMeasure::kGamma,
                      min_untied_);
  }
  if (!leaves_rows_out(i, j)) {
    std::int64_t joint = log_(rows_.order.size());
    for (const std::uint32_t cell : table) joint -= log_(cell);
    return uncertainty_of(entropies_[i], entropies_[j], joint);
  }
  scratch.cells.assign(n_second, 0);
  std::int64_t first_sum = 0;
  std::int64_t joint_sum = 0;
  std::size_t n = 0;
  for (std::size_t a = 0; a < n_first; ++a) {
    std::size_t in_level = 0;
    for (std::size_t b = 0; b < n_second; ++b) {
      const std::uint32_t cell = table[a * width + b];
      joint_sum += log_(cell);
      scratch.cells[b] += cell;
      in_level += cell;
    }
    first_sum += log_(in_level);
    n += in_level;
  }
  std::int64_t second_sum = 0;
  for (const std::uint32_t total : scratch.cells) second_sum += log_(total);
  return uncertainty_of(log_(n) - first_sum, log_(n) - second_sum, log_(n) - joint_sum);
}

double LevelPairs::uncertainty_of(std::int64_t first, std::int64_t second,
                                  std::int64_t joint) const {
  const std::int64_t both = first + second;
  const std::int64_t gain = both - joint;
  // What rounding of single logarithms may add up to is no gain.
  if (both <= 0 || static_cast<double>(gain) < 1e-14 * static_cast<double>(both))
    return 0;
  return std::min(1.0, 2.0 * static_cast<double>(gain) / static_cast<double>(both));
}

template LevelPairs::LevelPairs(const MatrixView<std::uint8_t>&, PairMeasure, Missing,
                                std::int64_t, Instructions);
template LevelPairs::LevelPairs(const MatrixView<std::uint16_t>&, PairMeasure, Missing,
                                std::int64_t, Instructions);
template LevelPairs::LevelPairs(const MatrixView<std::int32_t>&, PairMeasure, Missing,
                                std::int64_t, Instructions);

}  // namespace featsieve
