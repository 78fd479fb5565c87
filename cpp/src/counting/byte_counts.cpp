#include "counting/byte_counts.hpp"

#include <algorithm>
#include <array>

#include "common/simd.hpp"

namespace featsieve {
namespace {

#ifdef FEATSIEVE_X86
/// More classes than this do not fit the sixteen vector registers.
constexpr std::size_t kMostClassesByComparing = 6;
#else
constexpr std::size_t kMostClassesByComparing = 0;
#endif

/// Above this many levels × classes one pass per level costs more than a histogram.
/// Measured crossover on AVX2: 180 cells.
constexpr std::size_t kMostCellsByComparing = 180;

#ifdef FEATSIEVE_X86

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

#endif

}  // namespace

std::vector<ClassStep> class_steps(std::span<const std::int32_t> classes,
                                   std::int32_t n_classes, std::size_t rows_per_step) {
  std::vector<ClassStep> steps;
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
    steps.push_back(std::move(step));
  }
  return steps;
}

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

#ifdef FEATSIEVE_X86

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

bool prefers_comparing(std::size_t rows, std::size_t n_classes) {
  return n_classes <= kMostClassesByComparing &&
         rows * n_classes <= kMostCellsByComparing;
}

#else

bool prefers_comparing(std::size_t, std::size_t) { return false; }
void count_by_comparing(const std::uint8_t*, const ClassStep&, std::size_t, std::size_t,
                        std::size_t, std::int64_t*) {}

#endif

}  // namespace featsieve
