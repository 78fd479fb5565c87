#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace featsieve {

/// The code of a missing value. The greatest code, so that it sorts behind all others.
inline constexpr std::uint32_t kMissingCode = 0xFFFFFFFFU;

/// Training columns of trees, coded once and shared by all trees grown on them.
///
/// A numeric column is coded by the rank of each value among its different values, a
/// nominal one by its level. Growing meets codes only; `values` leads back.
class TreeColumns {
 public:
  explicit TreeColumns(std::size_t n_rows);

  /// NaN is missing.
  void add_numeric(std::span<const double> values);
  /// A negative level is missing; levels are below n_levels.
  void add_nominal(std::span<const std::int32_t> levels, std::uint32_t n_levels);

  /// These columns only, in this order, without coding them again.
  TreeColumns select(std::span<const std::uint32_t> columns) const;

  std::size_t n_rows() const { return n_rows_; }
  std::size_t n_columns() const { return columns_.size(); }

  bool is_nominal(std::size_t column) const { return columns_[column].nominal; }
  bool has_missing(std::size_t column) const { return columns_[column].missing; }
  /// Levels declared, or different values.
  std::uint32_t n_codes(std::size_t column) const { return columns_[column].n_codes; }
  const std::uint32_t* codes(std::size_t column) const {
    return columns_[column].codes.data();
  }
  /// The different values of a numeric column, ascending.
  std::span<const double> values(std::size_t column) const {
    return columns_[column].values;
  }

 private:
  struct Column {
    bool nominal;
    bool missing;
    std::uint32_t n_codes;
    std::vector<std::uint32_t> codes;
    std::vector<double> values;
  };

  void check_length(std::size_t length) const;

  std::size_t n_rows_;
  std::vector<Column> columns_;
};

}  // namespace featsieve
