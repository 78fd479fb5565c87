#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace featsieve {

/// A column of text as Arrow lays it out, in one of two forms.
struct TextColumn {
  std::size_t offset = 0;                  // first row of the column in its buffers
  const std::uint8_t* validity = nullptr;  // a bit per row; none if all are there
  /// Sixteen bytes per row: a length, then up to twelve bytes of text, or four bytes
  /// of it, the number of a buffer and a place in it.
  const std::uint8_t* views = nullptr;
  std::vector<std::span<const char>> buffers;
  /// Without views: where each text begins in the only buffer.
  const std::int64_t* offsets = nullptr;
};

/// Numbers texts in order of appearance, over any number of columns of text.
class TextCoder {
 public:
  /// Texts in `missing` get -1, as missing ones do.
  explicit TextCoder(const std::vector<std::string>& missing);

  /// Writes one code per row of `column`; throws std::invalid_argument if a text lies
  /// outside its buffer.
  void code(const TextColumn& column, std::span<std::int32_t> codes);

  const std::vector<std::string>& levels() const { return levels_; }

 private:
  /// What tells texts apart: length and text of short ones, length, beginning and hash
  /// of long ones, which are compared in full as well.
  struct Key {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Slot {
    Key key;
    std::int32_t code = kFree;
  };
  static constexpr std::int32_t kFree = -2;
  static constexpr std::int32_t kMissing = -1;
  static constexpr std::size_t kMostInline = 12;

  static Key short_key(const std::uint8_t* view, std::size_t size);
  static Key key_of(std::string_view text);
  std::size_t place_of(const Key& key) const;
  std::int32_t find_or_add(const Key& key, std::string_view text);
  std::int32_t add(const Key& key, std::string_view text, std::int32_t code);
  void grow();

  std::vector<Slot> slots_;
  std::size_t n_used_ = 0;
  std::vector<std::string> missing_;
  std::vector<std::string> levels_;
};

}  // namespace featsieve
