#include "featsieve/text_coder.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace featsieve {
namespace {

constexpr std::size_t kViewBytes = 16;
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

template <class Integer>
Integer load(const std::uint8_t* from) {
  Integer value = 0;
  std::memcpy(&value, from, sizeof value);
  return value;
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

TextCoder::TextCoder(const std::vector<std::string>& missing)
    : slots_(kFirstSlots), missing_(missing) {
  for (const std::string& text : missing) {
    const Key key = key_of(text);
    if (slots_[place_of(key)].code == kFree) add(key, text, kMissing);
  }
}

/// `view` is the length of the text and at least twelve readable bytes.
TextCoder::Key TextCoder::short_key(const std::uint8_t* view, std::size_t size) {
  // Bytes behind the text are masked, whatever they are.
  constexpr auto all = ~std::uint64_t{0};
  const std::size_t in_low = std::min<std::size_t>(size, 4) + 4;
  const std::size_t in_high = size > 4 ? size - 4 : 0;
  Key key{load_word(view), load_word(view + 8)};
  if constexpr (std::endian::native == std::endian::little) {
    key.low &= all >> (64 - 8 * in_low);
    key.high = in_high == 0 ? 0 : key.high & (all >> (64 - 8 * in_high));
  } else {
    key.low &= all << (64 - 8 * in_low);
    key.high = in_high == 0 ? 0 : key.high & (all << (64 - 8 * in_high));
  }
  return key;
}

TextCoder::Key TextCoder::key_of(std::string_view text) {
  std::uint8_t view[kViewBytes] = {};
  const auto size = static_cast<std::uint32_t>(text.size());
  std::memcpy(view, &size, sizeof size);
  std::memcpy(view + 4, text.data(), std::min(text.size(), kMostInline));
  if (text.size() <= kMostInline) return short_key(view, text.size());
  return {load_word(view), hash_text(text)};
}

/// The slot that holds this key, or the free one where it belongs. A long text may
/// share its key with another one; `find_or_add` looks further then.
std::size_t TextCoder::place_of(const Key& key) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t place = mix(key.low, key.high) & mask;
  while (slots_[place].code != kFree && !(slots_[place].key == key))
    place = (place + 1) & mask;
  return place;
}

std::int32_t TextCoder::find_or_add(const Key& key, std::string_view text) {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t place = place_of(key);; place = (place + 1) & mask) {
    const Slot& slot = slots_[place];
    if (slot.code == kFree) break;
    if (!(slot.key == key)) continue;
    if (text.size() <= kMostInline) return slot.code;
    if (slot.code == kMissing) {
      if (std::find(missing_.begin(), missing_.end(), text) != missing_.end())
        return kMissing;
    } else if (levels_[static_cast<std::size_t>(slot.code)] == text) {
      return slot.code;
    }
  }
  if (levels_.size() >= std::numeric_limits<std::int32_t>::max())
    throw std::length_error("more texts than codes");
  return add(key, text, static_cast<std::int32_t>(levels_.size()));
}

std::int32_t TextCoder::add(const Key& key, std::string_view text, std::int32_t code) {
  if (2 * (n_used_ + 1) > slots_.size()) grow();
  const std::size_t mask = slots_.size() - 1;
  std::size_t place = mix(key.low, key.high) & mask;
  while (slots_[place].code != kFree) place = (place + 1) & mask;
  slots_[place] = {key, code};
  ++n_used_;
  if (code >= 0) levels_.emplace_back(text);
  return code;
}

void TextCoder::grow() {
  std::vector<Slot> before(2 * slots_.size());
  before.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : before) {
    if (slot.code == kFree) continue;
    std::size_t place = mix(slot.key.low, slot.key.high) & mask;
    while (slots_[place].code != kFree) place = (place + 1) & mask;
    slots_[place] = slot;
  }
}

void TextCoder::code(const TextColumn& column, std::span<std::int32_t> codes) {
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const std::size_t row = column.offset + i;
    if (!is_there(column.validity, row)) {
      codes[i] = kMissing;
      continue;
    }
    if (column.views == nullptr) {
      const std::int64_t begin = column.offsets[row];
      const std::string_view text =
          checked(column.buffers[0], begin, column.offsets[row + 1] - begin);
      codes[i] = find_or_add(key_of(text), text);
      continue;
    }
    const std::uint8_t* view = column.views + kViewBytes * row;
    const auto size = load<std::int32_t>(view);
    if (size >= 0 && static_cast<std::size_t>(size) <= kMostInline) {
      const auto length = static_cast<std::size_t>(size);
      const Key key = short_key(view, length);
      // Nearly always the first slot is the one; it is never a free one, whose key
      // could be that of the empty text.
      const Slot& first = slots_[mix(key.low, key.high) & (slots_.size() - 1)];
      codes[i] =
          first.key == key && first.code != kFree
              ? first.code
              : find_or_add(key, {reinterpret_cast<const char*>(view) + 4, length});
      continue;
    }
    const auto buffer = static_cast<std::size_t>(load<std::uint32_t>(view + 8));
    if (buffer >= column.buffers.size())
      throw std::invalid_argument("a text lies in a buffer that is not there");
    const std::string_view text =
        checked(column.buffers[buffer], load<std::int32_t>(view + 12), size);
    codes[i] = find_or_add(key_of(text), text);
  }
}

}  // namespace featsieve
