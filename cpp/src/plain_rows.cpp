#include "featsieve/plain_rows.hpp"

#include <bit>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace featsieve {
namespace {

constexpr std::size_t kWord = 64;

/// One bit per byte of a word of text: where the bytes stand that have a meaning.
struct Marks {
  std::uint64_t quotes = 0;
  std::uint64_t separators = 0;
  std::uint64_t line_feeds = 0;
  std::uint64_t returns = 0;
};

Marks marks_of(const char* text, char separator) {
  Marks marks;
#if defined(__SSE2__)
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i between = _mm_set1_epi8(separator);
  const __m128i feed = _mm_set1_epi8('\n');
  const __m128i carriage = _mm_set1_epi8('\r');
  for (std::size_t part = 0; part < 4; ++part) {
    const __m128i bytes =
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + 16 * part));
    const auto where = [&](__m128i wanted) {
      const int found = _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, wanted));
      return static_cast<std::uint64_t>(found) << (16 * part);
    };
    marks.quotes |= where(quote);
    marks.separators |= where(between);
    marks.line_feeds |= where(feed);
    marks.returns |= where(carriage);
  }
#else
  for (std::size_t i = 0; i < kWord; ++i) {
    const std::uint64_t bit = std::uint64_t{1} << i;
    if (text[i] == '"') marks.quotes |= bit;
    if (text[i] == separator) marks.separators |= bit;
    if (text[i] == '\n') marks.line_feeds |= bit;
    if (text[i] == '\r') marks.returns |= bit;
  }
#endif
  return marks;
}

/// Bit i tells whether an odd number of the bits 0..i is set.
std::uint64_t running_parity(std::uint64_t bits) {
  for (int shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
}

/// Goes over plain text word by word; false from `take` says that it is not plain.
class PlainScan {
 public:
  explicit PlainScan(std::size_t n_cells) : n_cells_(n_cells) {}

  bool take(const Marks& marks) {
    const std::uint64_t within = running_parity(marks.quotes) ^ within_;
    const std::uint64_t opening = marks.quotes & within;
    const std::uint64_t closing = marks.quotes & ~within;
    const std::uint64_t ends = marks.separators | marks.line_feeds;
    // What must hold of the byte after: the last bit of a word is carried over.
    const std::uint64_t may_open = ((ends | closing) << 1) | may_open_;
    const std::uint64_t closed = (closing << 1) | closed_;
    const std::uint64_t returned = ((marks.returns & ~within) << 1) | returned_;
    const std::uint64_t wrong =
        (opening & ~may_open) | (closed & ~(ends | marks.returns | opening)) |
        (returned & ~marks.line_feeds) | (marks.line_feeds & within);
    if (wrong != 0) return false;
    within_ = 0 - (within >> 63);
    may_open_ = (ends | closing) >> 63;
    closed_ = closing >> 63;
    returned_ = (marks.returns & ~within) >> 63;
    return count_cells(marks.separators & ~within, marks.line_feeds);
  }

  std::size_t n_rows() const { return n_rows_; }

 private:
  bool count_cells(std::uint64_t separators, std::uint64_t line_feeds) {
    while (line_feeds != 0) {
      const std::uint64_t up_to = line_feeds ^ (line_feeds - 1);
      cells_ += static_cast<std::size_t>(std::popcount(separators & up_to));
      if (cells_ + 1 != n_cells_) return false;
      separators &= ~up_to;
      line_feeds &= line_feeds - 1;
      cells_ = 0;
      ++n_rows_;
    }
    cells_ += static_cast<std::size_t>(std::popcount(separators));
    return true;
  }

  std::size_t n_cells_;
  std::size_t n_rows_ = 0;
  std::size_t cells_ = 0;     // separators since the last line feed
  std::uint64_t within_ = 0;  // all bits, if the last byte was within quotes
  std::uint64_t may_open_ = 1;
  std::uint64_t closed_ = 0;
  std::uint64_t returned_ = 0;
};

/// The end of the last whole row of any text, byte by byte.
std::size_t last_row_end(std::string_view text, char separator) {
  enum class Place { kStart, kCell, kQuotes } place = Place::kStart;
  std::size_t end = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char byte = text[i];
    if (place == Place::kQuotes) {
      if (byte != '"') continue;
      if (i + 1 < text.size() && text[i + 1] == '"') {
        ++i;
      } else {
        place = Place::kCell;
      }
    } else if (byte == '\n' || byte == '\r' || byte == separator) {
      place = Place::kStart;
      if (byte == '\n') end = i + 1;
    } else {
      place = byte == '"' && place == Place::kStart ? Place::kQuotes : Place::kCell;
    }
  }
  return end;
}

}  // namespace

RowsEnd plain_rows(std::string_view text, char separator, std::size_t n_cells) {
  // What follows the last line feed belongs to a row that is not whole.
  const std::size_t size = text.rfind('\n') + 1;  // 0 if there is none
  PlainScan scan(n_cells);
  bool plain = n_cells >= 2;
  std::size_t offset = 0;
  for (; plain && offset + kWord <= size; offset += kWord)
    plain = scan.take(marks_of(text.data() + offset, separator));
  if (plain && offset < size) {
    char rest[kWord] = {};
    std::memcpy(rest, text.data() + offset, size - offset);
    plain = scan.take(marks_of(rest, separator));
  }
  if (plain) return {size, true, scan.n_rows()};
  return {last_row_end(text, separator), false, 0};
}

}  // namespace featsieve
