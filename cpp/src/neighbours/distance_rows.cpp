#include "neighbours/distance_rows.hpp"

#include <bit>

#include "common/simd.hpp"

// All instruction sets give the same bits, because this file is compiled without
// contraction to fused operations (see CMakeLists.txt).

namespace featsieve {
namespace {

template <Difference kKind>
FEATSIEVE_INLINE double contribution(double a, double b) {
  if constexpr (kKind == Difference::kNominal) {
    return a == b ? 0.0 : 1.0;
  } else {
    const double difference = a - b;
    const double square = difference * difference;
    if constexpr (kKind == Difference::kNumeric) return square;
    return square == square ? square : 1.0;
  }
}

template <Difference kKind>
FEATSIEVE_INLINE void add_all(const double* sums, const double* column, double value,
                              std::size_t n, double* out) {
  for (std::size_t i = 0; i < n; ++i)
    out[i] = sums[i] + contribution<kKind>(column[i], value);
}

/// Distances from `begin` on, one by one.
template <Difference kKind>
void bound_rest(const double* sums, const double* column, double value,
                std::size_t begin, std::size_t n, double* out,
                std::array<double, kMinima>& minima) {
  for (std::size_t i = begin; i < n; ++i) {
    out[i] = sums[i] + contribution<kKind>(column[i], value);
    double& least = minima[i % kMinima];
    least = out[i] < least ? out[i] : least;
  }
}

FEATSIEVE_INLINE void add_of_kind(Difference kind, const double* sums,
                                  const double* column, double value, std::size_t n,
                                  double* out) {
  switch (kind) {
    case Difference::kNumeric:
      return add_all<Difference::kNumeric>(sums, column, value, n, out);
    case Difference::kNumericGaps:
      return add_all<Difference::kNumericGaps>(sums, column, value, n, out);
    case Difference::kNominal:
      return add_all<Difference::kNominal>(sums, column, value, n, out);
  }
}

void collect_rest(const double* distances, std::size_t begin, std::size_t n,
                  double bound, std::vector<std::int32_t>& found) {
  for (std::size_t i = begin; i < n; ++i)
    if (distances[i] <= bound) found.push_back(static_cast<std::int32_t>(i));
}

void add_portably(Difference kind, const double* sums, const double* column,
                  double value, std::size_t n, double* out) {
  add_of_kind(kind, sums, column, value, n, out);
}
template <Difference kKind>
void bound_portably(const double* sums, const double* column, double value,
                    std::size_t n, double* out, std::array<double, kMinima>& minima) {
  bound_rest<kKind>(sums, column, value, 0, n, out, minima);
}
void collect_portably(const double* distances, std::size_t n, double bound,
                      std::vector<std::int32_t>& found) {
  collect_rest(distances, 0, n, bound, found);
}

constexpr DistanceLoops kPortable{
    add_portably,
    {bound_portably<Difference::kNumeric>, bound_portably<Difference::kNumericGaps>,
     bound_portably<Difference::kNominal>},
    collect_portably};

#ifdef FEATSIEVE_X86

FEATSIEVE_AVX2 void add_avx2(Difference kind, const double* sums, const double* column,
                             double value, std::size_t n, double* out) {
  add_of_kind(kind, sums, column, value, n, out);
}
FEATSIEVE_AVX512 void add_avx512(Difference kind, const double* sums,
                                 const double* column, double value, std::size_t n,
                                 double* out) {
  add_of_kind(kind, sums, column, value, n, out);
}

template <Difference kKind>
FEATSIEVE_AVX2 inline __m256d contribution_avx2(__m256d column, __m256d value) {
  const __m256d one = _mm256_set1_pd(1.0);
  if constexpr (kKind == Difference::kNominal)
    return _mm256_and_pd(_mm256_cmp_pd(column, value, _CMP_NEQ_UQ), one);
  const __m256d difference = _mm256_sub_pd(column, value);
  const __m256d square = _mm256_mul_pd(difference, difference);
  if constexpr (kKind == Difference::kNumeric) return square;
  return _mm256_blendv_pd(square, one, _mm256_cmp_pd(square, square, _CMP_UNORD_Q));
}

// The minima stay in registers, which the compiler does not manage by itself.
template <Difference kKind>
FEATSIEVE_AVX2 void bound_avx2(const double* sums, const double* column, double value,
                               std::size_t n, double* out,
                               std::array<double, kMinima>& minima) {
  constexpr std::size_t kParts = kMinima / 4;
  const __m256d query = _mm256_set1_pd(value);
  __m256d least[kParts];
  for (std::size_t k = 0; k < kParts; ++k)
    least[k] = _mm256_loadu_pd(minima.data() + 4 * k);
  std::size_t i = 0;
  for (; i + kMinima <= n; i += kMinima) {
#pragma GCC unroll 8
    for (std::size_t k = 0; k < kParts; ++k) {
      const std::size_t at = i + 4 * k;
      const __m256d distance =
          _mm256_add_pd(_mm256_loadu_pd(sums + at),
                        contribution_avx2<kKind>(_mm256_loadu_pd(column + at), query));
      _mm256_storeu_pd(out + at, distance);
      least[k] = _mm256_min_pd(distance, least[k]);
    }
  }
  for (std::size_t k = 0; k < kParts; ++k)
    _mm256_storeu_pd(minima.data() + 4 * k, least[k]);
  bound_rest<kKind>(sums, column, value, i, n, out, minima);
}
FEATSIEVE_AVX2 void collect_avx2(const double* distances, std::size_t n, double bound,
                                 std::vector<std::int32_t>& found) {
  const __m256d most = _mm256_set1_pd(bound);
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const int low = _mm256_movemask_pd(
        _mm256_cmp_pd(_mm256_loadu_pd(distances + i), most, _CMP_LE_OQ));
    const int high = _mm256_movemask_pd(
        _mm256_cmp_pd(_mm256_loadu_pd(distances + i + 4), most, _CMP_LE_OQ));
    for (auto bits = static_cast<unsigned>(low | (high << 4)); bits != 0;
         bits &= bits - 1)
      found.push_back(static_cast<std::int32_t>(i) + std::countr_zero(bits));
  }
  collect_rest(distances, i, n, bound, found);
}

constexpr DistanceLoops kAvx2{
    add_avx2,
    {bound_avx2<Difference::kNumeric>, bound_avx2<Difference::kNumericGaps>,
     bound_avx2<Difference::kNominal>},
    collect_avx2};
// Wider registers gain nothing where the distances are compared too.
constexpr DistanceLoops kAvx512{add_avx512, kAvx2.add_and_bound, kAvx2.collect};

#endif

}  // namespace

const DistanceLoops& distance_loops(Instructions instructions) {
#ifdef FEATSIEVE_X86
  if (require(instructions) == Instructions::kAvx512) return kAvx512;
  if (instructions == Instructions::kAvx2) return kAvx2;
#endif
  static_cast<void>(instructions);
  return kPortable;
}

}  // namespace featsieve
