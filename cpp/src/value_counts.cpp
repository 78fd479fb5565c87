#include "featsieve/value_counts.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "featsieve/radix_sort.hpp"

namespace featsieve {
namespace {

constexpr unsigned kWordBits = 64;
constexpr std::size_t kFewPlaces = 1024;

std::uint64_t without_bits(std::uint64_t key, unsigned dropped) {
  return dropped >= kWordBits ? 0 : key >> dropped << dropped;
}

}  // namespace

ValueCounts::ValueCounts(std::size_t n_classes, std::size_t most_values)
    : n_classes_(n_classes), most_values_(most_values), missing_(n_classes, 0) {
  if (most_values < 2 || most_values > (1U << 30U))
    throw std::invalid_argument("most_values must lie in [2, 2^30]");
  rehash(kFewPlaces);
}

void ValueCounts::add(std::span<const double> values,
                      std::span<const std::int32_t> classes) {
  if (classes.size() != values.size())
    throw std::invalid_argument("one class per row is needed");
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (classes[i] < 0) continue;
    const auto c = static_cast<std::size_t>(classes[i]);
    if (c >= n_classes_) throw std::invalid_argument("class codes must be declared");
    if (std::isnan(values[i])) {
      ++missing_[c];
      continue;
    }
    if (keys_.empty() || values[i] < least_ || values[i] > greatest_)
      extend_range(values[i], values[i]);
    ++counts_[slot_of(ordered_key(values[i])) * n_classes_ + c];
  }
}

void ValueCounts::extend_range(double least, double greatest) {
  least_ = keys_.empty() ? least : std::min(least_, least);
  greatest_ = keys_.empty() ? greatest : std::max(greatest_, greatest);
}

void ValueCounts::grow_classes(std::size_t n_classes) {
  if (n_classes < n_classes_)
    throw std::invalid_argument("the number of classes only grows");
  std::vector<std::int64_t> counts(keys_.size() * n_classes, 0);
  for (std::size_t i = 0; i < keys_.size(); ++i)
    std::copy_n(&counts_[i * n_classes_], n_classes_, &counts[i * n_classes]);
  counts_ = std::move(counts);
  missing_.resize(n_classes, 0);
  n_classes_ = n_classes;
}

void ValueCounts::merge(const ValueTable& other) {
  const std::size_t n = other.missing.size();
  if (n > n_classes_ || other.counts.size() != other.keys.size() * n)
    throw std::invalid_argument("merged counts must be of the same classes");
  if (other.dropped_bits > dropped_bits_) drop_bits(other.dropped_bits);
  if (!other.keys.empty()) extend_range(other.least, other.greatest);
  for (std::size_t i = 0; i < other.keys.size(); ++i) {
    const std::size_t slot = slot_of(other.keys[i]);
    for (std::size_t c = 0; c < n; ++c)
      counts_[slot * n_classes_ + c] += other.counts[i * n + c];
  }
  for (std::size_t c = 0; c < n; ++c) missing_[c] += other.missing[c];
}

/// Where the rows of this key are counted; makes room if it is new.
std::size_t ValueCounts::slot_of(std::uint64_t key) {
  while (true) {
    const std::uint64_t kept = without_bits(key, dropped_bits_);
    // Fibonacci hashing spreads keys that differ in a few bits only.
    std::size_t at = (kept * 0x9E3779B97F4A7C15ULL) >> shift_;
    const std::size_t last = places_.size() - 1;
    while (places_[at].slot != 0 && places_[at].key != kept) at = (at + 1) & last;
    if (places_[at].slot != 0) return places_[at].slot - 1;
    if (keys_.size() == most_values_) {
      drop_bits(bits_to_drop(kept));
      continue;
    }
    keys_.push_back(kept);
    counts_.resize(counts_.size() + n_classes_, 0);
    places_[at] = {kept, static_cast<std::uint32_t>(keys_.size())};
    if (2 * keys_.size() > places_.size()) rehash(2 * places_.size());
    return keys_.size() - 1;
  }
}

/// How many bits must go until there is room for one more key. The values seen so far
/// need that, so all values together need it too.
unsigned ValueCounts::bits_to_drop(std::uint64_t another) const {
  std::vector<std::uint64_t> sorted = keys_;
  sorted.push_back(another);
  std::sort(sorted.begin(), sorted.end());
  // Neighbours stay apart until the highest bit in which they differ is dropped.
  std::array<std::size_t, kWordBits + 1> merged_by{};
  for (std::size_t i = 1; i < sorted.size(); ++i)
    ++merged_by[static_cast<std::size_t>(std::bit_width(sorted[i - 1] ^ sorted[i]))];
  std::size_t left = sorted.size();
  unsigned dropped = 0;
  while (left > most_values_) left -= merged_by[++dropped];
  return dropped;
}

void ValueCounts::drop_bits(unsigned dropped) {
  const std::vector<std::uint64_t> keys = std::exchange(keys_, {});
  const std::vector<std::int64_t> counts = std::exchange(counts_, {});
  dropped_bits_ = dropped;
  places_.assign(places_.size(), {});
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::size_t slot = slot_of(keys[i]);
    for (std::size_t c = 0; c < n_classes_; ++c)
      counts_[slot * n_classes_ + c] += counts[i * n_classes_ + c];
  }
}

void ValueCounts::rehash(std::size_t n_places) {
  places_.assign(n_places, {});
  shift_ = kWordBits - static_cast<unsigned>(std::countr_zero(n_places));
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    std::size_t at = (keys_[i] * 0x9E3779B97F4A7C15ULL) >> shift_;
    while (places_[at].slot != 0) at = (at + 1) & (n_places - 1);
    places_[at] = {keys_[i], static_cast<std::uint32_t>(i + 1)};
  }
}

ValueTable ValueCounts::table() const {
  std::vector<std::size_t> order(keys_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return keys_[a] < keys_[b]; });
  ValueTable table;
  table.missing = missing_;
  table.dropped_bits = dropped_bits_;
  table.least = least_;
  table.greatest = greatest_;
  for (const std::size_t i : order) {
    table.keys.push_back(keys_[i]);
    const auto begin = counts_.begin() + static_cast<std::ptrdiff_t>(i * n_classes_);
    table.counts.insert(table.counts.end(), begin,
                        begin + static_cast<std::ptrdiff_t>(n_classes_));
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
