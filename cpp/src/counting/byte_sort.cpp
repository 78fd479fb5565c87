#include "counting/byte_sort.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <stdexcept>

#include "common/simd.hpp"

namespace featsieve {
namespace {

constexpr std::size_t kBlock = 64;

}  // namespace

ByteSort::ByteSort(std::size_t n_rows, std::span<const std::uint32_t> order,
                   std::span<const std::size_t> begin)
    : n_rows_(n_rows), begin_(begin.begin(), begin.end()) {
  const std::size_t n_classes = begin_.size() - 1;
  if (n_classes > kMostClasses) throw std::invalid_argument("too many classes");
  rows_.assign((n_rows_ + kBlock - 1) / kBlock * n_classes, 0);
  for (std::size_t c = 0; c < n_classes; ++c)
    for (std::size_t i = begin_[c]; i < begin_[c + 1]; ++i)
      rows_[order[i] / kBlock * n_classes + c] |= std::uint64_t{1}
                                                  << (order[i] % kBlock);
}

#ifdef FEATSIEVE_X86

FEATSIEVE_AVX512 void ByteSort::sort(const std::uint8_t* codes,
                                     std::uint8_t* sorted) const {
  const std::size_t n_classes = begin_.size() - 1;
  std::array<std::uint8_t*, kMostClasses> next{};
  std::array<std::uint8_t*, kMostClasses> end{};
  for (std::size_t c = 0; c < n_classes; ++c) {
    next[c] = sorted + begin_[c];
    end[c] = sorted + begin_[c + 1];
  }
  const std::uint64_t* rows = rows_.data();
  alignas(kBlock) std::array<std::uint8_t, kBlock> last{};
  for (std::size_t begin = 0; begin < n_rows_; begin += kBlock, rows += n_classes) {
    const std::uint8_t* from = codes + begin;
    if (n_rows_ - begin < kBlock) {
      std::memcpy(last.data(), from, n_rows_ - begin);
      from = last.data();
    }
    const __m512i block = _mm512_loadu_si512(from);
    for (std::size_t c = 0; c < n_classes; ++c) {
      const __m512i pressed = _mm512_maskz_compress_epi8(rows[c], block);
      const auto n = static_cast<std::size_t>(std::popcount(rows[c]));
      // A whole vector may overwrite what follows within its class, but not the class
      // behind it.
      if (end[c] - next[c] >= static_cast<std::ptrdiff_t>(kBlock)) {
        _mm512_storeu_si512(next[c], pressed);
      } else {
        alignas(kBlock) std::array<std::uint8_t, kBlock> few;
        _mm512_store_si512(few.data(), pressed);
        std::memcpy(next[c], few.data(), n);
      }
      next[c] += n;
    }
  }
}

#else

void ByteSort::sort(const std::uint8_t*, std::uint8_t*) const {}

#endif

}  // namespace featsieve
