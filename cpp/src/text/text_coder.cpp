#include "text/text_coder.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace featsieve {
namespace {

constexpr std::size_t kFirstSlots = 64;
// Odd numbers with well-mixed bits, from the fractional parts of the golden ratio and
// of the square root of three.
constexpr std::uint64_t kFirstFactor = 0x9E3779B97F4A7C15;
constexpr std::uint64_t kSecondFactor = 0xBB67AE8584CAA73B;

std::uint64_t load_word(const void* from) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, sizeof word);
  return word;
}

std::uint64_t mix(std::uint64_t low, std::uint64_t high) {
  std::uint64_t hash = (low ^ std::rotl(high * kFirstFactor, 31)) * kSecondFactor;
  hash ^= hash >> 32;
  return hash * kFirstFactor;
}

std::uint64_t hash_text(std::string_view text) {
  std::uint64_t hash = text.size();
  std::size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) hash = mix(hash, load_word(text.data() + i));
  std::uint64_t rest = 0;
  std::memcpy(&rest, text.data() + i, text.size() - i);
  return mix(hash, rest);
}

std::string_view checked(std::span<const char> buffer, std::int64_t begin,
                         std::int64_t size) {
  const auto total = static_cast<std::int64_t>(buffer.size());
  if (begin < 0 || size < 0 || begin > total || size > total - begin)
    throw std::invalid_argument("a text lies outside its buffer");
  return {buffer.data() + begin, static_cast<std::size_t>(size)};
}

bool is_there(const std::uint8_t* validity, std::size_t row) {
  return validity == nullptr || ((validity[row / 8] >> (row % 8)) & 1) != 0;
}

}  // namespace

TextCoder::TextCoder() : slots_(kFirstSlots) {}

TextCoder::Key TextCoder::key_of(std::string_view text) {
  std::uint8_t start[4 + kMostInline] = {};
  const auto size = static_cast<std::uint32_t>(text.size());
  std::memcpy(start, &size, sizeof size);
  std::memcpy(start + 4, text.data(), std::min(text.size(), kMostInline));
  const bool whole = text.size() <= kMostInline;
  return {load_word(start), whole ? load_word(start + 8) : hash_text(text)};
}

std::int32_t TextCoder::find_or_add(std::string_view text) {
  const Key key = key_of(text);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = mix(key.low, key.high) & mask;; at = (at + 1) & mask) {
    const Slot& slot = slots_[at];
    if (slot.code == kFree) break;
    if (!(slot.key == key)) continue;
    // A long text may share its key with another one.
    if (text.size() <= kMostInline ||
        levels_[static_cast<std::size_t>(slot.code)] == text)
      return slot.code;
  }
  if (levels_.size() >= std::numeric_limits<std::int32_t>::max())
    throw std::length_error("more texts than codes");
  const auto code = static_cast<std::int32_t>(levels_.size());
  levels_.emplace_back(text);
  if (2 * levels_.size() > slots_.size()) {
    std::vector<Slot> before(2 * slots_.size());
    before.swap(slots_);
    for (const Slot& slot : before)
      if (slot.code != kFree) place(slot);
  }
  place({key, code});
  return code;
}

/// Writes a slot to the first free place from its own on.
void TextCoder::place(const Slot& slot) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = mix(slot.key.low, slot.key.high) & mask;
  while (slots_[at].code != kFree) at = (at + 1) & mask;
  slots_[at] = slot;
}

void TextCoder::code(const TextColumn& column, std::span<std::int32_t> codes) {
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const std::size_t row = column.offset + i;
    codes[i] = kMissing;
    if (!is_there(column.validity, row)) continue;
    const std::int64_t begin = column.offsets[row];
    codes[i] =
        find_or_add(checked(column.text, begin, column.offsets[row + 1] - begin));
  }
}

}  // namespace featsieve
