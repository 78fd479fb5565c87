#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trees/case_lists.hpp"
#include "trees/shadows.hpp"

namespace featsieve {

/// Scores shadows: how much the best test on one would gain among the rows of a node.
/// Nothing else is asked of a shadow, and every row weighs the same, so this is faster
/// than looking for a test to split on.
class ShadowSearch {
 public:
  /// target: classes, or numbers; it and the shadows must outlive the search.
  ShadowSearch(const Shadows& shadows, const TreeTarget& target);

  /// Turns to another node.
  void begin(std::span<const std::uint32_t> rows);
  /// Best gain of each shadow of the feature: in bits per row, or as a share of the
  /// node's variance if numbers are predicted. 0 where there is no test.
  void gains(std::size_t feature, std::span<double> best);

 private:
  struct Keyed {
    std::uint32_t place;
    std::uint32_t payload;  // the class, or the position in the node
  };

  template <class Score>
  double gain(std::size_t feature, std::span<const std::uint32_t> rows, Score score);
  template <class Score>
  double gain_of_levels(std::size_t feature, std::span<const std::uint32_t> rows,
                        Score& score);
  template <class Score>
  double gain_of_places(std::size_t feature, std::span<const std::uint32_t> rows,
                        Score& score);
  std::span<const std::uint32_t> shadow_rows(std::size_t order);
  double gain_of_two_classes(std::size_t feature, std::span<const std::uint32_t> rows);
  bool has_places(std::size_t feature) const;
  template <class Key, class Place>
  void sort_keys(std::vector<Key>& keys, std::vector<Key>& scratch, const Place& place);

  const Shadows* shadows_;
  const TreeColumns* columns_;
  const TreeTarget* target_;
  std::vector<std::uint32_t> rows_;         // of the node
  std::vector<std::uint32_t> payloads_;     // of its rows
  std::vector<double> responses_;           // of its rows, less their mean
  double squares_ = 0;                      // of these
  std::vector<std::uint32_t> shadow_rows_;  // by order and row of the node
  std::vector<std::uint8_t> looked_up_;     // by order
  std::vector<Keyed> keys_, scratch_;
  std::vector<std::uint32_t> small_keys_, small_scratch_;
  std::vector<std::uint32_t> starts_;
  std::vector<std::uint32_t> counts_, known_counts_;
  std::vector<double> sums_, known_sums_;
};

}  // namespace featsieve
