#include "trees/shadows.hpp"

#include <numeric>
#include <stdexcept>
#include <utility>

#include "random/random.hpp"

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

std::vector<std::vector<std::uint32_t>> free_orders(std::size_t n_rows,
                                                    std::size_t n_orders,
                                                    std::uint64_t seed) {
  Random random(seed);
  std::vector<std::vector<std::uint32_t>> orders(n_orders,
                                                 std::vector<std::uint32_t>(n_rows));
  for (auto& rows : orders) {
    std::iota(rows.begin(), rows.end(), 0U);
    random.shuffle(std::span<std::uint32_t>(rows));
  }
  return orders;
}

}  // namespace

Shadows::Shadows(const TreeColumns& columns, std::size_t n_shadows,
                 std::size_t n_orders, std::uint64_t seed)
    : Shadows(columns, n_shadows, free_orders(columns.n_rows(), n_orders, seed)) {}

Shadows::Shadows(const TreeColumns& columns, std::size_t n_shadows,
                 std::vector<std::vector<std::uint32_t>> orders)
    : columns_(&columns),
      logs_(columns.n_rows()),
      n_shadows_(n_shadows),
      orders_(std::move(orders)) {
  if (n_shadows_ == 0) throw std::invalid_argument("there must be a shadow");
  if (orders_.size() < n_shadows_)
    throw std::invalid_argument("shadows of a column must be in different orders");
  for (const auto& own : orders_) {
    if (own.size() != columns.n_rows())
      throw std::invalid_argument("a shadow must have as many rows as the columns");
    for (const std::uint32_t row : own)
      if (row >= columns.n_rows())
        throw std::out_of_range("a shadow gets the values of rows that exist");
  }
  places_.reserve(columns.n_columns());
  for (std::size_t column = 0; column < columns.n_columns(); ++column)
    places_.push_back(smaller_codes(columns, column));
}

}  // namespace featsieve
