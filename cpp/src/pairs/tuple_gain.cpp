#include "pairs/tuple_gain.hpp"

#include <algorithm>
#include <stdexcept>

namespace featsieve {
namespace {

/// A table of labels may have this many entries, or sixteen per row, before rows are
/// sorted.
constexpr std::size_t kSmallTable = 4096;

}  // namespace

TupleScanner::TupleScanner(const CodeMatrix& codes,
                           std::span<const std::int32_t> classes,
                           std::int32_t n_classes, Missing missing,
                           std::span<const double> weights)
    : rows_(sort_by_class(classes, n_classes)),
      missing_(missing),
      log_(classes.size()) {
  if (missing == Missing::kSpread)
    throw std::invalid_argument("missing values cannot be spread over sets");
  if (!weights.empty() && weights.size() != classes.size())
    throw std::invalid_argument("one weight per row is needed");
  if (!weights.empty())
    for (const std::uint32_t row : rows_.order) weights_.push_back(weights[row]);
  visit_dense_columns(codes, rows_, [&](std::size_t, DenseColumn& column) {
    columns_.push_back(std::move(column));
    column = {};
  });
}

std::vector<double> TupleScanner::gains(std::span<const std::int32_t> features,
                                        std::span<const std::int64_t> begins) const {
  for (const std::int32_t j : features)
    if (j < 0 || static_cast<std::size_t>(j) >= columns_.size())
      throw std::out_of_range("there is no such feature");
  std::vector<double> result;
  std::vector<std::int32_t> path;  // features that made the cells
  std::vector<Cells> cells{whole()};
  for (std::size_t k = 0; k + 1 < begins.size(); ++k) {
    if (begins[k] < 0 || begins[k] > begins[k + 1] ||
        static_cast<std::size_t>(begins[k + 1]) > features.size())
      throw std::out_of_range("sets must follow each other within the features");
    const auto set =
        features.subspan(static_cast<std::size_t>(begins[k]),
                         static_cast<std::size_t>(begins[k + 1] - begins[k]));
    const auto fork = std::mismatch(set.begin(), set.end(), path.begin(), path.end());
    const auto shared = static_cast<std::size_t>(fork.first - set.begin());
    path.resize(shared);
    cells.resize(shared + 1);
    for (const std::int32_t j : set.subspan(shared)) {
      cells.push_back(split(cells.back(), static_cast<std::size_t>(j)));
      path.push_back(j);
    }
    result.push_back(gain(cells.back()));
  }
  return result;
}

std::uint32_t TupleScanner::skipped_level(std::size_t feature) const {
  const DenseColumn& column = columns_[feature];
  return missing_ == Missing::kIgnore && column.has_missing ? column.levels - 1 : kNone;
}

TupleScanner::Cells TupleScanner::whole(std::span<const std::size_t> features) const {
  Cells cells{std::vector<std::uint32_t>(rows_.order.size(), 0), 1};
  for (const std::size_t feature : features) {
    const std::uint32_t skipped = skipped_level(feature);
    if (skipped == kNone) continue;
    columns_[feature].with_codes([&](const auto* codes) {
      for (std::size_t row = 0; row < cells.of_row.size(); ++row)
        if (codes[row] == skipped) cells.of_row[row] = kNone;
    });
  }
  return cells;
}

TupleScanner::Cells TupleScanner::split(const Cells& cells, std::size_t feature) const {
  const DenseColumn& column = columns_[feature];
  const std::size_t n = rows_.order.size();
  const std::uint32_t skipped = skipped_level(feature);
  Cells parts{std::vector<std::uint32_t>(n, kNone), 0};
  const auto label = [&](std::uint32_t& known, std::size_t row) {
    if (known == kNone) known = parts.n_cells++;
    parts.of_row[row] = known;
  };
  columns_[feature].with_codes([&](const auto* codes) {
    const std::size_t size = std::size_t{cells.n_cells} * column.levels;
    if (size <= std::max(kSmallTable, 16 * n)) {
      std::vector<std::uint32_t> labels(size, kNone);
      for (std::size_t row = 0; row < n; ++row)
        if (cells.of_row[row] != kNone && codes[row] != skipped)
          label(labels[std::size_t{cells.of_row[row]} * column.levels + codes[row]],
                row);
      return;
    }
    // Cell by cell, so that one label per level is enough.
    std::vector<std::size_t> next(std::size_t{cells.n_cells} + 1, 0);
    for (const std::uint32_t cell : cells.of_row)
      if (cell != kNone) ++next[cell + std::size_t{1}];
    for (std::size_t cell = 1; cell < next.size(); ++cell) next[cell] += next[cell - 1];
    std::vector<std::uint32_t> sorted(next.back());
    for (std::size_t row = 0; row < n; ++row)
      if (cells.of_row[row] != kNone)
        sorted[next[cells.of_row[row]]++] = static_cast<std::uint32_t>(row);
    std::vector<std::uint32_t> labels(column.levels, kNone);
    for (std::size_t begin = 0, end = 0; begin < sorted.size(); begin = end) {
      const std::uint32_t cell = cells.of_row[sorted[begin]];
      for (; end < sorted.size() && cells.of_row[sorted[end]] == cell; ++end)
        if (codes[sorted[end]] != skipped)
          label(labels[codes[sorted[end]]], sorted[end]);
      for (std::size_t k = begin; k < end; ++k) labels[codes[sorted[k]]] = kNone;
    }
  });
  return parts;
}

TupleScanner::Sum TupleScanner::sum(const Cells& cells) const {
  Sum sum;
  if (weights_.empty())
    sum.units = sum_of<std::uint32_t, std::int64_t>(
        cells, [&](std::uint32_t count) { return log_(count); },
        [](std::size_t) { return 1U; }, sum.n);
  else
    sum.bits = sum_of<double, double>(
        cells, [](double weight) { return x_log2_x(weight); },
        [&](std::size_t row) { return weights_[row]; }, sum.n);
  return sum;
}

double TupleScanner::gain(const Cells& cells) const {
  const Sum total = sum(cells);
  if (!(total.n > 0)) return 0;
  return weights_.empty() ? static_cast<double>(total.units) * (log_.unit() / total.n)
                          : total.bits * (1.0 / total.n);
}

template <class Count, class Value, class LogOf, class AmountOf>
Value TupleScanner::sum_of(const Cells& cells, const LogOf& log_of,
                           const AmountOf& amount_of, double& n) const {
  std::vector<Count> in_class(cells.n_cells, Count{0});
  std::vector<Count> in_cell(cells.n_cells, Count{0});
  Value sum{0};
  Count total{0};
  for (std::size_t c = 0; c < rows_.n_classes(); ++c) {
    Count class_total{0};
    for (std::size_t row = rows_.begin[c]; row < rows_.begin[c + 1]; ++row) {
      if (cells.of_row[row] == kNone) continue;
      in_class[cells.of_row[row]] += amount_of(row);
      class_total += amount_of(row);
    }
    // Each cell is taken and cleared by the first of its rows.
    for (std::size_t row = rows_.begin[c]; row < rows_.begin[c + 1]; ++row) {
      const std::uint32_t cell = cells.of_row[row];
      if (cell == kNone) continue;
      sum += log_of(in_class[cell]);
      in_cell[cell] += in_class[cell];
      in_class[cell] = Count{0};
    }
    sum -= log_of(class_total);
    total += class_total;
  }
  for (const Count count : in_cell) sum -= log_of(count);
  sum += log_of(total);
  n = static_cast<double>(total);
  return std::max(Value{0}, sum);
}

}  // namespace featsieve
