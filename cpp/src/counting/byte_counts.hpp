#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace featsieve {

/// The classes of a step of rows, in the two forms the counters want.
struct ClassStep {
  std::vector<std::uint8_t> codes;  // class of each row
  // Two classes share an array: 0x01 where the row has the even one, 0x10 where it has
  // the odd one. The last class needs none: its counts are what the others leave.
  std::vector<std::vector<std::uint8_t>> weights;
  std::vector<std::int64_t> totals;  // rows per class
};

/// Cuts classes (below 256) into steps of rows_per_step, at most kComparedRows.
std::vector<ClassStep> class_steps(std::span<const std::int32_t> classes,
                                   std::int32_t n_classes, std::size_t rows_per_step);

/// Rows per step: one step of byte counters cannot overflow (255 vectors of 32), and
/// a step of codes and class weights stays in the first-level cache.
inline constexpr std::size_t kComparedRows = 255 * 32;

/// Bytes past the end of a step that count_by_comparing may read.
inline constexpr std::size_t kOverhang = 32;

/// Adds a step of byte codes to a table of rows × n_classes cells by four interleaved
/// histograms, which spares the wait for the previous store when neighbouring rows hit
/// the same cell.
void count_by_histogram(const std::uint8_t* codes, const ClassStep& classes,
                        std::size_t size, std::size_t rows, std::size_t n_classes,
                        std::int64_t* table);

/// Whether comparing is possible here, and faster than a histogram.
bool prefers_comparing(std::size_t rows, std::size_t n_classes);

/// Adds a step to a table by comparing with one level after another (AVX2). Row 0 is
/// never compared: its counts are what the class totals leave. Codes past the end of
/// the step are read up to the next multiple of 32, and must be 0.
void count_by_comparing(const std::uint8_t* codes, const ClassStep& classes,
                        std::size_t size, std::size_t rows, std::size_t n_classes,
                        std::int64_t* table);

}  // namespace featsieve
