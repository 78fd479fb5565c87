#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "common/exact_log_table.hpp"
#include "counting/dense_column.hpp"
#include "featsieve/counting.hpp"
#include "pairs/bit_planes.hpp"

namespace featsieve {

/// Which second columns a first column i is paired with.
enum class Seconds : std::uint8_t { kAll, kFromItself, kAbove };

/// Pairs (i, j) with begin <= i < end and i < j < p, and the place of one among them in
/// the order (i, j).
inline std::size_t count_pairs(std::size_t begin, std::size_t end, std::size_t p) {
  return begin == end ? 0 : (end - begin) * (2 * p - begin - end - 1) / 2;
}
inline std::size_t place_of_pair(std::size_t begin, std::size_t i, std::size_t j,
                                 std::size_t p) {
  return count_pairs(begin, i, p) + j - i - 1;
}

/// What scanners of pairs and of triples have in common: the columns as planes of bits
/// and, where histograms are faster, their codes, all with rows sorted by class.
///
/// Scanning is const and single-threaded; ranges of first columns may be scanned at the
/// same time, and give the same bits however they are cut.
class PlaneScanner {
 protected:
  /// More classes make tiles of counts outgrow the caches, and each has few rows.
  static constexpr std::size_t kMostClasses = 64;
  /// Planes of first columns counted at a time.
  static constexpr std::size_t kBlockPlanes = 64;

  using VisitColumn = std::function<void(std::size_t, DenseColumn&)>;
  /// Calls a function with all columns in turn.
  using Columns = std::function<void(const VisitColumn&)>;

  PlaneScanner(ClassRows rows, std::size_t n_columns, Missing missing,
               Instructions instructions);

  /// Makes planes of the columns for which wants_planes(column) holds.
  void make_planes(const Columns& columns,
                   const std::function<bool(const DenseColumn&)>& wants_planes);
  /// Keeps the codes too, unless planes are preferred for all pairs.
  void keep_codes(const Columns& columns);

  std::size_t n_rows() const { return rows_.order.size(); }
  std::size_t n_columns() const { return planes_.features().size(); }
  const BitPlanes::Feature& feature(std::size_t column) const {
    return planes_.features()[column];
  }
  std::size_t n_pairs(std::size_t begin, std::size_t end) const;
  bool prefers_planes(std::size_t column, const BitPlanes::Group& group) const;
  /// Whether a joint table of so many cells is small enough for a histogram.
  bool fits(std::size_t cells) const;
  /// Whether the pair is not counted over all rows.
  bool leaves_rows_out(std::size_t i, std::size_t j) const {
    return missing_ == Missing::kIgnore && (has_missing_[i] || has_missing_[j]);
  }
  /// The level whose rows are left out, or kNone.
  std::uint32_t skipped_level(std::size_t column) const {
    const bool skip = missing_ == Missing::kIgnore && has_missing_[column];
    return skip ? feature(column).levels - 1 : kNone;
  }
  /// The end of the first columns from begin on that are counted together.
  std::size_t block_end(std::size_t begin, std::size_t end) const;

  /// Visits all pairs of first columns in [begin, end) with the second ones wanted.
  /// from_planes(i, group, member, counts, class_stride): i with the columns of a group
  /// from this member on, as BitPlanes::count_common counted them. from_rows(i, j): a
  /// pair without such counts.
  template <class FromPlanes, class FromRows>
  void visit_pairs(std::size_t begin, std::size_t end, Seconds seconds,
                   const FromPlanes& from_planes, const FromRows& from_rows) const;

  ClassRows rows_;
  Missing missing_;
  ExactLogTable log_;
  BitPlanes planes_;
  std::vector<bool> has_missing_;
  std::vector<DenseColumn> columns_;  // in class order; only if histograms are needed
  std::int64_t class_total_ = 0;      // n × entropy of the class, in units of log_

 private:
  template <class FromPlanes, class FromRows>
  void visit_tile(std::size_t begin, std::size_t end, std::size_t group,
                  Seconds seconds, std::vector<std::uint32_t>& counts,
                  const FromPlanes& from_planes, const FromRows& from_rows) const;
};

template <class FromPlanes, class FromRows>
void PlaneScanner::visit_pairs(std::size_t begin, std::size_t end, Seconds seconds,
                               const FromPlanes& from_planes,
                               const FromRows& from_rows) const {
  std::vector<std::uint32_t> counts;
  while (begin < end) {
    const std::size_t last = block_end(begin, end);
    for (std::size_t g = 0; g < planes_.groups().size(); ++g)
      visit_tile(begin, last, g, seconds, counts, from_planes, from_rows);
    // Second columns without planes belong to no group.
    for (std::size_t i = begin; i < last; ++i) {
      const std::size_t first =
          seconds == Seconds::kAll ? 0 : i + (seconds == Seconds::kAbove ? 1 : 0);
      for (std::size_t j = first; j < n_columns(); ++j)
        if (!feature(j).has_planes) from_rows(i, j);
    }
    begin = last;
  }
}

template <class FromPlanes, class FromRows>
void PlaneScanner::visit_tile(std::size_t begin, std::size_t end, std::size_t group,
                              Seconds seconds, std::vector<std::uint32_t>& counts,
                              const FromPlanes& from_planes,
                              const FromRows& from_rows) const {
  const std::vector<std::uint32_t>& members = planes_.groups()[group].features;
  const auto first_member = [&](std::size_t i) {
    if (seconds == Seconds::kAll) return std::size_t{0};
    const std::size_t least = seconds == Seconds::kAbove ? i + 1 : i;
    return static_cast<std::size_t>(
        std::lower_bound(members.begin(), members.end(), least) - members.begin());
  };
  while (end > begin && first_member(end - 1) == members.size()) --end;
  for (std::size_t i = begin; i < end;) {
    if (!prefers_planes(i, planes_.groups()[group])) {
      for (std::size_t m = first_member(i); m < members.size(); ++m)
        from_rows(i, members[m]);
      ++i;
      continue;
    }
    // Planes of neighbouring columns follow each other, so a run of them is one call.
    const std::size_t run_begin = i;
    std::size_t n_planes = 0;
    for (; i < end && prefers_planes(i, planes_.groups()[group]); ++i)
      n_planes += feature(i).n_planes;
    const std::size_t first_plane = feature(run_begin).first_plane;
    const std::size_t class_stride = n_planes * kLanes;
    counts.reserve(planes_.n_classes() * class_stride + kLanes);
    planes_.count_common(planes_.plane(first_plane), n_planes, group, counts);
    for (std::size_t k = run_begin; k < i; ++k)
      from_planes(k, group, first_member(k),
                  counts.data() + (feature(k).first_plane - first_plane) * kLanes,
                  class_stride);
  }
}

}  // namespace featsieve
