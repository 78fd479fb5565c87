#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace featsieve {

/// Columns of codes from 0 that somebody else owns: rows with equal codes have equal
/// values. A missing value is a value and has a code.
struct CodedColumns {
  std::span<const std::int32_t> codes;     // n_columns × n_rows
  std::span<const std::int32_t> n_levels;  // of every column
  std::size_t n_rows = 0;

  std::size_t n_columns() const { return n_levels.size(); }
};

/// Throws unless codes lie within the levels of their columns.
void check_codes(const CodedColumns& columns);

/// The different rows that are left when only some columns are looked at.
class Descriptions {
 public:
  explicit Descriptions(const CodedColumns& columns) : columns_(columns) {}

  /// Numbers the descriptions of a subset in the order of their first rows. Returns
  /// false, with nothing of use, once there are more than `most` of them.
  bool find(std::span<const std::int32_t> subset, std::size_t most);

  std::size_t size() const { return first_rows_.size(); }
  std::span<const std::int32_t> of_rows() const { return numbers_; }
  std::span<const std::int32_t> first_rows() const { return first_rows_; }

 private:
  bool refine(std::size_t column, std::size_t most);

  CodedColumns columns_;
  std::vector<std::int32_t> numbers_;
  std::vector<std::int32_t> first_rows_;
  std::vector<std::int32_t> table_;
  std::vector<std::uint64_t> keys_;
};

}  // namespace featsieve
