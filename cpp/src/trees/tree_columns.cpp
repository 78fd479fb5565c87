#include <cmath>
#include <stdexcept>
#include <utility>

#include "common/radix_sort.hpp"
#include "featsieve/trees.hpp"

namespace featsieve {

TreeColumns::TreeColumns(std::size_t n_rows) : n_rows_(n_rows) {
  // Rows and the copies that missing values make of them share 32 bits.
  if (n_rows >= 0x7FFFFFFFU) throw std::invalid_argument("too many rows for a tree");
}

void TreeColumns::check_length(std::size_t length) const {
  if (length != n_rows_)
    throw std::invalid_argument("columns must have one value per row");
}

void TreeColumns::add_numeric(std::span<const double> values) {
  check_length(values.size());
  std::vector<KeyedRow> known;
  known.reserve(values.size());
  for (std::size_t row = 0; row < values.size(); ++row)
    if (!std::isnan(values[row]))
      known.push_back({ordered_key(values[row]), static_cast<std::uint32_t>(row)});
  std::vector<KeyedRow> scratch;
  radix_sort(known, scratch);

  Column column{false, known.size() < values.size(), 0, {}, {}};
  column.codes.assign(values.size(), kMissingCode);
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (i == 0 || known[i].key != known[i - 1].key)
      column.values.push_back(from_ordered_key(known[i].key));
    column.codes[known[i].row] = static_cast<std::uint32_t>(column.values.size() - 1);
  }
  column.values.shrink_to_fit();  // a forest of wide tables holds many of these
  column.n_codes = static_cast<std::uint32_t>(column.values.size());
  columns_.push_back(std::move(column));
}

void TreeColumns::add_nominal(std::span<const std::int32_t> levels,
                              std::uint32_t n_levels) {
  check_length(levels.size());
  if (n_levels > 0x7FFFFFFFU) throw std::invalid_argument("too many levels for a tree");
  Column column{true, false, n_levels, {}, {}};
  column.codes.reserve(levels.size());
  for (const std::int32_t level : levels) {
    if (level >= 0 && static_cast<std::uint32_t>(level) >= n_levels)
      throw std::out_of_range("a level is not below the number of levels");
    column.missing = column.missing || level < 0;
    column.codes.push_back(level < 0 ? kMissingCode
                                     : static_cast<std::uint32_t>(level));
  }
  columns_.push_back(std::move(column));
}

TreeColumns TreeColumns::select(std::span<const std::uint32_t> columns) const {
  TreeColumns selected(n_rows_);
  selected.columns_.reserve(columns.size());
  for (const std::uint32_t column : columns) {
    if (column >= columns_.size()) throw std::out_of_range("no such column");
    selected.columns_.push_back(columns_[column]);
  }
  return selected;
}

}  // namespace featsieve
