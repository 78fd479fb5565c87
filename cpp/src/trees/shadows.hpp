#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/exact_log_table.hpp"
#include "featsieve/trees.hpp"

namespace featsieve {

/// Row-permuted copies of the columns of a table: the same values, ties and gaps in
/// each, and no relation to the target. Nothing is copied: an order leads from each row
/// to the row whose values it gets. The columns must outlive the shadows.
///
/// Columns take their orders in turn from a pool, so that those of like columns differ:
/// shadows of copies in the same order would gain the same, and no number of columns
/// would say more about chance than one does.
class Shadows {
 public:
  /// Any row gets the values of any other, in so many different orders.
  Shadows(const TreeColumns& columns, std::size_t n_shadows, std::size_t n_orders,
          std::uint64_t seed);
  /// Orders, where rows may not be exchanged freely: for each row, whose values it
  /// gets. A row may be taken more than once.
  Shadows(const TreeColumns& columns, std::size_t n_shadows,
          std::vector<std::vector<std::uint32_t>> orders);

  const TreeColumns& columns() const { return *columns_; }
  /// Of each column.
  std::size_t n_shadows() const { return n_shadows_; }
  std::size_t n_orders() const { return orders_.size(); }
  /// Which order the rows of a shadow of a column are in.
  std::size_t order_of(std::size_t column, std::size_t shadow) const {
    return (column * n_shadows_ + shadow) % orders_.size();
  }
  /// For each row: whose values it gets in this order.
  std::span<const std::uint32_t> order(std::size_t number) const {
    return orders_[number];
  }
  /// For each code of a numeric column: how many rows have a smaller one. Empty where
  /// that is the code itself, because no two rows have the same.
  std::span<const std::uint32_t> places(std::size_t column) const {
    return places_[column];
  }
  /// Logarithms for counts up to the number of rows, for all trees to share.
  const ExactLogTable& logs() const { return logs_; }

 private:
  const TreeColumns* columns_;
  ExactLogTable logs_;
  std::size_t n_shadows_;
  std::vector<std::vector<std::uint32_t>> orders_;
  std::vector<std::vector<std::uint32_t>> places_;
};

}  // namespace featsieve
