#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/exact_log_table.hpp"

namespace featsieve {

/// What is known of a triple of features: cells of three levels above 0 are counted,
/// all others follow from the tables of its pairs.
///
/// Cell (a, b, e) of class c, all above 0, is at counts[c * class_stride +
/// ((a - 1) * (levels[1] - 1) + b - 1) * kLanes + e - 1]. The table of a pair has the
/// cell (a, b) of class c at [(a * (n_classes + 1) + c) * levels of the second + b],
/// and that of all classes at c = n_classes.
struct TripleTables {
  std::array<std::size_t, 3> levels;
  std::size_t n_classes;
  const std::uint32_t* counts;
  std::size_t class_stride;
  const std::uint32_t* first_second;
  const std::uint32_t* first_third;
  const std::uint32_t* second_third;
};

/// Sum of x log2 x over all cells and classes minus the sum over cells, in units of
/// log. rest is scratch memory. Every feature must have a level.
std::int64_t sum_triple(const TripleTables& tables, const ExactLogTable& log,
                        std::vector<std::uint32_t>& rest);

/// All cells: that of class c at [((c * La + a) * Lb + b) * Le + e].
void fill_cube(const TripleTables& tables, std::vector<std::uint32_t>& cube);

/// n × gain of the sets of features over the rows of a cube that are not skipped, in
/// units of log, and n. Bit f of a set stands for feature f.
struct CubeSums {
  std::array<std::int64_t, 8> gains;
  std::size_t n;
};
CubeSums sum_cube(const std::vector<std::uint32_t>& cube,
                  const std::array<std::size_t, 3>& levels, std::size_t n_classes,
                  const std::array<std::uint32_t, 3>& skipped,
                  const ExactLogTable& log);

}  // namespace featsieve
