#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace featsieve {
namespace detail {

inline constexpr std::size_t kDegree = 16;

template <class Count>
using SiblingNode = std::array<Count, kDegree>;

/// For every child, 1 for its younger siblings.
template <class Count>
constexpr std::array<SiblingNode<Count>, kDegree> make_after() {
  std::array<SiblingNode<Count>, kDegree> after{};
  for (std::size_t child = 0; child < kDegree; ++child)
    for (std::size_t k = child + 1; k < kDegree; ++k) after[child][k] = 1;
  return after;
}

}  // namespace detail

/// A set of numbers below n that says at once how many of its members lie below a
/// bound. One bit per number; above the words of 64 bits a tree of degree 16, in which
/// every child knows how many members its elder siblings hold. To add a number is one
/// short vector addition a level, to count is one load a level: two levels for 16,384
/// numbers, three for 262,144.
class PrefixCounter {
 public:
  /// Empties the set and makes room for the numbers below n.
  void reset(std::size_t n) {
    std::size_t size = round_up(n / 64 + 1);  // one more, so that n is a bound too
    words_.assign(size, 0);
    low_.assign(size, 0);
    high_.clear();
    begins_.clear();
    for (size /= kDegree; size > 1; size /= kDegree) {
      size = round_up(size);
      begins_.push_back(high_.size());
      high_.resize(high_.size() + size, 0);
    }
    depth_ = begins_.size();
  }

  void add(std::size_t number) {
    std::size_t word = number / 64;
    words_[word] |= std::uint64_t{1} << (number % 64);
    add_after(low_.data() + word / kDegree * kDegree, kAfter16[word % kDegree]);
    for (std::size_t level = 0; level < depth_; ++level) {
      word /= kDegree;
      add_after(high_.data() + begins_[level] + word / kDegree * kDegree,
                kAfter32[word % kDegree]);
    }
  }

  std::size_t count_below(std::size_t bound) const {
    std::size_t word = bound / 64;
    const std::uint64_t mask = (std::uint64_t{1} << (bound % 64)) - 1;
    std::size_t count = popcount(words_[word] & mask) + low_[word];
    for (std::size_t level = 0; level < depth_; ++level) {
      word /= kDegree;
      count += high_[begins_[level] + word];
    }
    return count;
  }

 private:
  static constexpr std::size_t kDegree = detail::kDegree;

  template <class Count>
  using Node = detail::SiblingNode<Count>;
  static constexpr auto kAfter16 = detail::make_after<std::uint16_t>();
  static constexpr auto kAfter32 = detail::make_after<std::uint32_t>();

  /// Written for the vectoriser.
  template <class Count>
  static void add_after(Count* node, const Node<Count>& after) {
    for (std::size_t k = 0; k < kDegree; ++k)
      node[k] = static_cast<Count>(node[k] + after[k]);
  }

  static std::size_t round_up(std::size_t size) {
    return (size + kDegree - 1) / kDegree * kDegree;
  }

  /// std::popcount is a call unless the compiler may use the instruction, which not
  /// every machine has.
  static std::size_t popcount(std::uint64_t x) {
    x -= (x >> 1U) & 0x5555555555555555ULL;
    x = (x & 0x3333333333333333ULL) + ((x >> 2U) & 0x3333333333333333ULL);
    x = (x + (x >> 4U)) & 0x0F0F0F0F0F0F0F0FULL;
    return static_cast<std::size_t>((x * 0x0101010101010101ULL) >> 56U);
  }

  std::size_t depth_ = 0;
  std::vector<std::uint64_t> words_;
  std::vector<std::uint16_t> low_;  // of words within 16 of them: at most 960
  std::vector<std::uint32_t> high_;
  std::vector<std::size_t> begins_;
};

}  // namespace featsieve
