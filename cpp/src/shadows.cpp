#include "featsieve/shadows.hpp"

#include <numeric>
#include <stdexcept>

#include "featsieve/random.hpp"

namespace featsieve {

namespace {

std::vector<std::uint32_t> smaller_codes(const TreeColumns& columns,
                                         std::size_t column) {
  std::vector<std::uint32_t> places;
  if (columns.is_nominal(column)) return places;
  const std::uint32_t* codes = columns.codes(column);
  places.assign(columns.n_codes(column) + std::size_t{1}, 0);
  std::size_t n_known = 0;
  for (std::size_t row = 0; row < columns.n_rows(); ++row) {
    if (codes[row] == kMissingCode) continue;
    ++places[codes[row] + std::size_t{1}];
    ++n_known;
  }
  if (n_known == columns.n_codes(column)) return {};
  std::partial_sum(places.begin(), places.end(), places.begin());
  places.pop_back();
  return places;
}

}  // namespace

Shadows::Shadows(const TreeColumns& columns, std::size_t n_shadows, std::uint64_t seed)
    : columns_(&columns), logs_(columns.n_rows()) {
  if (n_shadows == 0) throw std::invalid_argument("there must be a shadow");
  Random random(seed);
  rows_.assign(n_shadows, std::vector<std::uint32_t>(columns.n_rows()));
  for (auto& rows : rows_) {
    std::iota(rows.begin(), rows.end(), 0U);
    random.shuffle(std::span<std::uint32_t>(rows));
  }
  places_.reserve(columns.n_columns());
  for (std::size_t column = 0; column < columns.n_columns(); ++column)
    places_.push_back(smaller_codes(columns, column));
}

}  // namespace featsieve
