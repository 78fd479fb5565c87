#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace featsieve {

/// A numeric column sorted once, for all statistics that look at order alone. NaN is
/// missing; infinities are values like others. Memory: 8 bytes a row, 16 with ties.
class RankedColumn {
 public:
  explicit RankedColumn(std::span<const double> values);

  std::size_t n_rows() const { return place_.size(); }
  std::size_t n_known() const { return order_.size(); }
  std::size_t n_levels() const { return n_levels_; }
  bool has_missing() const { return n_known() < n_rows(); }
  bool has_ties() const { return n_levels_ < n_known(); }

  /// Pairs of known rows with the same value.
  std::int64_t tied_pairs() const { return tied_pairs_; }

  /// Known rows by ascending value; equal ones in the order of the rows.
  std::span<const std::uint32_t> order() const { return order_; }

  /// Of each row: its position in that order; -1 if missing.
  std::span<const std::int32_t> place() const { return place_; }

  /// Of each row: how many known rows have a smaller value; -1 if missing.
  std::span<const std::int32_t> below() const { return has_ties() ? below_ : place_; }

  /// Of each row: how many known rows have this value or a smaller one. Only with ties.
  std::span<const std::int32_t> up_to() const { return up_to_; }

  /// Of each row: the mean rank of its value, from 1; NaN if missing.
  std::vector<double> mid_ranks() const;

  /// Of each row: its value's number among the different ones, ascending; -1 if
  /// missing.
  std::vector<std::int32_t> codes() const;

 private:
  std::size_t n_levels_ = 0;
  std::int64_t tied_pairs_ = 0;
  std::vector<std::uint32_t> order_;
  std::vector<std::int32_t> place_;
  std::vector<std::int32_t> below_;
  std::vector<std::int32_t> up_to_;
};

}  // namespace featsieve
