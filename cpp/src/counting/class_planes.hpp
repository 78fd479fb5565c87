#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace featsieve {

/// Counts byte codes by class from planes of bits, with AVX-512: 512 codes become four
/// planes of 512 bits, and a cell is the number of bits that a level and a class have
/// in common. Codes up to 15, few classes.
class ClassPlanes {
 public:
  static constexpr std::size_t kLevels = 16;
  static constexpr std::size_t kMostClasses = 16;

  /// Rows whose planes and those of two classes stay in the first-level cache.
  static constexpr std::size_t kStep = 16384;

  /// classes: one per row, each in [0, n_classes). Rows will be added in steps of
  /// rows_per_step, at most kStep.
  ClassPlanes(std::span<const std::int32_t> classes, std::size_t n_classes,
              std::size_t rows_per_step);

  /// Adds a step of codes to cells[level * n_classes + class], kLevels × n_classes of
  /// them, and returns the largest code. A code above 15 adds nothing but itself.
  std::uint8_t add(const std::uint8_t* codes, std::size_t step,
                   std::int64_t* cells) const;

 private:
  struct alignas(64) Word {
    std::array<std::uint64_t, 8> bits;
  };

  std::size_t n_rows_;
  std::size_t n_classes_;
  std::size_t rows_per_step_;
  std::size_t words_per_step_;
  std::vector<Word> planes_;          // steps × classes × words
  std::vector<std::int64_t> totals_;  // steps × classes: rows
};

}  // namespace featsieve
