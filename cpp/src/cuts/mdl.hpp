#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "featsieve/cuts.hpp"
#include "featsieve/log_table.hpp"

namespace featsieve {

/// Halfway between two neighbours, but never as large as the greater one.
inline double halfway(double below, double above) {
  const double middle = below / 2 + above / 2;
  return middle >= below && middle < above ? middle : below;
}

/// Class counts of groups of rows, from the smallest value to the greatest. Neighbours
/// that hold rows of one and the same class only are merged into one block, because no
/// best cut lies between them.
template <class Count>
class Blocks {
 public:
  explicit Blocks(std::size_t n_classes) : n_classes_(n_classes) {}

  void clear() {
    counts_.clear();
    ends_.clear();
  }

  /// Adds the next group: counts per class.
  void add(const Count* counts) {
    const std::size_t own = only_class(counts);
    open(own);
    Count* block = last();
    for (std::size_t c = 0; c < n_classes_; ++c) block[c] += counts[c];
    ++ends_.back();
  }

  /// Adds a group of rows of one class.
  void add_pure(std::size_t only, Count count) {
    open(only);
    last()[only] += count;
    ++ends_.back();
  }

  std::size_t n_classes() const { return n_classes_; }
  std::size_t size() const { return ends_.size(); }
  const Count* operator[](std::size_t block) const {
    return &counts_[block * n_classes_];
  }

  /// Groups up to the end of a block, and up to its beginning.
  std::size_t end(std::size_t block) const { return ends_[block]; }
  std::size_t begin(std::size_t block) const {
    return block == 0 ? 0 : ends_[block - 1];
  }

 private:
  static constexpr std::size_t kMixed = static_cast<std::size_t>(-1);

  /// The class all rows of a group share; n_classes if it has none, or kMixed.
  std::size_t only_class(const Count* counts) const {
    std::size_t only = n_classes_;
    for (std::size_t c = 0; c < n_classes_; ++c) {
      if (counts[c] <= Count{0}) continue;
      if (only != n_classes_) return kMixed;
      only = c;
    }
    return only;
  }

  /// Makes the last block one that a group of this class may join.
  void open(std::size_t only) {
    if (!ends_.empty() && only != kMixed && only == last_class_) return;
    ends_.push_back(ends_.empty() ? 0 : ends_.back());
    counts_.resize(counts_.size() + n_classes_, Count{0});
    last_class_ = only;
  }

  Count* last() { return &counts_[counts_.size() - n_classes_]; }

  std::size_t n_classes_;
  std::size_t last_class_ = kMixed;
  std::vector<Count> counts_;
  std::vector<std::size_t> ends_;
};

/// The same search on rows that are already sorted and grouped. Returns indices of
/// blocks, ascending: a cut after each.
std::vector<std::size_t> mdl_cut_blocks(const Blocks<std::int64_t>& blocks,
                                        CutPrice price, const LogTable& logs);
std::vector<std::size_t> mdl_cut_blocks(const Blocks<double>& blocks, CutPrice price);

/// Lengths of the runs of equal values of a column in ascending order; NaN left out.
/// Two columns with the same runs have the same null distribution.
std::vector<std::int64_t> tie_runs(std::span<const double> values);

}  // namespace featsieve
