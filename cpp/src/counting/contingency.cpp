#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <stdexcept>
#include <type_traits>

#include "common/byte_transpose.hpp"
#include "counting/byte_counts.hpp"
#include "counting/class_planes.hpp"
#include "featsieve/counting.hpp"

namespace featsieve {
namespace {

/// When rows are contiguous, tiles of this many rows × columns are transposed first:
/// small enough for the second-level cache, and rows long enough to be read as a
/// stream (columns of one cache line would touch a new page with every row).
constexpr std::size_t kTileRows = 960;
constexpr std::size_t kTileColumns = 512;

/// Blocks of a tile: one cache line of bytes wide.
constexpr std::size_t kBlock = 64;

/// Columns with more levels than this and than four per row are numbered anew: a
/// table of ten million levels for ten rows is no use.
constexpr std::size_t kSmallTable = 4096;

/// Codes of one column as bytes; missing becomes the row after the last level.
template <class Code>
void narrow(const Code* codes, std::ptrdiff_t stride, std::size_t size,
            std::int32_t levels, std::uint8_t* bytes) {
  const auto byte = [levels](Code code) {
    const auto wide = static_cast<std::int32_t>(code);
    return static_cast<std::uint8_t>(wide < 0 ? levels : wide);
  };
  if (stride == 1) {
    for (std::size_t i = 0; i < size; ++i) bytes[i] = byte(codes[i]);
  } else {
    for (std::size_t i = 0; i < size; ++i)
      bytes[i] = byte(codes[static_cast<std::ptrdiff_t>(i) * stride]);
  }
}

/// The same for a tile of columns whose rows are contiguous; column k of the tile
/// starts at bytes[k * (kTileRows + kOverhang)].
template <class Code>
void narrow_tile(const MatrixView<Code>& codes, std::size_t begin, std::size_t size,
                 std::size_t first, std::span<const std::int32_t> levels,
                 std::uint8_t* bytes) {
  constexpr std::size_t kRoom = kTileRows + kOverhang;
  std::array<std::uint8_t, kBlock * kBlock> lines;
  for (std::size_t i = 0; i < size; i += kBlock) {
    const std::size_t height = std::min(kBlock, size - i);
    for (std::size_t k = 0; k < levels.size(); k += kBlock) {
      const std::size_t width = std::min(kBlock, levels.size() - k);
      std::uint8_t* target = bytes + k * kRoom + i;
      if constexpr (std::is_same_v<Code, std::uint8_t>) {
        transpose_bytes(&codes(begin + i, first + k),
                        static_cast<std::size_t>(codes.row_stride), height, width,
                        target, kRoom);
      } else {
        // Plain pointers and no load in a branch, or the loop is not vectorised.
        const std::int32_t* missing = &levels[k];
        for (std::size_t line = 0; line < height; ++line) {
          const Code* source = &codes(begin + i + line, first + k);
          std::uint8_t* narrowed = &lines[line * kBlock];
          for (std::size_t c = 0; c < width; ++c) {
            const auto wide = static_cast<std::int32_t>(source[c]);
            const std::int32_t absent = missing[c];
            narrowed[c] = static_cast<std::uint8_t>(wide < 0 ? absent : wide);
          }
        }
        transpose_bytes(lines.data(), kBlock, height, width, target, kRoom);
      }
    }
  }
}

/// Checks everything that indexes memory later on, but the codes.
template <class Code>
void check_shapes(const MatrixView<Code>& codes, std::span<const std::int32_t> classes,
                  std::int32_t n_classes, std::span<const std::int32_t> declared) {
  if (classes.size() != codes.n_rows)
    throw std::invalid_argument("one class per row is needed");
  for (const std::int32_t c : classes)
    if (c < 0 || c >= n_classes)
      throw std::invalid_argument("class codes must lie in [0, n_classes)");
  if (!declared.empty() && declared.size() != codes.n_columns)
    throw std::invalid_argument("one number of levels per column is needed");
}

template <class Code>
MatrixView<Code> some_columns(const MatrixView<Code>& codes, std::size_t first,
                              std::size_t last) {
  // Without rows there may be no memory to point into.
  return {codes.n_rows == 0 ? codes.data : &codes(0, first), codes.n_rows, last - first,
          codes.row_stride, codes.column_stride};
}

void check_declared(std::int32_t found, std::int32_t declared) {
  if (found > declared) throw std::out_of_range("a code exceeds the number of levels");
}

template <class Code>
std::vector<std::int32_t> levels_of(const MatrixView<Code>& codes) {
  std::vector<std::int32_t> levels(codes.n_columns, 0);
  if (codes.n_rows == 0) return levels;
  // Levels fit an int32 with room for one more, the missing one.
  constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max() - 1;
  std::vector<Code> largest(codes.n_columns, std::numeric_limits<Code>::lowest());
  // Stride 1 is spelled out in both branches, or the loops are not vectorised.
  if (codes.column_stride == 1) {
    Code* most = largest.data();
    for (std::size_t row = 0; row < codes.n_rows; ++row) {
      const Code* line = &codes(row, 0);
      for (std::size_t j = 0; j < codes.n_columns; ++j)
        most[j] = std::max(most[j], line[j]);
    }
  } else {
    for (std::size_t j = 0; j < codes.n_columns; ++j) {
      const Code* column = &codes(0, j);
      Code most = std::numeric_limits<Code>::lowest();
      if (codes.row_stride == 1) {
        for (std::size_t row = 0; row < codes.n_rows; ++row)
          most = std::max(most, column[row]);
      } else {
        for (std::size_t row = 0; row < codes.n_rows; ++row)
          most = std::max(most, codes(row, j));
      }
      largest[j] = most;
    }
  }
  for (std::size_t j = 0; j < codes.n_columns; ++j) {
    const auto most = static_cast<std::int32_t>(largest[j]);
    if (most > kMost) throw std::out_of_range("codes must be below 2^31 - 1");
    levels[j] = most < 0 ? 0 : most + 1;
  }
  return levels;
}

/// Levels of the columns [first, last): counted, and checked against declared ones.
template <class Code>
std::vector<std::int32_t> checked_levels(const MatrixView<Code>& codes,
                                         std::size_t first, std::size_t last,
                                         std::span<const std::int32_t> declared) {
  auto levels = levels_of(some_columns(codes, first, last));
  if (declared.empty()) return levels;
  for (std::size_t k = 0; k < levels.size(); ++k) {
    check_declared(levels[k], declared[first + k]);
    levels[k] = declared[first + k];
  }
  return levels;
}

/// Adds the rows of a column to its table, one after another: any number of levels and
/// classes, any weights.
template <class Code, class Count, class WeightOf>
void count_plainly(const MatrixView<Code>& codes, std::size_t column,
                   std::span<const std::int32_t> classes, std::size_t n_classes,
                   std::int32_t levels, const WeightOf& weight_of, Count* table) {
  for (std::size_t row = 0; row < codes.n_rows; ++row) {
    const auto code = static_cast<std::int64_t>(codes(row, column));
    const auto level = static_cast<std::size_t>(code < 0 ? levels : code);
    table[level * n_classes + static_cast<std::size_t>(classes[row])] += weight_of(row);
  }
}

/// Whether levels are so many that most of them must be unused.
bool is_sparse(std::int32_t levels, std::size_t n_rows) {
  return static_cast<std::size_t>(levels) > std::max(kSmallTable, 4 * n_rows);
}

/// A column with the levels that occur numbered from 0, in their order.
template <class Code>
std::vector<std::int32_t> renumber(const MatrixView<Code>& codes, std::size_t column,
                                   std::int32_t& levels) {
  std::vector<Code> known;
  for (std::size_t row = 0; row < codes.n_rows; ++row)
    if (static_cast<std::int64_t>(codes(row, column)) >= 0)
      known.push_back(codes(row, column));
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  levels = static_cast<std::int32_t>(known.size());
  std::vector<std::int32_t> numbers(codes.n_rows, -1);
  for (std::size_t row = 0; row < codes.n_rows; ++row) {
    const Code code = codes(row, column);
    if (static_cast<std::int64_t>(code) >= 0)
      numbers[row] = static_cast<std::int32_t>(
          std::lower_bound(known.begin(), known.end(), code) - known.begin());
  }
  return numbers;
}

/// Counts one table at a time, by the means that suit the codes and the machine.
template <class Code>
class TableCounter {
 public:
  TableCounter(const MatrixView<Code>& codes, std::span<const std::int32_t> classes,
               std::int32_t n_classes, std::span<const std::int32_t> declared,
               Instructions instructions)
      : codes_(codes),
        classes_(classes),
        declared_(declared),
        n_(static_cast<std::size_t>(n_classes)),
        instructions_(require(instructions)),
        by_rows_(codes.column_stride == 1 && codes.row_stride > 1),
        in_place_(std::is_same_v<Code, std::uint8_t> && codes.row_stride == 1) {
    const bool planes = instructions_ == Instructions::kAvx512 && n_ >= 1 &&
                        n_ <= ClassPlanes::kMostClasses;
    rows_per_step_ = by_rows_ ? kTileRows : kComparedRows;
    if (planes && in_place_) whole_.emplace(classes, n_, ClassPlanes::kStep);
    if (planes && !in_place_) planes_.emplace(classes, n_, rows_per_step_);
  }

  template <class Visit>
  void visit(const Visit& visit) {
    // One column at a time is counted while the search for its levels has it in cache;
    // contiguous rows are transposed tile by tile.
    const std::size_t tile = by_rows_ ? kTileColumns : 1;
    bytes_.resize(std::min(tile, codes_.n_columns) * room());
    for (std::size_t first = 0; first < codes_.n_columns; first += tile) {
      if (whole_ && count_whole(first, visit)) continue;
      count_tile(first, std::min(first + tile, codes_.n_columns), visit);
    }
  }

 private:
  static constexpr std::size_t kMostByteClasses = 256;

  /// Made when first needed: planes do without.
  const ClassStep& classes_of(std::size_t step) {
    if (steps_.empty())
      steps_ = class_steps(classes_, static_cast<std::int32_t>(n_), rows_per_step_);
    return steps_[step];
  }

  std::size_t room() const { return rows_per_step_ + kOverhang; }

  /// Counts a column of bytes where it lies, in one pass; false if it has codes that
  /// need another way.
  template <class Visit>
  bool count_whole(std::size_t column, const Visit& visit) {
    if constexpr (std::is_same_v<Code, std::uint8_t>) {
      if (codes_.n_rows == 0) return false;
      cells_.assign((ClassPlanes::kLevels + 1) * n_, 0);
      std::uint8_t largest = 0;
      for (std::size_t begin = 0, step = 0; begin < codes_.n_rows;
           begin += ClassPlanes::kStep, ++step) {
        largest =
            std::max(largest, whole_->add(&codes_(begin, column), step, cells_.data()));
        if (largest >= ClassPlanes::kLevels) return false;
      }
      std::int32_t levels = largest + 1;
      if (!declared_.empty()) {
        check_declared(levels, declared_[column]);
        levels = declared_[column];
        cells_.resize((static_cast<std::size_t>(levels) + 1) * n_, 0);
      }
      visit(column, levels, table_of(0, levels));
      return true;
    }
    return false;
  }

  template <class Visit>
  void count_tile(std::size_t first, std::size_t last, const Visit& visit) {
    const auto levels = checked_levels(codes_, first, last, declared_);
    offsets_.clear();
    std::size_t size = 0;
    for (const std::int32_t n : levels) {
      offsets_.push_back(size);
      // Tables of their own for columns that are numbered anew.
      if (!renumbers(n)) size += (static_cast<std::size_t>(n) + 1) * n_;
    }
    cells_.assign(size, 0);
    bool any_bytes = false;
    for (std::size_t k = 0; k < levels.size(); ++k) {
      if (fits_bytes(levels[k]))
        any_bytes = true;
      else if (!renumbers(levels[k]))
        count_plainly(
            codes_, first + k, classes_, n_, levels[k],
            [](std::size_t) { return std::int64_t{1}; }, &cells_[offsets_[k]]);
    }
    if (any_bytes) count_bytes(first, levels);
    for (std::size_t k = 0; k < levels.size(); ++k) {
      if (renumbers(levels[k]))
        count_sparse(first + k, visit);
      else
        visit(first + k, levels[k], table_of(offsets_[k], levels[k]));
    }
  }

  template <class Visit>
  void count_sparse(std::size_t column, const Visit& visit) {
    std::int32_t levels = 0;
    const auto numbers = renumber(codes_, column, levels);
    const MatrixView<std::int32_t> view{numbers.data(), numbers.size(), 1, 1, 0};
    std::vector<std::int64_t> table((static_cast<std::size_t>(levels) + 1) * n_, 0);
    count_plainly(
        view, 0, classes_, n_, levels, [](std::size_t) { return std::int64_t{1}; },
        table.data());
    visit(column, levels, std::span<const std::int64_t>(table));
  }

  void count_bytes(std::size_t first, const std::vector<std::int32_t>& levels) {
    for (std::size_t begin = 0, step = 0; begin < codes_.n_rows;
         begin += rows_per_step_, ++step) {
      const std::size_t size = std::min(rows_per_step_, codes_.n_rows - begin);
      if (by_rows_) narrow_tile(codes_, begin, size, first, levels, bytes_.data());
      for (std::size_t k = 0; k < levels.size(); ++k)
        if (fits_bytes(levels[k]))
          count_step(first + k, begin, step, levels[k], &bytes_[k * room()],
                     &cells_[offsets_[k]]);
    }
  }

  void count_step(std::size_t column, std::size_t begin, std::size_t step,
                  std::int32_t levels, std::uint8_t* scratch, std::int64_t* table) {
    const std::size_t size = std::min(rows_per_step_, codes_.n_rows - begin);
    // The row of missing values of an unsigned column is empty; skip it.
    const std::size_t used =
        static_cast<std::size_t>(levels) + (std::is_unsigned_v<Code> ? 0 : 1);
    if (used == 0) return;
    const bool planes = planes_ && used <= ClassPlanes::kLevels;
    const bool compares = !planes && instructions_ != Instructions::kPortable &&
                          prefers_comparing(used, n_);
    const std::uint8_t* bytes = scratch;
    // A full step is read where it lies; the last one is copied so that vectors may
    // read past its end.
    if (in_place_ && (size == kComparedRows || !compares))
      bytes = reinterpret_cast<const std::uint8_t*>(&codes_(begin, column));
    else if (!by_rows_)
      narrow(&codes_(begin, column), codes_.row_stride, size, levels, scratch);
    if (planes) {
      planes_->add(bytes, step, table);
    } else if (compares) {
      if (bytes == scratch) std::fill_n(scratch + size, kOverhang, std::uint8_t{0});
      count_by_comparing(bytes, classes_of(step), size, used, n_, table);
    } else {
      count_by_histogram(bytes, classes_of(step), size, used, n_, table);
    }
  }

  bool fits_bytes(std::int32_t levels) const {
    return n_ <= kMostByteClasses && levels < 255;
  }
  bool renumbers(std::int32_t levels) const {
    return declared_.empty() && is_sparse(levels, codes_.n_rows);
  }
  std::span<const std::int64_t> table_of(std::size_t offset,
                                         std::int32_t levels) const {
    return std::span(cells_).subspan(offset,
                                     (static_cast<std::size_t>(levels) + 1) * n_);
  }

  MatrixView<Code> codes_;
  std::span<const std::int32_t> classes_;
  std::span<const std::int32_t> declared_;
  std::size_t n_;
  Instructions instructions_;
  bool by_rows_;
  bool in_place_;
  std::size_t rows_per_step_ = 0;
  std::vector<ClassStep> steps_;
  std::optional<ClassPlanes> whole_;   // for columns read where they lie
  std::optional<ClassPlanes> planes_;  // for steps of narrowed columns
  std::vector<std::uint8_t> bytes_;
  std::vector<std::size_t> offsets_;
  std::vector<std::int64_t> cells_;
};

/// As visit_weights, of codes of one type.
template <class Code>
void add_weights(const MatrixView<Code>& codes, std::span<const std::int32_t> classes,
                 std::int32_t n_classes, std::span<const std::int32_t> declared,
                 std::span<const double> weights, const TableVisitor<double>& visit) {
  check_shapes(codes, classes, n_classes, declared);
  if (weights.size() != codes.n_rows)
    throw std::invalid_argument("one weight per row is needed");
  const auto n = static_cast<std::size_t>(n_classes);
  const auto weight_of = [&](std::size_t row) { return weights[row]; };
  std::vector<double> table;
  for (std::size_t j = 0; j < codes.n_columns; ++j) {
    std::int32_t levels = checked_levels(codes, j, j + 1, declared)[0];
    const auto fill = [&](const auto& view, std::size_t column) {
      table.assign((static_cast<std::size_t>(levels) + 1) * n, 0.0);
      count_plainly(view, column, classes, n, levels, weight_of, table.data());
    };
    if (declared.empty() && is_sparse(levels, codes.n_rows)) {
      const auto numbers = renumber(codes, j, levels);
      fill(MatrixView<std::int32_t>{numbers.data(), numbers.size(), 1, 1, 0}, 0);
    } else {
      fill(codes, j);
    }
    visit(j, levels, table);
  }
}

}  // namespace

std::vector<std::int32_t> count_levels(const CodeMatrix& codes) {
  return std::visit([](const auto& view) { return levels_of(view); }, codes);
}

void visit_counts(const CodeMatrix& codes, std::span<const std::int32_t> classes,
                  std::int32_t n_classes, std::span<const std::int32_t> declared,
                  const TableVisitor<std::int64_t>& visit, Instructions instructions) {
  std::visit(
      [&](const auto& view) {
        check_shapes(view, classes, n_classes, declared);
        TableCounter(view, classes, n_classes, declared, instructions).visit(visit);
      },
      codes);
}

void visit_weights(const CodeMatrix& codes, std::span<const std::int32_t> classes,
                   std::int32_t n_classes, std::span<const std::int32_t> declared,
                   std::span<const double> weights, const TableVisitor<double>& visit) {
  std::visit(
      [&](const auto& view) {
        add_weights(view, classes, n_classes, declared, weights, visit);
      },
      codes);
}

std::vector<std::int64_t> count_by_class(const CodeMatrix& codes,
                                         std::span<const std::int32_t> classes,
                                         std::int32_t n_classes,
                                         std::span<const std::int32_t> declared) {
  std::vector<std::int64_t> tables;
  visit_counts(codes, classes, n_classes, declared,
               [&](std::size_t, std::int32_t, std::span<const std::int64_t> cells) {
                 tables.insert(tables.end(), cells.begin(), cells.end());
               });
  return tables;
}

}  // namespace featsieve
