#include "ranks/ranked_column.hpp"

#include <algorithm>
#include <array>
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

int encode_few_levels(std::span<const double> values, int most,
                      std::uint8_t missing_code, std::vector<std::uint8_t>& codes) {
  if (most < 1 || most > 64)
    throw std::invalid_argument("codes of 1 to 64 levels are made");
  // A table four times as large as it is ever filled: the first probe nearly always
  // hits, so the loop has no branch that is hard to foresee.
  constexpr std::size_t kSlots = 256;
  constexpr std::uint8_t kFree = 255;
  std::array<std::uint64_t, kSlots> keys{};
  std::array<std::uint8_t, kSlots> slots{};
  slots.fill(kFree);
  std::array<std::uint64_t, 64> found{};
  int n_found = 0;
  const std::uint64_t nan_key =
      ordered_key(std::numeric_limits<double>::quiet_NaN()) | 1;
  codes.resize(values.size());
  std::uint8_t* out = codes.data();
  for (std::size_t row = 0; row < values.size(); ++row) {
    // NaNs come in many bit patterns; one key stands for all of them.
    const double value = values[row];
    const std::uint64_t key = value == value ? ordered_key(value) : nan_key;
    std::size_t slot = (key * 0x9E3779B97F4A7C15ULL) >> 56U;
    while (keys[slot] != key || slots[slot] == kFree) {
      if (slots[slot] != kFree) {
        slot = (slot + 1) % kSlots;
        continue;
      }
      keys[slot] = key;
      if (key == nan_key) {
        slots[slot] = 64;
      } else {
        if (n_found == most) return -1;
        slots[slot] = static_cast<std::uint8_t>(n_found);
        found[static_cast<std::size_t>(n_found++)] = key;
      }
    }
    out[row] = slots[slot];
  }
  std::array<std::uint8_t, 65> number{};
  for (int i = 0; i < n_found; ++i)
    for (int j = 0; j < n_found; ++j)
      if (found[static_cast<std::size_t>(j)] < found[static_cast<std::size_t>(i)])
        ++number[static_cast<std::size_t>(i)];
  number[64] = missing_code;
  for (std::size_t row = 0; row < values.size(); ++row) out[row] = number[out[row]];
  return n_found;
}

}  // namespace featsieve
