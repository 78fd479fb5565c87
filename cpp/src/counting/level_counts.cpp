#include "counting/level_counts.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace featsieve {
namespace {

/// Tables side by side: rows that follow each other often are of one cell, and would
/// wait for each other in a single one.
constexpr std::size_t kTables = 4;
constexpr std::size_t kMostCells = 1024;
/// Rows counted in 32 bits before they are added up.
constexpr std::size_t kBlock = std::size_t{1} << 20U;

using Cells = std::array<std::uint32_t, kTables * kMostCells>;

/// Rows whose cells are found before they are counted, which the vectoriser can do.
constexpr std::size_t kStep = 2048;

/// Counts every pair of code and class, either of which may be -1: cell
/// (code + 1) * width + class + 1 of one of the tables. False if there are others.
bool count_block(std::span<const std::int32_t> codes,
                 std::span<const std::int32_t> classes, std::uint32_t n_codes,
                 std::uint32_t n_classes, Cells& cells) {
  const auto width = static_cast<std::uint16_t>(n_classes + 1);
  const auto most_code = static_cast<std::int32_t>(n_codes) - 1;
  const auto most_class = static_cast<std::int32_t>(n_classes) - 1;
  std::array<std::uint16_t, kStep> found;
  for (std::size_t begin = 0; begin < codes.size(); begin += kStep) {
    const std::size_t size = std::min(kStep, codes.size() - begin);
    const std::int32_t* code = codes.data() + begin;
    const std::int32_t* own = classes.data() + begin;
    std::int32_t odd = 0;
    for (std::size_t i = 0; i < size; ++i)
      odd |= static_cast<std::int32_t>(code[i] > most_code) |
             static_cast<std::int32_t>(code[i] < -1) |
             static_cast<std::int32_t>(own[i] > most_class) |
             static_cast<std::int32_t>(own[i] < -1);
    if (odd != 0) return false;
    for (std::size_t i = 0; i < size; ++i)
      found[i] =
          static_cast<std::uint16_t>(static_cast<std::uint16_t>(code[i] + 1) * width +
                                     static_cast<std::uint16_t>(own[i] + 1));
    std::size_t i = 0;
    for (; i + kTables <= size; i += kTables)
      for (std::size_t k = 0; k < kTables; ++k) ++cells[k * kMostCells + found[i + k]];
    for (; i < size; ++i) ++cells[found[i]];
  }
  return true;
}

class Adder {
 public:
  Adder(std::span<const std::int32_t> places, std::size_t n_classes,
        std::span<std::int64_t> table, std::span<std::int64_t> missing)
      : places_(places), n_classes_(n_classes), table_(table), missing_(missing) {}

  void add(std::int64_t code, std::size_t c, std::int64_t n) {
    const std::int64_t place =
        code < 0 ? code : places_[static_cast<std::size_t>(code)];
    if (place < 0)
      missing_[c] += n;
    else
      table_[static_cast<std::size_t>(place) * n_classes_ + c] += n;
  }

  /// Row by row, for tables of many cells; checks what it reads.
  void add_rows(std::span<const std::int32_t> codes,
                std::span<const std::int32_t> classes) {
    for (std::size_t i = 0; i < codes.size(); ++i) {
      if (classes[i] < 0) continue;
      const auto c = static_cast<std::size_t>(classes[i]);
      if (c >= n_classes_) throw std::invalid_argument("class codes must be declared");
      if (codes[i] >= static_cast<std::int64_t>(places_.size()))
        throw std::out_of_range("a code has no place");
      add(codes[i], c, 1);
    }
  }

  void add_cells(const Cells& cells) {
    const std::size_t width = n_classes_ + 1;
    for (std::size_t code = 0; code <= places_.size(); ++code)
      for (std::size_t c = 0; c < n_classes_; ++c) {
        std::int64_t n = 0;
        for (std::size_t k = 0; k < kTables; ++k)
          n += cells[k * kMostCells + code * width + c + 1];
        if (n != 0) add(static_cast<std::int64_t>(code) - 1, c, n);
      }
  }

 private:
  std::span<const std::int32_t> places_;
  std::size_t n_classes_;
  std::span<std::int64_t> table_;
  std::span<std::int64_t> missing_;
};

}  // namespace

void add_by_class(std::span<const std::int32_t> codes,
                  std::span<const std::int32_t> places,
                  std::span<const std::int32_t> classes, std::size_t n_classes,
                  std::span<std::int64_t> table, std::span<std::int64_t> missing) {
  if (codes.size() != classes.size())
    throw std::invalid_argument("one class per row is needed");
  if (missing.size() != n_classes)
    throw std::invalid_argument("missing values are counted once per class");
  const auto n_places =
      static_cast<std::int64_t>(table.size() / std::max<std::size_t>(1, n_classes));
  for (const std::int32_t place : places)
    if (place >= n_places) throw std::out_of_range("a place lies outside the table");
  Adder adder(places, n_classes, table, missing);
  const bool few = n_classes < kMostCells && places.size() < kMostCells &&
                   (places.size() + 1) * (n_classes + 1) <= kMostCells;
  for (std::size_t begin = 0; begin < codes.size(); begin += kBlock) {
    const auto some = codes.subspan(begin, std::min(kBlock, codes.size() - begin));
    const auto own = classes.subspan(begin, some.size());
    Cells cells;
    if (few) std::fill(cells.begin(), cells.end(), 0);
    if (few && count_block(some, own, static_cast<std::uint32_t>(places.size()),
                           static_cast<std::uint32_t>(n_classes), cells))
      adder.add_cells(cells);
    else
      adder.add_rows(some, own);
  }
}

}  // namespace featsieve
