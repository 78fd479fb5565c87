#include "counting/class_order.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "common/simd.hpp"

namespace featsieve {
namespace {

constexpr std::size_t kBlock = 64;  // rows of a mask
/// With more classes, picking the rows of each in turn takes longer than sorting.
constexpr std::size_t kMostPicked = 8;

#ifdef FEATSIEVE_X86

/// Sixteen codes as bytes, at most `last`; odd gets the bits of those without a place.
FEATSIEVE_AVX512 inline __m128i narrow(__mmask16 some, const std::int32_t* codes,
                                       __m512i last, __mmask16& odd) {
  const __m512i code = _mm512_maskz_loadu_epi32(some, codes);
  odd = static_cast<__mmask16>(odd | _mm512_mask_cmpge_epi32_mask(some, code, last));
  return _mm512_cvtepi32_epi8(_mm512_min_epu32(code, last));
}

/// Translates 64 codes at a time and picks the rows of every class. False if a code has
/// no place. places: at most 64.
FEATSIEVE_AVX512 bool write_picked(std::span<const std::int32_t> codes,
                                   std::span<const std::uint8_t> places,
                                   const ClassRows& rows, const std::uint64_t* masks,
                                   std::uint8_t* sorted) {
  const std::size_t n_classes = rows.n_classes();
  const __m512i table = _mm512_maskz_loadu_epi8(
      places.size() == kBlock ? ~0ULL : (1ULL << places.size()) - 1, places.data());
  const __m512i last = _mm512_set1_epi32(static_cast<int>(places.size() - 1));
  std::uint8_t* next[kMostPicked];
  for (std::size_t c = 0; c < n_classes; ++c) next[c] = sorted + rows.begin[c];
  __mmask16 odd = 0;
  for (std::size_t begin = 0; begin < codes.size(); begin += kBlock) {
    const std::size_t size = std::min(kBlock, codes.size() - begin);
    const std::uint64_t some = size == kBlock ? ~0ULL : (1ULL << size) - 1;
    const std::int32_t* code = codes.data() + begin;
    // A masked load does not touch what lies past the end.
    __m512i bytes =
        _mm512_castsi128_si512(narrow(static_cast<__mmask16>(some), code, last, odd));
    bytes = _mm512_inserti32x4(
        bytes, narrow(static_cast<__mmask16>(some >> 16U), code + 16, last, odd), 1);
    bytes = _mm512_inserti32x4(
        bytes, narrow(static_cast<__mmask16>(some >> 32U), code + 32, last, odd), 2);
    bytes = _mm512_inserti32x4(
        bytes, narrow(static_cast<__mmask16>(some >> 48U), code + 48, last, odd), 3);
    bytes = _mm512_permutexvar_epi8(bytes, table);
    for (std::size_t c = 0; c < n_classes; ++c) {
      const std::uint64_t own = *masks++;
      const int n = std::popcount(own);
      // Masked, since the rows of the next class may lie right behind already.
      const std::uint64_t room =
          n == static_cast<int>(kBlock) ? ~0ULL : (1ULL << n) - 1;
      _mm512_mask_storeu_epi8(next[c], room, _mm512_maskz_compress_epi8(own, bytes));
      next[c] += n;
    }
  }
  return odd == 0;
}

#endif

std::vector<std::uint64_t> class_masks(std::span<const std::int32_t> classes,
                                       std::size_t n_classes) {
  std::vector<std::uint64_t> masks((classes.size() + kBlock - 1) / kBlock * n_classes);
  for (std::size_t row = 0; row < classes.size(); ++row)
    if (classes[row] >= 0)
      masks[row / kBlock * n_classes + static_cast<std::size_t>(classes[row])] |=
          1ULL << (row % kBlock);
  return masks;
}

/// Row numbers sorted by class.
std::vector<std::uint32_t> class_order(const std::vector<std::uint64_t>& masks,
                                       const ClassRows& rows) {
  std::vector<std::uint32_t> order(rows.begin.back());
  std::vector<std::size_t> next(rows.begin.begin(), rows.begin.end() - 1);
  const std::size_t n_classes = rows.n_classes();
  for (std::size_t i = 0; i < masks.size(); ++i)
    for (std::uint64_t own = masks[i]; own != 0; own &= own - 1)
      order[next[i % n_classes]++] = static_cast<std::uint32_t>(
          i / n_classes * kBlock + static_cast<std::size_t>(std::countr_zero(own)));
  return order;
}

}  // namespace

ClassOrder::ClassOrder(std::span<const std::int32_t> classes, std::size_t n_classes,
                       Instructions instructions)
    : n_rows_(classes.size()),
      picks_(require(instructions) == Instructions::kAvx512 &&
             n_classes <= kMostPicked) {
  rows_.begin.assign(n_classes + 1, 0);
  for (const std::int32_t c : classes) {
    if (c < 0) continue;
    if (static_cast<std::size_t>(c) >= n_classes)
      throw std::invalid_argument("class codes must be declared");
    ++rows_.begin[static_cast<std::size_t>(c) + 1];
  }
  for (std::size_t c = 0; c < n_classes; ++c) rows_.begin[c + 1] += rows_.begin[c];
  masks_ = class_masks(classes, n_classes);
}

std::uint8_t ClassOrder::write(std::span<const std::int32_t> codes,
                               std::span<const std::uint8_t> places,
                               std::span<std::uint8_t> sorted) {
  if (codes.size() != n_rows_ || sorted.size() != size())
    throw std::invalid_argument("one code per row is needed");
  if (places.empty()) throw std::invalid_argument("a place for missing is needed");
  bool known = true;
#ifdef FEATSIEVE_X86
  if (picks_ && places.size() <= kBlock) {
    known = write_picked(codes, places, rows_, masks_.data(), sorted.data());
  } else
#endif
  {
    if (rows_.order.size() != size()) rows_.order = class_order(masks_, rows_);
    const std::size_t last = places.size() - 1;
    for (const std::int32_t code : codes)
      known &= code < 0 || static_cast<std::size_t>(code) < last;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      const auto code = static_cast<std::uint32_t>(codes[rows_.order[i]]);
      sorted[i] = places[std::min<std::size_t>(code, last)];
    }
  }
  if (!known) throw std::out_of_range("a code has no place");
  // Apart from the above, so that it is done many at a time.
  std::uint8_t largest = 0;
  for (const std::uint8_t place : sorted) largest = std::max(largest, place);
  return largest;
}

}  // namespace featsieve
