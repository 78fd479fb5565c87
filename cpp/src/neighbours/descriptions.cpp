#include "neighbours/descriptions.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace featsieve {
namespace {

constexpr std::int32_t kNone = -1;

/// Spreads keys over a table; an odd constant near 2^64 divided by the golden ratio.
std::size_t spread(std::uint64_t key, unsigned bits) {
  return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15ULL) >> (64U - bits));
}

}  // namespace

void check_codes(const CodedColumns& columns) {
  if (columns.codes.size() != columns.n_columns() * columns.n_rows)
    throw std::invalid_argument("codes must have one entry per column and row");
  for (std::size_t column = 0; column < columns.n_columns(); ++column) {
    const std::int32_t* codes = columns.codes.data() + column * columns.n_rows;
    const std::int32_t levels = columns.n_levels[column];
    for (std::size_t i = 0; i < columns.n_rows; ++i)
      if (codes[i] < 0 || codes[i] >= levels)
        throw std::invalid_argument("codes must lie within the levels of a column");
  }
}

bool Descriptions::find(std::span<const std::int32_t> subset, std::size_t most) {
  numbers_.assign(columns_.n_rows, 0);
  first_rows_.assign(columns_.n_rows == 0 ? 0 : 1, 0);
  return std::all_of(subset.begin(), subset.end(), [&](std::int32_t column) {
    return refine(static_cast<std::size_t>(column), most);
  });
}

bool Descriptions::refine(std::size_t column, std::size_t most) {
  const std::size_t n = columns_.n_rows;
  const std::int32_t* codes = columns_.codes.data() + column * n;
  const auto levels = static_cast<std::uint64_t>(columns_.n_levels[column]);
  // Few keys are their own places in the table; others are looked for from a place on.
  const std::uint64_t n_keys = levels * first_rows_.size();
  const bool direct = n_keys <= 4 * n;
  const unsigned bits = static_cast<unsigned>(std::bit_width(2 * n)) + 1U;
  const std::size_t places =
      direct ? static_cast<std::size_t>(n_keys) : std::size_t{1} << bits;
  table_.assign(places, kNone);
  if (!direct) keys_.resize(places);
  first_rows_.clear();
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t key = static_cast<std::uint64_t>(numbers_[i]) * levels +
                              static_cast<std::uint64_t>(codes[i]);
    std::size_t place = direct ? static_cast<std::size_t>(key) : spread(key, bits);
    if (!direct)
      while (table_[place] != kNone && keys_[place] != key)
        place = (place + 1) & (places - 1);
    if (table_[place] == kNone) {
      if (first_rows_.size() >= most) return false;
      table_[place] = static_cast<std::int32_t>(first_rows_.size());
      if (!direct) keys_[place] = key;
      first_rows_.push_back(static_cast<std::int32_t>(i));
    }
    numbers_[i] = table_[place];
  }
  return true;
}

}  // namespace featsieve
