#include "ranks/ranked_column.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include "common/radix_sort.hpp"

namespace featsieve {

RankedColumn::RankedColumn(std::span<const double> values) {
  if (values.size() > std::numeric_limits<std::int32_t>::max())
    throw std::invalid_argument("there may be at most 2^31 - 1 rows");
  std::vector<KeyedRow> rows;
  std::vector<KeyedRow> scratch;
  rows.reserve(values.size());
  for (std::size_t row = 0; row < values.size(); ++row)
    if (!std::isnan(values[row]))
      rows.push_back({ordered_key(values[row]), static_cast<std::uint32_t>(row)});
  radix_sort(rows, scratch);

  place_.assign(values.size(), -1);
  order_.resize(rows.size());
  std::int32_t* place = place_.data();
  for (std::size_t at = 0; at < rows.size(); ++at) {
    order_[at] = rows[at].row;
    place[rows[at].row] = static_cast<std::int32_t>(at);
    if (at == 0 || rows[at].key != rows[at - 1].key) ++n_levels_;
  }
  if (!has_ties()) return;
  below_.assign(values.size(), -1);
  up_to_.assign(values.size(), -1);
  for (std::size_t begin = 0; begin < rows.size();) {
    std::size_t end = begin + 1;
    while (end < rows.size() && rows[end].key == rows[begin].key) ++end;
    for (std::size_t at = begin; at < end; ++at) {
      below_[rows[at].row] = static_cast<std::int32_t>(begin);
      up_to_[rows[at].row] = static_cast<std::int32_t>(end);
    }
    const auto size = static_cast<std::int64_t>(end - begin);
    tied_pairs_ += size * (size - 1) / 2;
    begin = end;
  }
}

std::vector<double> RankedColumn::mid_ranks() const {
  std::vector<double> ranks(n_rows(), std::numeric_limits<double>::quiet_NaN());
  for (const std::uint32_t row : order_)
    ranks[row] = has_ties() ? 0.5 * (below_[row] + up_to_[row] + 1.0) : place_[row] + 1;
  return ranks;
}

std::vector<std::int32_t> RankedColumn::codes() const {
  std::vector<std::int32_t> codes(n_rows(), -1);
  const auto below = this->below();
  std::int32_t code = -1;
  std::int32_t last = -1;
  for (const std::uint32_t row : order_) {
    if (below[row] != last) ++code;
    last = below[row];
    codes[row] = code;
  }
  return codes;
}

}  // namespace featsieve
