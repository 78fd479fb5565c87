#include "pairs/triple_tables.hpp"

#include <algorithm>

#include "pairs/pair_tables.hpp"
#include "pairs/popcount.hpp"

namespace featsieve {

std::int64_t sum_triple(const TripleTables& tables, const ExactLogTable& log,
                        std::vector<std::uint32_t>& rest) {
  const std::size_t first_levels = tables.levels[0];
  const std::size_t second_levels = tables.levels[1];
  const std::size_t third_levels = tables.levels[2];
  const std::size_t n_classes = tables.n_classes;
  const std::size_t n_lines = n_classes + 1;  // of tables of pairs, for each level
  // One table of second and third feature for every level of the first. For level 0,
  // its cells are what the counts of the other levels leave.
  const std::size_t stride = (second_levels - 1) * kLanes;
  rest.resize(n_classes * stride + kLanes);
  for (std::size_t c = 0; c < n_classes; ++c)
    for (std::size_t b = 1; b < second_levels; ++b) {
      const std::uint32_t* all = tables.second_third + (b * n_lines + c) * third_levels;
      const std::uint32_t* parts =
          tables.counts + c * tables.class_stride + (b - 1) * kLanes;
      std::uint32_t* left = rest.data() + c * stride + (b - 1) * kLanes;
      for (std::size_t e = 1; e < third_levels; ++e) {
        left[e - 1] = all[e];
        for (std::size_t a = 1; a < first_levels; ++a)
          left[e - 1] -= parts[(a - 1) * stride + e - 1];
      }
    }
  const CellSums sum = choose_cell_sums(second_levels, third_levels);
  std::int64_t total = 0;
  const auto add = [&](const std::uint32_t* counts, std::size_t class_stride,
                       std::size_t a) {
    const SecondFeature third{0, tables.first_third + a * n_lines * third_levels};
    std::int64_t part = 0;
    sum(counts, class_stride, tables.first_second + a * n_lines * second_levels,
        {&third, 1}, second_levels, third_levels, n_classes, log, &part);
    total += part;
  };
  add(rest.data(), stride, 0);
  for (std::size_t a = 1; a < first_levels; ++a)
    add(tables.counts + (a - 1) * stride, tables.class_stride, a);
  return total;
}

void fill_cube(const TripleTables& tables, std::vector<std::uint32_t>& cube) {
  const std::size_t first_levels = tables.levels[0];
  const std::size_t second_levels = tables.levels[1];
  const std::size_t third_levels = tables.levels[2];
  const std::size_t n_classes = tables.n_classes;
  const std::size_t n_lines = n_classes + 1;
  cube.resize(n_classes * first_levels * second_levels * third_levels);
  for (std::size_t c = 0; c < n_classes; ++c) {
    const auto table_of = [&](std::size_t a) {
      return &cube[(c * first_levels + a) * second_levels * third_levels];
    };
    std::uint32_t* rest = table_of(0);
    for (std::size_t b = 0; b < second_levels; ++b)
      std::copy_n(tables.second_third + (b * n_lines + c) * third_levels, third_levels,
                  rest + b * third_levels);
    for (std::size_t a = 1; a < first_levels; ++a) {
      std::uint32_t* cells = table_of(a);
      std::copy_n(tables.first_third + (a * n_lines + c) * third_levels, third_levels,
                  cells);
      for (std::size_t b = 1; b < second_levels; ++b) {
        std::uint32_t* row = cells + b * third_levels;
        const std::uint32_t* counts = tables.counts + c * tables.class_stride +
                                      ((a - 1) * (second_levels - 1) + b - 1) * kLanes;
        row[0] = tables.first_second[(a * n_lines + c) * second_levels + b];
        for (std::size_t e = 1; e < third_levels; ++e) {
          row[e] = counts[e - 1];
          row[0] -= row[e];
        }
        for (std::size_t e = 0; e < third_levels; ++e) cells[e] -= row[e];
      }
      for (std::size_t k = 0; k < second_levels * third_levels; ++k)
        rest[k] -= cells[k];
    }
  }
}

CubeSums sum_cube(const std::vector<std::uint32_t>& cube,
                  const std::array<std::size_t, 3>& levels, std::size_t n_classes,
                  const std::array<std::uint32_t, 3>& skipped,
                  const ExactLogTable& log) {
  CubeSums sums{};
  std::array<std::int64_t, 8> raw{};
  std::vector<std::uint32_t> in_class;
  std::vector<std::uint32_t> totals;
  for (std::size_t set = 0; set < 8; ++set) {
    std::array<std::size_t, 3> strides{};
    std::size_t size = 1;
    for (std::size_t f = 3; f-- > 0;)
      if ((set >> f & 1U) != 0) {
        strides[f] = size;
        size *= levels[f];
      }
    totals.assign(size, 0);
    const std::uint32_t* cell = cube.data();
    for (std::size_t c = 0; c < n_classes; ++c) {
      in_class.assign(size, 0);
      for (std::size_t a = 0; a < levels[0]; ++a)
        for (std::size_t b = 0; b < levels[1]; ++b)
          for (std::size_t e = 0; e < levels[2]; ++e, ++cell)
            if (a != skipped[0] && b != skipped[1] && e != skipped[2])
              in_class[a * strides[0] + b * strides[1] + e * strides[2]] += *cell;
      for (std::size_t k = 0; k < size; ++k) {
        raw[set] += log(in_class[k]);
        totals[k] += in_class[k];
      }
    }
    for (const std::uint32_t total : totals) raw[set] -= log(total);
    if (set == 0) sums.n = totals[0];
  }
  // The empty set is the class alone.
  for (std::size_t set = 0; set < 8; ++set)
    sums.gains[set] = std::max<std::int64_t>(0, raw[set] - raw[0]);
  return sums;
}

}  // namespace featsieve
