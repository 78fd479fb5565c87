#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "counting/byte_sort.hpp"
#include "counting/dense_column.hpp"
#include "featsieve/instructions.hpp"

namespace featsieve {

/// Puts columns into the order of the classes of their rows.
class ClassOrder {
 public:
  /// Rows of a negative class are left out. Throws std::invalid_argument if a class is
  /// not below n_classes.
  ClassOrder(std::span<const std::int32_t> classes, std::size_t n_classes,
             Instructions instructions);

  const ClassRows& rows() const { return rows_; }
  std::size_t size() const { return rows_.begin.back(); }

  /// Writes the place of every code, a negative one that of the last place, sorted by
  /// class, and returns the largest place that was written. Throws std::out_of_range if
  /// a code has no place.
  std::uint8_t write(std::span<const std::int32_t> codes,
                     std::span<const std::uint8_t> places,
                     std::span<std::uint8_t> sorted);

 private:
  ClassRows rows_;
  std::optional<ByteSort> sort_;
  std::vector<std::uint8_t> places_;  // in the order of the rows
};

}  // namespace featsieve
