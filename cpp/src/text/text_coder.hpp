#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace featsieve {

/// A column of large strings as Arrow lays it out.
struct TextColumn {
  std::size_t offset = 0;                  // first row of the column in its buffers
  const std::uint8_t* validity = nullptr;  // a bit per row; none if all are there
  const std::int64_t* offsets = nullptr;   // where each text begins
  std::span<const char> text;
};

/// Numbers texts in order of appearance, over any number of columns of text.
class TextCoder {
 public:
  TextCoder();

  /// Writes one code per row of `column`, -1 where it is missing; throws
  /// std::invalid_argument if a text lies outside its buffer.
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

  static Key key_of(std::string_view text);
  std::int32_t find_or_add(std::string_view text);
  void place(const Slot& slot);

  std::vector<Slot> slots_;
  std::vector<std::string> levels_;
};

}  // namespace featsieve
