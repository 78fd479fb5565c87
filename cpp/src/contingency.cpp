#include "featsieve/contingency.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "featsieve/byte_transpose.hpp"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <immintrin.h>
#define FEATSIEVE_AVX2 __attribute__((target("avx2")))
#endif

namespace featsieve {
namespace {

#ifdef FEATSIEVE_AVX2
/// More classes than this do not fit the sixteen vector registers.
constexpr std::size_t kMostClassesByComparing = 6;
#else
constexpr std::size_t kMostClassesByComparing = 0;
#endif

/// Rows per step: one step of byte counters cannot overflow (255 vectors of 32), and
/// a step of codes and class weights stays in the first-level cache.
constexpr std::size_t kStep = 255 * 32;

/// When rows are contiguous, tiles of this many rows × columns are transposed first:
/// small enough for the second-level cache, and rows long enough to be read as a
/// stream (columns of one cache line would touch a new page with every row).
constexpr std::size_t kTileRows = 960;
constexpr std::size_t kTileColumns = 512;

/// Bytes past the end of a step that vectors may read.
constexpr std::size_t kOverhang = 32;

/// Blocks of a tile: one cache line of bytes wide.
constexpr std::size_t kBlock = 64;

/// Above this many levels × classes one pass per level costs more than a histogram.
/// Measured crossover on AVX2: 180 cells.
constexpr std::size_t kMostCellsByComparing = 180;

/// The classes of a step, in the two forms the counters want.
struct ClassStep {
  std::vector<std::uint8_t> codes;  // class of each row
  // Two classes share an array: 0x01 where the row has the even one, 0x10 where it has
  // the odd one. The last class needs none: its counts are what the others leave.
  std::vector<std::vector<std::uint8_t>> weights;
  std::vector<std::int64_t> totals;  // rows per class
};

class Classes {
 public:
  Classes(std::span<const std::int32_t> classes, std::int32_t n_classes,
          std::size_t rows_per_step) {
    const auto n = static_cast<std::size_t>(n_classes);
    for (std::size_t begin = 0; begin < classes.size(); begin += rows_per_step) {
      const std::size_t size = std::min(rows_per_step, classes.size() - begin);
      ClassStep step;
      step.totals.assign(n, 0);
      step.codes.resize(size);
      if (n <= kMostClassesByComparing)
        step.weights.assign(n / 2, std::vector<std::uint8_t>(rows_per_step, 0));
      for (std::size_t i = 0; i < size; ++i) {
        const auto c = static_cast<std::size_t>(classes[begin + i]);
        step.codes[i] = static_cast<std::uint8_t>(c);
        if (c / 2 < step.weights.size())
          step.weights[c / 2][i] = c % 2 == 0 ? 0x01 : 0x10;
        ++step.totals[c];
      }
      steps_.push_back(std::move(step));
    }
  }

  const ClassStep& step(std::size_t index) const { return steps_[index]; }

 private:
  std::vector<ClassStep> steps_;
};

/// Adds a step of byte codes to a table by four interleaved histograms, which spares
/// the wait for the previous store when neighbouring rows hit the same cell.
void count_by_histogram(const std::uint8_t* codes, const ClassStep& classes,
                        std::size_t size, std::size_t rows, std::size_t n_classes,
                        std::int64_t* table) {
  const std::size_t cells = rows * n_classes;
  thread_local std::vector<std::uint32_t> lanes;
  lanes.assign(4 * cells, 0);
  std::size_t i = 0;
  for (; i + 4 <= size; i += 4) {
    for (std::size_t lane = 0; lane < 4; ++lane)
      ++lanes[lane * cells + codes[i + lane] * n_classes + classes.codes[i + lane]];
  }
  for (; i < size; ++i) ++lanes[codes[i] * n_classes + classes.codes[i]];
  for (std::size_t cell = 0; cell < cells; ++cell)
    table[cell] += static_cast<std::int64_t>(lanes[cell]) + lanes[cells + cell] +
                   lanes[2 * cells + cell] + lanes[3 * cells + cell];
}

#ifdef FEATSIEVE_AVX2

FEATSIEVE_AVX2 std::int64_t sum_bytes(__m256i bytes) {
  const __m256i sums = _mm256_sad_epu8(bytes, _mm256_setzero_si256());
  return _mm256_extract_epi64(sums, 0) + _mm256_extract_epi64(sums, 1) +
         _mm256_extract_epi64(sums, 2) + _mm256_extract_epi64(sums, 3);
}

/// Counts per class of kLevels neighbouring levels, for a fixed number of classes.
/// counts: kLevels rows of kClasses cells. codes must be readable up to the next
/// multiple of 32, and hold none of the levels there.
template <std::size_t kClasses, std::size_t kLevels>
FEATSIEVE_AVX2 void count_some_levels(const std::uint8_t* codes,
                                      const ClassStep& classes, std::size_t size,
                                      std::size_t level, std::int64_t* counts) {
  constexpr std::size_t kShared = kClasses / 2;  // arrays of weights
  constexpr std::size_t kNibble = 15;            // vectors until a nibble is full
  const __m256i low_nibbles = _mm256_set1_epi8(0x0F);
  __m256i wanted[kLevels];
  __m256i all[kLevels];
  __m256i low[kLevels][kShared + 1];
  __m256i high[kLevels][kShared + 1];
  for (std::size_t v = 0; v < kLevels; ++v) {
    wanted[v] = _mm256_set1_epi8(static_cast<char>(level + v));
    all[v] = _mm256_setzero_si256();
    for (std::size_t p = 0; p < kShared; ++p)
      low[v][p] = high[v][p] = _mm256_setzero_si256();
  }
  std::array<const std::uint8_t*, kShared + 1> weights{};
  for (std::size_t p = 0; p < kShared; ++p) weights[p] = classes.weights[p].data();

  for (std::size_t begin = 0; begin < size; begin += kNibble * 32) {
    const std::size_t end = std::min(size, begin + kNibble * 32);
    __m256i both[kLevels][kShared + 1];
    for (std::size_t v = 0; v < kLevels; ++v)
      for (std::size_t p = 0; p < kShared; ++p) both[v][p] = _mm256_setzero_si256();
    for (std::size_t i = begin; i < end; i += 32) {
      const __m256i block =
          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(codes + i));
      __m256i hit[kLevels];
      for (std::size_t v = 0; v < kLevels; ++v) {
        hit[v] = _mm256_cmpeq_epi8(block, wanted[v]);
        all[v] = _mm256_sub_epi8(all[v], hit[v]);
      }
      for (std::size_t p = 0; p < kShared; ++p) {
        const __m256i weight =
            _mm256_loadu_si256(reinterpret_cast<const __m256i*>(weights[p] + i));
        for (std::size_t v = 0; v < kLevels; ++v)
          both[v][p] = _mm256_add_epi8(both[v][p], _mm256_and_si256(hit[v], weight));
      }
    }
    for (std::size_t v = 0; v < kLevels; ++v)
      for (std::size_t p = 0; p < kShared; ++p) {
        low[v][p] =
            _mm256_add_epi8(low[v][p], _mm256_and_si256(both[v][p], low_nibbles));
        high[v][p] = _mm256_add_epi8(
            high[v][p],
            _mm256_and_si256(_mm256_srli_epi16(both[v][p], 4), low_nibbles));
      }
  }

  for (std::size_t v = 0; v < kLevels; ++v) {
    std::int64_t rest = sum_bytes(all[v]);
    for (std::size_t c = 0; c + 1 < kClasses; ++c) {
      const std::int64_t count = sum_bytes(c % 2 == 0 ? low[v][c / 2] : high[v][c / 2]);
      counts[v * kClasses + c] = count;
      rest -= count;
    }
    counts[v * kClasses + kClasses - 1] = rest;
  }
}

/// Levels per pass: as many as the registers hold for this number of classes.
template <std::size_t kClasses>
constexpr std::size_t kLevelsAtOnce = kClasses <= 3 ? 3 : 2;

template <std::size_t kClasses>
void count_all_levels(const std::uint8_t* codes, const ClassStep& classes,
                      std::size_t size, std::size_t rows, std::int64_t* counts) {
  constexpr std::size_t kMost = kLevelsAtOnce<kClasses>;
  std::size_t level = 1;
  for (; level + kMost <= rows; level += kMost)
    count_some_levels<kClasses, kMost>(codes, classes, size, level,
                                       counts + level * kClasses);
  if (rows - level == 2)
    count_some_levels<kClasses, 2>(codes, classes, size, level,
                                   counts + level * kClasses);
  else if (rows - level == 1)
    count_some_levels<kClasses, 1>(codes, classes, size, level,
                                   counts + level * kClasses);
}

using LevelCounter = void (*)(const std::uint8_t*, const ClassStep&, std::size_t,
                              std::size_t, std::int64_t*);

LevelCounter level_counter(std::size_t n_classes) {
  switch (n_classes) {
    case 1:
      return count_all_levels<1>;
    case 2:
      return count_all_levels<2>;
    case 3:
      return count_all_levels<3>;
    case 4:
      return count_all_levels<4>;
    case 5:
      return count_all_levels<5>;
    default:
      return count_all_levels<6>;
  }
}

/// Adds a step to a table by comparing with one level after another. Row 0 is never
/// compared: its counts are what the class totals leave.
void count_by_comparing(const std::uint8_t* codes, const ClassStep& classes,
                        std::size_t size, std::size_t rows, std::size_t n_classes,
                        std::int64_t* table) {
  std::array<std::int64_t, kMostCellsByComparing> counts;
  level_counter(n_classes)(codes, classes, size, rows, counts.data());
  for (std::size_t c = 0; c < n_classes; ++c) {
    std::int64_t rest = classes.totals[c];
    for (std::size_t level = 1; level < rows; ++level) {
      const std::int64_t count = counts[level * n_classes + c];
      table[level * n_classes + c] += count;
      rest -= count;
    }
    table[c] += rest;
  }
}

bool can_compare() { return __builtin_cpu_supports("avx2") != 0; }

#else

bool can_compare() { return false; }
void count_by_comparing(const std::uint8_t*, const ClassStep&, std::size_t, std::size_t,
                        std::size_t, std::int64_t*) {}

#endif

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

/// Adds empty tables for columns with these levels.
template <class Count>
void append_tables(std::span<const std::int32_t> levels, std::int32_t n_classes,
                   ClassTables<Count>& tables) {
  std::size_t cells = tables.counts.size();
  for (const std::int32_t n : levels) {
    tables.levels.push_back(n);
    tables.offsets.push_back(cells);
    cells += (static_cast<std::size_t>(n) + 1) * static_cast<std::size_t>(n_classes);
  }
  tables.counts.resize(cells, Count{0});
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

/// Levels of the columns [first, last): counted, and checked against declared ones.
template <class Code>
std::vector<std::int32_t> checked_levels(const MatrixView<Code>& codes,
                                         std::size_t first, std::size_t last,
                                         std::span<const std::int32_t> declared) {
  auto levels = count_levels(some_columns(codes, first, last));
  if (declared.empty()) return levels;
  for (std::size_t k = 0; k < levels.size(); ++k) {
    if (levels[k] > declared[first + k])
      throw std::out_of_range("a code exceeds the number of levels");
    levels[k] = declared[first + k];
  }
  return levels;
}

/// The general counter: any number of levels and classes, one row at a time.
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

}  // namespace

template <class Code>
std::vector<std::int32_t> count_levels(const MatrixView<Code>& codes) {
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

template <class Code>
ClassTables<std::int64_t> count_by_class(const MatrixView<Code>& codes,
                                         std::span<const std::int32_t> classes,
                                         std::int32_t n_classes,
                                         std::span<const std::int32_t> declared) {
  check_shapes(codes, classes, n_classes, declared);
  ClassTables<std::int64_t> tables;
  const auto n = static_cast<std::size_t>(n_classes);
  const auto one = [](std::size_t) { return std::int64_t{1}; };
  const bool few_classes = n <= 256;
  const bool compare = can_compare() && n <= kMostClassesByComparing;
  // One column at a time is counted while the search for its levels has it in cache;
  // contiguous rows are transposed tile by tile.
  const bool by_rows = codes.column_stride == 1 && codes.row_stride > 1;
  const bool in_place = std::is_same_v<Code, std::uint8_t> && codes.row_stride == 1;
  const std::size_t tile = by_rows ? kTileColumns : 1;
  const std::size_t rows_per_step = by_rows ? kTileRows : kStep;
  const std::size_t room_per_column = rows_per_step + kOverhang;
  std::vector<std::uint8_t> scratch(std::min(tile, codes.n_columns) * room_per_column);
  const Classes prepared(few_classes ? classes : std::span<const std::int32_t>{},
                         n_classes, rows_per_step);

  for (std::size_t first = 0; first < codes.n_columns; first += tile) {
    const std::size_t last = std::min(first + tile, codes.n_columns);
    const auto levels = checked_levels(codes, first, last, declared);
    append_tables<std::int64_t>(levels, n_classes, tables);
    const auto is_narrow = [&](std::size_t k) {
      return few_classes && levels[k] < 255;
    };
    bool any_narrow = false;
    for (std::size_t k = 0; k < levels.size(); ++k) {
      any_narrow = any_narrow || is_narrow(k);
      if (!is_narrow(k))
        count_plainly(codes, first + k, classes, n, levels[k], one,
                      &tables.counts[tables.offsets[first + k]]);
    }
    for (std::size_t begin = 0, step = 0; any_narrow && begin < codes.n_rows;
         begin += rows_per_step, ++step) {
      const std::size_t size = std::min(rows_per_step, codes.n_rows - begin);
      const ClassStep& step_classes = prepared.step(step);
      if (by_rows) narrow_tile(codes, begin, size, first, levels, scratch.data());
      for (std::size_t k = 0; k < levels.size(); ++k) {
        if (!is_narrow(k)) continue;
        const std::size_t rows = static_cast<std::size_t>(levels[k]) + 1;
        // The row of missing values of an unsigned column is empty; skip it.
        const std::size_t used = std::is_unsigned_v<Code> ? rows - 1 : rows;
        if (used == 0) continue;
        const bool by_comparing = compare && used * n <= kMostCellsByComparing;
        std::uint8_t* room = &scratch[k * room_per_column];
        const std::uint8_t* bytes = room;
        // A full step is read where it lies; the last one is copied so that vectors
        // may read past its end.
        if (in_place && (size == kStep || !by_comparing))
          bytes = reinterpret_cast<const std::uint8_t*>(&codes(begin, first + k));
        else if (!by_rows)
          narrow(&codes(begin, first + k), codes.row_stride, size, levels[k], room);
        std::int64_t* table = &tables.counts[tables.offsets[first + k]];
        if (by_comparing) {
          if (bytes == room) std::fill_n(room + size, kOverhang, std::uint8_t{0});
          count_by_comparing(bytes, step_classes, size, used, n, table);
        } else {
          count_by_histogram(bytes, step_classes, size, used, n, table);
        }
      }
    }
  }
  return tables;
}

template <class Code>
ClassTables<double> weigh_by_class(const MatrixView<Code>& codes,
                                   std::span<const std::int32_t> classes,
                                   std::int32_t n_classes,
                                   std::span<const std::int32_t> declared,
                                   std::span<const double> weights) {
  check_shapes(codes, classes, n_classes, declared);
  if (weights.size() != codes.n_rows)
    throw std::invalid_argument("one weight per row is needed");
  const auto levels = checked_levels(codes, 0, codes.n_columns, declared);
  ClassTables<double> tables;
  append_tables<double>(levels, n_classes, tables);
  for (std::size_t j = 0; j < codes.n_columns; ++j)
    count_plainly(
        codes, j, classes, static_cast<std::size_t>(n_classes), levels[j],
        [&](std::size_t row) { return weights[row]; },
        &tables.counts[tables.offsets[j]]);
  return tables;
}

template std::vector<std::int32_t> count_levels(const MatrixView<std::uint8_t>&);
template std::vector<std::int32_t> count_levels(const MatrixView<std::uint16_t>&);
template std::vector<std::int32_t> count_levels(const MatrixView<std::int32_t>&);
template ClassTables<std::int64_t> count_by_class(const MatrixView<std::uint8_t>&,
                                                  std::span<const std::int32_t>,
                                                  std::int32_t,
                                                  std::span<const std::int32_t>);
template ClassTables<std::int64_t> count_by_class(const MatrixView<std::uint16_t>&,
                                                  std::span<const std::int32_t>,
                                                  std::int32_t,
                                                  std::span<const std::int32_t>);
template ClassTables<std::int64_t> count_by_class(const MatrixView<std::int32_t>&,
                                                  std::span<const std::int32_t>,
                                                  std::int32_t,
                                                  std::span<const std::int32_t>);
template ClassTables<double> weigh_by_class(const MatrixView<std::uint8_t>&,
                                            std::span<const std::int32_t>, std::int32_t,
                                            std::span<const std::int32_t>,
                                            std::span<const double>);
template ClassTables<double> weigh_by_class(const MatrixView<std::uint16_t>&,
                                            std::span<const std::int32_t>, std::int32_t,
                                            std::span<const std::int32_t>,
                                            std::span<const double>);
template ClassTables<double> weigh_by_class(const MatrixView<std::int32_t>&,
                                            std::span<const std::int32_t>, std::int32_t,
                                            std::span<const std::int32_t>,
                                            std::span<const double>);

}  // namespace featsieve
