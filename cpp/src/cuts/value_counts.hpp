#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cuts/mdl.hpp"

namespace featsieve {

/// Rows per distinct value and class of a numeric column, from the smallest value to
/// the greatest. A key is a number made an unsigned integer of the same order
/// (radix_sort.hpp) whose `dropped_bits` lowest bits are 0: every number with the same
/// other bits counts there.
struct ValueTable {
  std::vector<std::uint64_t> keys;    // ascending
  std::vector<std::int64_t> counts;   // n_classes per key
  std::vector<std::int64_t> missing;  // rows without a value, per class
  unsigned dropped_bits = 0;
  double least = 0;  // of all values, exactly; 0 and 0 if there are none
  double greatest = 0;
};

/// Counts a numeric column of any length, part by part, in bounded memory.
///
/// Up to `most_values` distinct values are told apart. When there are more, the last
/// bits of all numbers are dropped until no more are left. How many bits that takes is
/// a property of the set of values alone: however the rows are cut into parts, and in
/// whatever order parts are added or merged, the table is the same.
class ValueCounts {
 public:
  ValueCounts(std::size_t n_classes, std::size_t most_values);

  /// Adds rows; NaN is missing, rows of a negative class are left out.
  void add(std::span<const double> values, std::span<const std::int32_t> classes);

  /// Adds what was counted elsewhere, with at most as many classes.
  void merge(const ValueTable& other);

  std::size_t n_classes() const { return n_classes_; }
  std::size_t most_values() const { return most_values_; }
  std::size_t size() const { return keys_.size(); }

  ValueTable table() const;

 private:
  struct Place {
    std::uint64_t key = 0;
    std::uint32_t slot = 0;  // 1 + position in keys_; 0 is empty
  };

  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

  static std::vector<std::uint64_t> keys_of(std::span<const double> values,
                                            std::span<const std::int32_t> classes);

  bool count_on_page(std::uint64_t key, std::size_t c);
  std::size_t cell_of(std::uint64_t key) const;
  void add_cells(std::vector<std::int64_t>& counts) const;
  std::size_t find(std::uint64_t key) const;
  std::size_t place_of(std::uint64_t kept) const;
  std::size_t slot_of(std::uint64_t key);
  void look_ahead(std::span<const double> values,
                  std::span<const std::int32_t> classes);
  void make_room(std::vector<std::uint64_t> more);
  void enter_on_page(std::size_t slot);
  void drop_bits(unsigned dropped);
  void extend_range(double least, double greatest);
  void rehash(std::size_t n_places);

  std::size_t n_classes_;
  std::size_t most_values_;
  unsigned dropped_bits_ = 0;
  std::vector<std::uint64_t> keys_;   // in order of appearance
  std::vector<std::int64_t> counts_;  // n_classes per key
  std::vector<std::int64_t> missing_;
  // Keys are hashed one by one. Once many bits were dropped, the kept ones of most keys
  // are neighbours and go to pages of 256 neighbours, which stay in the caches. Their
  // rows are counted there, in 16 bits, and go to counts_ whenever these are full.
  std::vector<Place> places_;
  unsigned shift_ = 0;                // of the hash, to a place
  std::vector<std::uint16_t> pages_;  // order of a page; empty while keys are hashed
  std::vector<std::uint32_t> slots_;  // page after page; as in Place
  std::vector<std::uint16_t> cells_;  // n_classes per slot on a page
  double least_ = 0;
  double greatest_ = 0;
};

/// The smallest and the greatest number that count under a key.
double least_value(std::uint64_t key);
double greatest_value(std::uint64_t key, unsigned dropped_bits);

/// MDL cuts of a counted column: the same as mdl_cuts of its rows if no bits were
/// dropped; else no cut lies within the numbers of one key.
std::vector<double> mdl_cuts(const ValueTable& table, CutPrice price);

}  // namespace featsieve
