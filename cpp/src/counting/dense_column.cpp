#include "counting/dense_column.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <stdexcept>
#include <type_traits>

#include "counting/byte_sort.hpp"

namespace featsieve {
namespace {

/// Columns gathered together when rows are not contiguous: one cache line of bytes.
constexpr std::size_t kTile = 64;

/// Up to this many levels an unused one costs less than looking for it.
constexpr std::int64_t kTakenAsTheyAre = 5;

/// Smallest and largest known code of a column, and whether some are missing.
struct CodeRange {
  std::int64_t low = 0;
  std::int64_t high = -1;
  bool has_missing = false;
};

template <class Code>
CodeRange find_range(std::span<const Code> codes) {
  if (codes.empty()) return {};
  Code low = std::numeric_limits<Code>::max();
  Code high = std::numeric_limits<Code>::lowest();
  if constexpr (std::is_signed_v<Code>) {
    Code least = std::numeric_limits<Code>::max();
    for (const Code code : codes) {
      least = std::min(least, code);
      low = std::min(low, code < 0 ? std::numeric_limits<Code>::max() : code);
      high = std::max(high, code);
    }
    if (high < 0) return {0, -1, true};
    return {low, high, least < 0};
  } else {
    for (const Code code : codes) {
      low = std::min(low, code);
      high = std::max(high, code);
    }
    return {low, high, false};
  }
}

/// Writes number_of(code) for known codes and the last level for missing ones.
template <class Code, class NumberOf>
void write_codes(std::span<const Code> codes, const NumberOf& number_of,
                 DenseColumn& column) {
  const std::uint32_t missing = column.levels - (column.has_missing ? 1U : 0U);
  const auto number = [missing, number_of](Code code) -> std::uint32_t {
    if constexpr (std::is_signed_v<Code>)
      return code < 0 ? missing : number_of(code);
    else
      return number_of(code);
  };
  // The loops write through pointers of their own: bytes may alias anything.
  if (column.is_narrow()) {
    column.narrow.resize(codes.size());
    std::uint8_t* out = column.narrow.data();
    for (std::size_t i = 0; i < codes.size(); ++i)
      out[i] = static_cast<std::uint8_t>(number(codes[i]));
  } else {
    column.wide.resize(codes.size());
    std::uint32_t* out = column.wide.data();
    for (std::size_t i = 0; i < codes.size(); ++i) out[i] = number(codes[i]);
  }
}

template <class Code>
void make_dense(std::span<const Code> codes, DenseColumn& column) {
  const CodeRange range = find_range(codes);
  const std::int64_t width = range.high - range.low + 1;
  column.has_missing = range.has_missing;
  const auto set_levels = [&](std::size_t known) {
    column.levels = static_cast<std::uint32_t>(known) + (range.has_missing ? 1U : 0U);
  };
  if (width <= kTakenAsTheyAre) {
    set_levels(static_cast<std::size_t>(width));
    const auto low = static_cast<Code>(range.low);
    // In the type of the codes, so that bytes stay bytes for the vectoriser.
    write_codes(
        codes,
        [low](Code code) {
          return static_cast<std::uint32_t>(static_cast<Code>(code - low));
        },
        column);
    return;
  }
  if (static_cast<std::size_t>(width) <= std::max<std::size_t>(256, 4 * codes.size())) {
    std::vector<std::uint32_t> numbers(static_cast<std::size_t>(width), 0);
    for (const Code code : codes)
      if (static_cast<std::int64_t>(code) >= 0)
        numbers[static_cast<std::size_t>(code - range.low)] = 1;
    std::uint32_t next = 0;
    for (auto& number : numbers)
      if (number != 0) number = next++;
    set_levels(next);
    write_codes(
        codes,
        [table = numbers.data(), low = range.low](Code code) {
          return table[static_cast<std::size_t>(code - low)];
        },
        column);
    return;
  }
  std::vector<Code> values(codes.begin(), codes.end());
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  const auto known = std::find_if(values.begin(), values.end(), [](Code code) {
    return static_cast<std::int64_t>(code) >= 0;
  });
  set_levels(static_cast<std::size_t>(values.end() - known));
  write_codes(
      codes,
      [&](Code code) {
        return static_cast<std::uint32_t>(std::lower_bound(known, values.end(), code) -
                                          known);
      },
      column);
}

/// Copies some columns, one after another, with their rows in the given order. Bytes
/// may alias anything, so all that the loops read is held in variables of their own.
template <class Code>
void gather(const MatrixView<Code>& codes, std::size_t first, std::size_t n_columns,
            std::span<const std::uint32_t> order, Code* sorted) {
  const Code* origin = &codes(0, first);
  const std::ptrdiff_t row_stride = codes.row_stride;
  const std::ptrdiff_t column_stride = codes.column_stride;
  const std::uint32_t* rows = order.data();
  const std::size_t n = order.size();
  if (row_stride == 1 && n_columns == 1) {
    for (std::size_t i = 0; i < n; ++i) sorted[i] = origin[rows[i]];
    return;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const Code* row = origin + static_cast<std::ptrdiff_t>(rows[i]) * row_stride;
    Code* out = sorted + i;
    for (std::size_t k = 0; k < n_columns; ++k, row += column_stride, out += n)
      *out = *row;
  }
}

template <class Code>
void visit_columns(const MatrixView<Code>& codes, const ClassRows& rows,
                   const std::function<void(std::size_t, DenseColumn&)>& visit,
                   Instructions instructions) {
  const std::size_t n = codes.n_rows;
  if (rows.order.size() != n)
    throw std::invalid_argument("one class per row is needed");
  const std::size_t tile = codes.row_stride == 1 ? 1 : kTile;
  const bool in_order = rows.n_classes() == 1;  // sorting is stable
  std::vector<Code> sorted(n * std::min(tile, codes.n_columns));
  std::optional<ByteSort> bytes;
  if (std::is_same_v<Code, std::uint8_t> && tile == 1 && !in_order &&
      require(instructions) == Instructions::kAvx512 &&
      rows.n_classes() <= ByteSort::kMostClasses)
    bytes.emplace(n, rows.order, rows.begin);
  DenseColumn column;
  for (std::size_t first = 0; first < codes.n_columns; first += tile) {
    const std::size_t size = std::min(tile, codes.n_columns - first);
    if (n > 0 && in_order && tile == 1) {
      make_dense(std::span<const Code>(&codes(0, first), n), column);
      visit(first, column);
      continue;
    }
    if (bytes && n > 0)
      bytes->sort(reinterpret_cast<const std::uint8_t*>(&codes(0, first)),
                  reinterpret_cast<std::uint8_t*>(sorted.data()));
    else if (n > 0)
      gather(codes, first, size, rows.order, sorted.data());
    for (std::size_t k = 0; k < size; ++k) {
      make_dense(std::span<const Code>(sorted).subspan(k * n, n), column);
      visit(first + k, column);
    }
  }
}

}  // namespace

ClassRows sort_by_class(std::span<const std::int32_t> classes, std::int32_t n_classes,
                        bool leave_out) {
  if (n_classes < 0) throw std::invalid_argument("n_classes must not be negative");
  if (classes.size() > std::numeric_limits<std::int32_t>::max())
    throw std::invalid_argument("there may be at most 2^31 - 1 rows");
  ClassRows rows;
  rows.begin.assign(static_cast<std::size_t>(n_classes) + 1, 0);
  for (const std::int32_t c : classes) {
    if (c < 0 && leave_out) continue;
    if (c < 0 || c >= n_classes)
      throw std::invalid_argument("class codes must lie in [0, n_classes)");
    ++rows.begin[static_cast<std::size_t>(c) + 1];
  }
  for (std::size_t c = 1; c < rows.begin.size(); ++c)
    rows.begin[c] += rows.begin[c - 1];
  rows.order.resize(rows.begin.back());
  std::vector<std::size_t> next(rows.begin);
  for (std::size_t row = 0; row < classes.size(); ++row)
    if (classes[row] >= 0)
      rows.order[next[static_cast<std::size_t>(classes[row])]++] =
          static_cast<std::uint32_t>(row);
  return rows;
}

ClassRows one_class(std::size_t n_rows) {
  return sort_by_class(std::vector<std::int32_t>(n_rows, 0), 1);
}

void visit_dense_columns(const CodeMatrix& codes, const ClassRows& rows,
                         const std::function<void(std::size_t, DenseColumn&)>& visit,
                         Instructions instructions) {
  std::visit([&](const auto& view) { visit_columns(view, rows, visit, instructions); },
             codes);
}

}  // namespace featsieve
