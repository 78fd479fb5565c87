#include "cuts/value_counts.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "common/radix_sort.hpp"

namespace featsieve {
namespace {

constexpr unsigned kWordBits = 64;
constexpr std::size_t kFewPlaces = 1024;
constexpr unsigned kPageBits = 8;
constexpr std::uint64_t kPageMask = (1U << kPageBits) - 1;
constexpr std::size_t kMostPages = 1024;
constexpr unsigned kMostPageNumberBits = 20;
constexpr std::uint16_t kFullCell = 0xFFFF;
/// Fibonacci hashing spreads keys that differ in a few bits only.
constexpr std::uint64_t kSpread = 0x9E3779B97F4A7C15ULL;

std::uint64_t without_bits(std::uint64_t key, unsigned dropped) {
  return dropped >= kWordBits ? 0 : key >> dropped << dropped;
}

std::size_t count_bits(const std::vector<std::uint64_t>& words) {
  std::size_t n = 0;
  for (const std::uint64_t word : words)
    n += static_cast<std::size_t>(std::popcount(word));
  return n;
}

/// The even bits of a word, side by side in its lower half.
std::uint64_t even_bits(std::uint64_t word) {
  word &= 0x5555555555555555ULL;
  word = (word | (word >> 1U)) & 0x3333333333333333ULL;
  word = (word | (word >> 2U)) & 0x0F0F0F0F0F0F0F0FULL;
  word = (word | (word >> 4U)) & 0x00FF00FF00FF00FFULL;
  word = (word | (word >> 8U)) & 0x0000FFFF0000FFFFULL;
  return (word | (word >> 16U)) & 0x00000000FFFFFFFFULL;
}

/// Makes one bit of two neighbours, set if either was.
void halve_bits(std::vector<std::uint64_t>& words) {
  if (words.size() == 1) {
    words[0] = even_bits(words[0] | (words[0] >> 1U));
    return;
  }
  for (std::size_t i = 0; i < words.size() / 2; ++i) {
    const std::uint64_t low = words[2 * i];
    const std::uint64_t high = words[2 * i + 1];
    words[i] = even_bits(low | (low >> 1U)) | (even_bits(high | (high >> 1U)) << 32U);
  }
  words.resize(words.size() / 2);
}

}  // namespace

ValueCounts::ValueCounts(std::size_t n_classes, std::size_t most_values)
    : n_classes_(n_classes), most_values_(most_values), missing_(n_classes, 0) {
  if (most_values < 2 || most_values > (1U << 30U))
    throw std::invalid_argument("most_values must lie in [2, 2^30]");
  rehash(kFewPlaces);
}

/// Counts a row if its key is on a page and has rows of this class. A cell without any
/// may be that of a new key; page 0 is nobody's and stays empty.
inline bool ValueCounts::count_on_page(std::uint64_t key, std::size_t c) {
  if (pages_.empty()) return false;
  const std::size_t cell = cell_of(key);
  std::uint16_t& count = cells_[cell * n_classes_ + c];
  if (count == 0) return false;
  if (count == kFullCell) {
    counts_[(slots_[cell] - 1) * n_classes_ + c] += kFullCell;
    count = 0;
  }
  ++count;
  return true;
}

/// Where a key is on its page; there must be pages.
inline std::size_t ValueCounts::cell_of(std::uint64_t key) const {
  const std::uint64_t number = key >> dropped_bits_;
  const std::size_t page = pages_[number >> kPageBits];
  return (page << kPageBits) + (number & kPageMask);
}

void ValueCounts::add(std::span<const double> values,
                      std::span<const std::int32_t> classes) {
  if (classes.size() != values.size())
    throw std::invalid_argument("one class per row is needed");
  if (keys_.empty() && values.size() > most_values_) look_ahead(values, classes);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (classes[i] < 0) continue;
    const auto c = static_cast<std::size_t>(classes[i]);
    if (c >= n_classes_) throw std::invalid_argument("class codes must be declared");
    const double value = values[i];
    if (!(value >= least_ && value <= greatest_)) {
      if (std::isnan(value)) {
        ++missing_[c];
        continue;
      }
      extend_range(value, value);
    }
    const std::uint64_t key = ordered_key(value);
    if (count_on_page(key, c)) continue;
    std::size_t slot = find(key);
    if (slot == kNowhere) {
      if (keys_.size() == most_values_)
        make_room(keys_of(values.subspan(i), classes.subspan(i)));
      slot = slot_of(key);
    }
    if (!pages_.empty())
      cells_[cell_of(key) * n_classes_ + c] = 1;
    else
      ++counts_[slot * n_classes_ + c];
  }
}

/// Adds what is counted on pages.
void ValueCounts::add_cells(std::vector<std::int64_t>& counts) const {
  for (std::size_t cell = 0; cell < slots_.size(); ++cell)
    for (std::size_t c = 0; slots_[cell] != 0 && c < n_classes_; ++c)
      counts[(slots_[cell] - 1) * n_classes_ + c] += cells_[cell * n_classes_ + c];
}

void ValueCounts::extend_range(double least, double greatest) {
  least_ = keys_.empty() ? least : std::min(least_, least);
  greatest_ = keys_.empty() ? greatest : std::max(greatest_, greatest);
}

void ValueCounts::merge(const ValueTable& other) {
  const std::size_t n = other.missing.size();
  if (n > n_classes_ || other.counts.size() != other.keys.size() * n)
    throw std::invalid_argument("merged counts must be of the same classes");
  if (other.dropped_bits > dropped_bits_) drop_bits(other.dropped_bits);
  if (!other.keys.empty()) extend_range(other.least, other.greatest);
  for (std::size_t i = 0; i < other.keys.size(); ++i) {
    if (keys_.size() == most_values_ && find(other.keys[i]) == kNowhere)
      make_room(
          {other.keys.begin() + static_cast<std::ptrdiff_t>(i), other.keys.end()});
    const std::size_t slot = slot_of(other.keys[i]);
    for (std::size_t c = 0; c < n; ++c)
      counts_[slot * n_classes_ + c] += other.counts[i * n + c];
  }
  for (std::size_t c = 0; c < n; ++c) missing_[c] += other.missing[c];
}

/// Where the rows of this key are counted, or kNowhere if it is new.
std::size_t ValueCounts::find(std::uint64_t key) const {
  if (!pages_.empty()) {
    const std::uint32_t slot = slots_[cell_of(key)];
    return slot == 0 ? kNowhere : slot - 1;
  }
  const std::uint64_t kept = without_bits(key, dropped_bits_);
  const Place& place = places_[place_of(kept)];
  return place.slot == 0 ? kNowhere : place.slot - 1;
}

/// Where the key is, or where it belongs.
std::size_t ValueCounts::place_of(std::uint64_t kept) const {
  std::size_t at = (kept * kSpread) >> shift_;
  const std::size_t last = places_.size() - 1;
  while (places_[at].slot != 0 && places_[at].key != kept) at = (at + 1) & last;
  return at;
}

/// Where the rows of this key are counted, for which there must be room.
std::size_t ValueCounts::slot_of(std::uint64_t key) {
  const std::uint64_t kept = without_bits(key, dropped_bits_);
  if (!pages_.empty()) {
    const std::size_t found = find(key);
    if (found != kNowhere) return found;
    keys_.push_back(kept);
    counts_.resize(counts_.size() + n_classes_, 0);
    enter_on_page(keys_.size() - 1);
    return keys_.size() - 1;
  }
  Place& place = places_[place_of(kept)];
  if (place.slot != 0) return place.slot - 1;
  keys_.push_back(kept);
  counts_.resize(counts_.size() + n_classes_, 0);
  place = {kept, static_cast<std::uint32_t>(keys_.size())};
  if (2 * keys_.size() > places_.size()) rehash(2 * places_.size());
  return keys_.size() - 1;
}

/// Drops bits before the first rows are counted, if most of them turn out to be too
/// many different ones: that spares entering them one by one. A bit for each number of
/// kLookedAt bits says which there are, and pairs of bits become one for every bit that
/// is dropped.
void ValueCounts::look_ahead(std::span<const double> values,
                             std::span<const std::int32_t> classes) {
  constexpr unsigned kLookedAt = 24;
  std::vector<std::uint64_t> seen((std::size_t{1} << kLookedAt) / kWordBits, 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (classes[i] < 0 || std::isnan(values[i])) continue;
    const std::uint64_t number = ordered_key(values[i]) >> (kWordBits - kLookedAt);
    seen[number / kWordBits] |= 1ULL << (number % kWordBits);
  }
  unsigned dropped = kWordBits - kLookedAt;
  while (count_bits(seen) > most_values_) {
    halve_bits(seen);
    ++dropped;
  }
  if (dropped > kWordBits - kLookedAt) drop_bits(dropped);
}

/// Keys of the rows that have a value and a class.
std::vector<std::uint64_t> ValueCounts::keys_of(std::span<const double> values,
                                                std::span<const std::int32_t> classes) {
  std::vector<std::uint64_t> keys;
  keys.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    if (classes[i] >= 0 && !std::isnan(values[i]))
      keys.push_back(ordered_key(values[i]));
  return keys;
}

/// Drops as many bits as it takes to count these keys too. All that are at hand are
/// looked at together: dropping bit by bit, as one new key after another asks for it,
/// would go over the table a dozen times.
void ValueCounts::make_room(std::vector<std::uint64_t> more) {
  more.insert(more.end(), keys_.begin(), keys_.end());
  std::vector<std::uint64_t> scratch;
  radix_sort(more, scratch);
  // Neighbours stay apart until the highest bit in which they differ is dropped.
  std::array<std::size_t, kWordBits + 1> merged_by{};
  for (std::size_t i = 1; i < more.size(); ++i)
    ++merged_by[static_cast<std::size_t>(std::bit_width(more[i - 1] ^ more[i]))];
  std::size_t left = more.size() - merged_by[0];
  unsigned dropped = 0;
  while (left > most_values_) left -= merged_by[++dropped];
  if (dropped > dropped_bits_) drop_bits(dropped);
}

void ValueCounts::drop_bits(unsigned dropped) {
  add_cells(counts_);
  const std::vector<std::uint64_t> keys = std::exchange(keys_, {});
  const std::vector<std::int64_t> counts = std::exchange(counts_, {});
  dropped_bits_ = dropped;
  pages_.clear();
  slots_.clear();
  cells_.clear();
  const unsigned kept_bits = kWordBits - std::min(dropped, kWordBits - 1 - kPageBits);
  if (dropped < kWordBits && kept_bits <= kPageBits + kMostPageNumberBits) {
    pages_.assign(std::size_t{1} << (kept_bits - kPageBits), 0);
    slots_.assign(kPageMask + 1, 0);  // page 0 is that of all keys without a page
    cells_.assign((kPageMask + 1) * n_classes_, 0);
    places_.clear();
  } else {
    places_.assign(std::max(kFewPlaces, places_.size()), {});
    shift_ = kWordBits - static_cast<unsigned>(std::countr_zero(places_.size()));
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::size_t slot = slot_of(keys[i]);
    for (std::size_t c = 0; c < n_classes_; ++c)
      counts_[slot * n_classes_ + c] += counts[i * n_classes_ + c];
  }
}

/// Notes on its page where a new key is counted. Keys that are too scattered for pages
/// are hashed from now on.
void ValueCounts::enter_on_page(std::size_t slot) {
  const std::uint64_t number = keys_[slot] >> dropped_bits_;
  std::uint16_t& page = pages_[number >> kPageBits];
  if (page == 0) {
    const std::size_t n_pages = slots_.size() >> kPageBits;
    if (n_pages == kMostPages) {
      add_cells(counts_);
      pages_ = {};
      slots_ = {};
      cells_ = {};
      rehash(std::bit_ceil(std::max(kFewPlaces, 2 * keys_.size())));
      return;
    }
    page = static_cast<std::uint16_t>(n_pages);
    slots_.resize(slots_.size() + kPageMask + 1, 0);
    cells_.resize(slots_.size() * n_classes_, 0);
  }
  slots_[(std::size_t{page} << kPageBits) + (number & kPageMask)] =
      static_cast<std::uint32_t>(slot + 1);
}

void ValueCounts::rehash(std::size_t n_places) {
  places_.assign(n_places, {});
  shift_ = kWordBits - static_cast<unsigned>(std::countr_zero(n_places));
  for (std::size_t i = 0; i < keys_.size(); ++i)
    places_[place_of(keys_[i])] = {keys_[i], static_cast<std::uint32_t>(i + 1)};
}

ValueTable ValueCounts::table() const {
  std::vector<KeyedRow> order;
  order.reserve(keys_.size());
  for (std::size_t i = 0; i < keys_.size(); ++i)
    order.push_back({keys_[i], static_cast<std::uint32_t>(i)});
  std::vector<KeyedRow> scratch;
  radix_sort(order, scratch);
  std::vector<std::int64_t> counts = counts_;
  add_cells(counts);
  ValueTable table;
  table.missing = missing_;
  table.dropped_bits = dropped_bits_;
  table.least = least_;
  table.greatest = greatest_;
  table.keys.reserve(keys_.size());
  table.counts.reserve(counts.size());
  for (const auto& [key, row] : order) {
    table.keys.push_back(key);
    for (std::size_t c = 0; c < n_classes_; ++c)
      table.counts.push_back(counts[row * n_classes_ + c]);
  }
  return table;
}

double least_value(std::uint64_t key) {
  // The least key of all, once every bit is dropped, is no number.
  static const std::uint64_t lowest =
      ordered_key(std::numeric_limits<double>::lowest());
  return from_ordered_key(std::max(key, lowest));
}

double greatest_value(std::uint64_t key, unsigned dropped_bits) {
  static const std::uint64_t highest = ordered_key(std::numeric_limits<double>::max());
  const std::uint64_t rest =
      dropped_bits >= kWordBits ? ~0ULL : (1ULL << dropped_bits) - 1;
  return from_ordered_key(std::min(key | rest, highest));
}

std::vector<double> mdl_cuts(const ValueTable& table, CutPrice price) {
  const std::size_t n_classes = table.missing.size();
  if (table.counts.size() != table.keys.size() * n_classes)
    throw std::invalid_argument("counts must be one per value and class");
  if (n_classes == 0) return {};
  Blocks<std::int64_t> blocks(n_classes);
  for (std::size_t i = 0; i < table.keys.size(); ++i)
    blocks.add(&table.counts[i * n_classes]);
  const auto found = mdl_cut_blocks(blocks, price, LogTable(LogTable::kLargest));
  std::vector<double> cuts;
  for (const std::size_t block : found) {
    const std::size_t next = blocks.end(block);
    cuts.push_back(halfway(greatest_value(table.keys[next - 1], table.dropped_bits),
                           least_value(table.keys[next])));
  }
  return cuts;
}

}  // namespace featsieve
