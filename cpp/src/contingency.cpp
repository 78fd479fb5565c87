#include "featsieve/contingency.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <immintrin.h>
#define FEATSIEVE_AVX2 __attribute__((target("avx2")))
#endif

namespace featsieve {
namespace {

/// Rows per step: one step of byte counters cannot overflow (255 vectors of 32), and
/// a step of codes and class masks stays in the first-level cache.
constexpr std::size_t kStep = 255 * 32;

/// Columns per tile when rows are not contiguous: one cache line of bytes.
constexpr std::size_t kTile = 64;

/// Above this many levels × classes one pass per level costs more than a histogram.
/// Measured crossover on AVX2: 120 cells.
constexpr std::size_t kMostCellsByComparing = 120;

/// The classes of a step, in the two forms the counters want.
struct ClassStep {
  std::vector<std::uint8_t> codes;               // class of each row
  std::vector<std::vector<std::uint8_t>> masks;  // 0xFF where the row has class c
  std::vector<std::int64_t> totals;              // rows per class
};

class Classes {
 public:
  Classes(std::span<const std::int32_t> classes, std::int32_t n_classes)
      : n_classes_(static_cast<std::size_t>(n_classes)) {
    for (std::size_t begin = 0; begin < classes.size(); begin += kStep) {
      const std::size_t size = std::min(kStep, classes.size() - begin);
      ClassStep step;
      step.totals.assign(n_classes_, 0);
      step.codes.resize(size);
      step.masks.assign(n_classes_, std::vector<std::uint8_t>(kStep, 0));
      for (std::size_t i = 0; i < size; ++i) {
        const auto c = static_cast<std::size_t>(classes[begin + i]);
        step.codes[i] = static_cast<std::uint8_t>(c);
        step.masks[c][i] = 0xFF;
        ++step.totals[c];
      }
      steps_.push_back(std::move(step));
    }
  }

  std::size_t n_classes() const { return n_classes_; }
  const ClassStep& step(std::size_t index) const { return steps_[index]; }

 private:
  std::size_t n_classes_;
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

/// Counts of two neighbouring levels per class, for a fixed number of classes. codes
/// must be readable up to the next multiple of 32 with no code below `rows` there.
template <std::size_t kClasses>
FEATSIEVE_AVX2 void count_two_levels(const std::uint8_t* codes,
                                     const ClassStep& classes, std::size_t size,
                                     std::uint8_t level, std::int64_t* first,
                                     std::int64_t* second) {
  const __m256i wanted1 = _mm256_set1_epi8(static_cast<char>(level));
  const __m256i wanted2 = _mm256_set1_epi8(static_cast<char>(level + 1));
  __m256i count1[kClasses];
  __m256i count2[kClasses];
  std::array<const std::uint8_t*, kClasses> masks;
  for (std::size_t c = 0; c < kClasses; ++c) {
    count1[c] = _mm256_setzero_si256();
    count2[c] = _mm256_setzero_si256();
    masks[c] = classes.masks[c].data();
  }
  for (std::size_t i = 0; i < size; i += 32) {
    const __m256i block =
        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(codes + i));
    const __m256i hit1 = _mm256_cmpeq_epi8(block, wanted1);
    const __m256i hit2 = _mm256_cmpeq_epi8(block, wanted2);
    // The last class is counted as "all", and made exact after the loop.
    for (std::size_t c = 0; c + 1 < kClasses; ++c) {
      const __m256i mask =
          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(masks[c] + i));
      count1[c] = _mm256_sub_epi8(count1[c], _mm256_and_si256(hit1, mask));
      count2[c] = _mm256_sub_epi8(count2[c], _mm256_and_si256(hit2, mask));
    }
    count1[kClasses - 1] = _mm256_sub_epi8(count1[kClasses - 1], hit1);
    count2[kClasses - 1] = _mm256_sub_epi8(count2[kClasses - 1], hit2);
  }
  std::int64_t others1 = 0;
  std::int64_t others2 = 0;
  for (std::size_t c = 0; c < kClasses; ++c) {
    const std::int64_t sum1 = sum_bytes(count1[c]);
    const std::int64_t sum2 = sum_bytes(count2[c]);
    first[c] += c + 1 < kClasses ? sum1 : sum1 - others1;
    second[c] += c + 1 < kClasses ? sum2 : sum2 - others2;
    others1 += sum1;
    others2 += sum2;
  }
}

using TwoLevelCounter = void (*)(const std::uint8_t*, const ClassStep&, std::size_t,
                                 std::uint8_t, std::int64_t*, std::int64_t*);

/// More classes than this do not fit the sixteen vector registers.
constexpr std::size_t kMostClassesByComparing = 6;

TwoLevelCounter two_level_counter(std::size_t n_classes) {
  switch (n_classes) {
    case 1:
      return count_two_levels<1>;
    case 2:
      return count_two_levels<2>;
    case 3:
      return count_two_levels<3>;
    case 4:
      return count_two_levels<4>;
    case 5:
      return count_two_levels<5>;
    default:
      return count_two_levels<6>;
  }
}

/// Adds a step to a table by comparing with one pair of levels after another. Row 0 is
/// never compared: its counts are what the class totals leave.
void count_by_comparing(const std::uint8_t* codes, const ClassStep& classes,
                        std::size_t size, std::size_t rows, std::size_t n_classes,
                        std::int64_t* table) {
  const TwoLevelCounter count = two_level_counter(n_classes);
  thread_local std::vector<std::int64_t> step_table;
  step_table.assign((rows + 2) * n_classes, 0);
  for (std::size_t level = 1; level < rows; level += 2)
    count(codes, classes, size, static_cast<std::uint8_t>(level),
          &step_table[level * n_classes], &step_table[(level + 1) * n_classes]);
  for (std::size_t c = 0; c < n_classes; ++c) {
    std::int64_t rest = classes.totals[c];
    for (std::size_t level = 1; level < rows; ++level) {
      const std::int64_t count_here = step_table[level * n_classes + c];
      table[level * n_classes + c] += count_here;
      rest -= count_here;
    }
    table[c] += rest;
  }
}

bool can_compare() { return __builtin_cpu_supports("avx2") != 0; }

#else

constexpr std::size_t kMostClassesByComparing = 0;
bool can_compare() { return false; }
void count_by_comparing(const std::uint8_t*, const ClassStep&, std::size_t, std::size_t,
                        std::size_t, std::int64_t*) {}

#endif

/// A step of one column as bytes; missing becomes the row after the last level.
template <class Code>
void narrow(const Code* codes, std::ptrdiff_t stride, std::size_t size,
            std::int32_t levels, std::uint8_t* bytes) {
  for (std::size_t i = 0; i < size; ++i) {
    const auto code =
        static_cast<std::int32_t>(codes[static_cast<std::ptrdiff_t>(i) * stride]);
    bytes[i] = static_cast<std::uint8_t>(code < 0 ? levels : code);
  }
}

template <class Count>
ClassTables<Count> make_tables(std::span<const std::int32_t> levels,
                               std::int32_t n_classes) {
  ClassTables<Count> tables;
  tables.levels.assign(levels.begin(), levels.end());
  std::size_t cells = 0;
  for (const std::int32_t n : levels) {
    tables.offsets.push_back(cells);
    cells += (static_cast<std::size_t>(n) + 1) * static_cast<std::size_t>(n_classes);
  }
  tables.counts.assign(cells, Count{0});
  return tables;
}

/// Checks everything that indexes memory later on. Levels are counted if not given.
template <class Code>
std::vector<std::int32_t> checked_levels(const MatrixView<Code>& codes,
                                         std::span<const std::int32_t> classes,
                                         std::int32_t n_classes,
                                         std::span<const std::int32_t> declared) {
  if (classes.size() != codes.n_rows)
    throw std::invalid_argument("one class per row is needed");
  for (const std::int32_t c : classes)
    if (c < 0 || c >= n_classes)
      throw std::invalid_argument("class codes must lie in [0, n_classes)");
  auto levels = count_levels(codes);
  if (declared.empty()) return levels;
  if (declared.size() != codes.n_columns)
    throw std::invalid_argument("one number of levels per column is needed");
  for (std::size_t j = 0; j < levels.size(); ++j)
    if (levels[j] > declared[j])
      throw std::out_of_range("a code exceeds the number of levels");
  return {declared.begin(), declared.end()};
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
  const bool by_rows = codes.row_stride != 1;
  std::vector<Code> largest(codes.n_columns, std::numeric_limits<Code>::lowest());
  if (by_rows) {
    for (std::size_t row = 0; row < codes.n_rows; ++row)
      for (std::size_t j = 0; j < codes.n_columns; ++j)
        largest[j] = std::max(largest[j], codes(row, j));
  } else {
    for (std::size_t j = 0; j < codes.n_columns; ++j) {
      const Code* column = &codes(0, j);
      Code most = std::numeric_limits<Code>::lowest();
      for (std::size_t row = 0; row < codes.n_rows; ++row)
        most = std::max(most, column[row]);
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
  const auto levels = checked_levels(codes, classes, n_classes, declared);
  auto tables = make_tables<std::int64_t>(levels, n_classes);
  const auto n = static_cast<std::size_t>(n_classes);
  const auto one = [](std::size_t) { return std::int64_t{1}; };

  std::vector<std::size_t> narrow_columns;
  for (std::size_t j = 0; j < codes.n_columns; ++j) {
    if (levels[j] < 255 && n_classes <= 256)
      narrow_columns.push_back(j);
    else
      count_plainly(codes, j, classes, n, levels[j], one,
                    &tables.counts[tables.offsets[j]]);
  }
  if (narrow_columns.empty()) return tables;

  const Classes prepared(classes, n_classes);
  const bool compare = can_compare() && n <= kMostClassesByComparing;
  const bool in_place = std::is_same_v<Code, std::uint8_t> && codes.row_stride == 1;
  std::vector<std::uint8_t> tile(kTile * (kStep + 32));

  for (std::size_t first = 0; first < narrow_columns.size(); first += kTile) {
    const std::size_t last = std::min(first + kTile, narrow_columns.size());
    for (std::size_t begin = 0, step = 0; begin < codes.n_rows;
         begin += kStep, ++step) {
      const std::size_t size = std::min(kStep, codes.n_rows - begin);
      const ClassStep& step_classes = prepared.step(step);
      for (std::size_t k = first; k < last; ++k) {
        const std::size_t j = narrow_columns[k];
        const std::size_t rows = static_cast<std::size_t>(levels[j]) + 1;
        const bool by_comparing = compare && rows * n <= kMostCellsByComparing;
        const std::uint8_t* bytes = nullptr;
        // A full step is read where it lies; the last one is copied so that vectors
        // may read past its end.
        if (in_place && (size == kStep || !by_comparing)) {
          bytes = reinterpret_cast<const std::uint8_t*>(&codes(begin, j));
        } else {
          std::uint8_t* scratch = &tile[(k - first) * (kStep + 32)];
          narrow(&codes(begin, j), codes.row_stride, size, levels[j], scratch);
          std::fill_n(scratch + size, 32, std::uint8_t{0});
          bytes = scratch;
        }
        std::int64_t* table = &tables.counts[tables.offsets[j]];
        // The row of missing values of an unsigned column is empty; skip it.
        const std::size_t used = std::is_unsigned_v<Code> ? rows - 1 : rows;
        if (used == 0) continue;
        if (by_comparing)
          count_by_comparing(bytes, step_classes, size, used, n, table);
        else
          count_by_histogram(bytes, step_classes, size, used, n, table);
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
  const auto levels = checked_levels(codes, classes, n_classes, declared);
  if (weights.size() != codes.n_rows)
    throw std::invalid_argument("one weight per row is needed");
  auto tables = make_tables<double>(levels, n_classes);
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
