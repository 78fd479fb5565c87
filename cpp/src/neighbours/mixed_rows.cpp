#include "neighbours/mixed_rows.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <stdexcept>

#include "common/simd.hpp"

// Every loop is written once and compiled twice, for any machine and for wide
// registers; without contraction to fused operations both give the same bits.

namespace featsieve {
namespace {

/// A finer grid would tell rows apart by rounding errors of the scaling.
constexpr int kFinestGridBits = 40;

/// Partial sums that are kept apart, for wide registers.
constexpr std::size_t kPartialSums = 8;

FEATSIEVE_INLINE double numeric_difference(double a, double b) {
  return std::abs(a - b);
}

FEATSIEVE_INLINE double nominal_difference(double a, double b) {
  return a == b ? 0.0 : 1.0;
}

/// The difference where either value may be missing.
FEATSIEVE_INLINE double with_gaps(double a, double b, double expected_a,
                                  double expected_b, double known) {
  const double either = a == a ? known : expected_b;
  return b == b ? either : expected_a;
}

/// Calls sink(column, difference) for all columns with gaps.
template <class Sink>
FEATSIEVE_INLINE void each_gap(const MixedRows& rows, std::size_t a, std::size_t b,
                               const Sink& sink) {
  const ColumnGroups& groups = rows.groups;
  if (groups.with_gaps() == 0) return;
  const double* x = rows.row(a) + groups.complete();
  const double* y = rows.row(b) + groups.complete();
  const double* ex = rows.expected_of(a);
  const double* ey = rows.expected_of(b);
  const std::size_t offset = groups.complete();
  for (std::size_t j = 0; j < groups.numeric_gaps; ++j)
    sink(offset + j,
         with_gaps(x[j], y[j], ex[j], ey[j], numeric_difference(x[j], y[j])));
  for (std::size_t j = groups.numeric_gaps; j < groups.with_gaps(); ++j)
    sink(offset + j,
         with_gaps(x[j], y[j], ex[j], ey[j], nominal_difference(x[j], y[j])));
}

FEATSIEVE_INLINE double grid_sum(const MixedRows& rows, std::size_t a, std::size_t b,
                                 double magic) {
  const double* x = rows.row(a);
  const double* y = rows.row(b);
  const ColumnGroups& groups = rows.groups;
  std::array<double, kPartialSums> parts{};
  const std::size_t whole = groups.numeric / kPartialSums * kPartialSums;
  for (std::size_t j = 0; j < whole; j += kPartialSums)
    for (std::size_t lane = 0; lane < kPartialSums; ++lane)
      parts[lane] += (numeric_difference(x[j + lane], y[j + lane]) + magic) - magic;
  double sum = 0;
  for (const double part : parts) sum += part;
  for (std::size_t j = whole; j < groups.numeric; ++j)
    sum += (numeric_difference(x[j], y[j]) + magic) - magic;
  for (std::size_t j = groups.numeric; j < groups.complete(); ++j)
    sum += nominal_difference(x[j], y[j]);
  each_gap(rows, a, b, [&](std::size_t, double difference) {
    sum += (difference + magic) - magic;
  });
  return sum;
}

FEATSIEVE_INLINE void add_weighted(const MixedRows& rows, std::size_t a, std::size_t b,
                                   double weight, double* sums) {
  const double* x = rows.row(a);
  const double* y = rows.row(b);
  const ColumnGroups& groups = rows.groups;
  for (std::size_t j = 0; j < groups.numeric; ++j)
    sums[j] += weight * numeric_difference(x[j], y[j]);
  for (std::size_t j = groups.numeric; j < groups.complete(); ++j)
    sums[j] += weight * nominal_difference(x[j], y[j]);
  each_gap(rows, a, b,
           [&](std::size_t j, double difference) { sums[j] += weight * difference; });
}

FEATSIEVE_INLINE void all_grid_sums(const MixedRows& rows, std::size_t a, double magic,
                                    double* out) {
  for (std::size_t b = 0; b < rows.n_rows; ++b) out[b] = grid_sum(rows, a, b, magic);
}

double sum_portably(const MixedRows& rows, std::size_t a, std::size_t b, double magic) {
  return grid_sum(rows, a, b, magic);
}
FEATSIEVE_AVX2 double sum_widely(const MixedRows& rows, std::size_t a, std::size_t b,
                                 double magic) {
  return grid_sum(rows, a, b, magic);
}
void sums_portably(const MixedRows& rows, std::size_t a, double magic, double* out) {
  all_grid_sums(rows, a, magic, out);
}
FEATSIEVE_AVX2 void sums_widely(const MixedRows& rows, std::size_t a, double magic,
                                double* out) {
  all_grid_sums(rows, a, magic, out);
}
void add_portably(const MixedRows& rows, std::size_t a, std::size_t b, double weight,
                  double* sums) {
  add_weighted(rows, a, b, weight, sums);
}
FEATSIEVE_AVX2 void add_widely(const MixedRows& rows, std::size_t a, std::size_t b,
                               double weight, double* sums) {
  add_weighted(rows, a, b, weight, sums);
}

}  // namespace

double column_difference(const MixedRows& rows, std::size_t a, std::size_t b,
                         std::size_t position) {
  const ColumnGroups& groups = rows.groups;
  const double x = rows.row(a)[position];
  const double y = rows.row(b)[position];
  if (position < groups.numeric) return numeric_difference(x, y);
  if (position < groups.complete()) return nominal_difference(x, y);
  const std::size_t gap = position - groups.complete();
  const double known =
      gap < groups.numeric_gaps ? numeric_difference(x, y) : nominal_difference(x, y);
  return with_gaps(x, y, rows.expected_of(a)[gap], rows.expected_of(b)[gap], known);
}

RowDistances::RowDistances(const MixedRows& rows, Instructions instructions)
    : rows_(rows), wide_(require(instructions) != Instructions::kPortable) {
  if (rows.values.size() != rows.n_rows * rows.groups.total() ||
      rows.expected.size() != rows.n_rows * rows.groups.with_gaps())
    throw std::invalid_argument("values and expected must have a place per column");
  // Sums of so many numbers of so many bits fit the 53 bits of a double.
  const int spare = 52 - static_cast<int>(std::bit_width(rows.groups.total()));
  magic_ = std::ldexp(1.5, 52 - std::min(kFinestGridBits, spare));
}

double RowDistances::between(std::size_t a, std::size_t b) const {
  return (wide_ ? sum_widely : sum_portably)(rows_, a, b, magic_);
}

void RowDistances::from(std::size_t a, std::span<double> out) const {
  (wide_ ? sums_widely : sums_portably)(rows_, a, magic_, out.data());
}

void RowDistances::add_differences(std::size_t a, std::size_t b, double weight,
                                   std::span<double> sums) const {
  (wide_ ? add_widely : add_portably)(rows_, a, b, weight, sums.data());
}

}  // namespace featsieve
