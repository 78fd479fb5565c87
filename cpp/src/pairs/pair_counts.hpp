#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "counting/class_order.hpp"
#include "counting/dense_column.hpp"
#include "counting/three_way.hpp"
#include "pairs/bit_planes.hpp"

namespace featsieve {

/// Joint tables of all pairs of features with a class, counted part by part. Counts
/// add up: any cutting of the rows into parts, in any order, gives the same tables.
///
/// The table of features i < j has levels[i] × levels[j] cells per class, class after
/// class: cell (a, b) of class c at
/// offset(i, j) + (c * levels[i] + a) * levels[j] + b.
class PairCounts {
 public:
  /// levels: of each feature, from 1 to 256; a missing value is a level like others.
  PairCounts(std::vector<std::uint32_t> levels, std::size_t n_classes,
             Instructions instructions);

  std::size_t n_features() const { return levels_.size(); }
  std::size_t n_classes() const { return n_classes_; }

  /// Takes the classes of the next rows; those of a negative one are left out.
  void start(std::span<const std::int32_t> classes);

  /// Takes the codes of a feature in these rows, as ClassOrder::write does, and returns
  /// the largest place, which must be below the levels.
  std::uint8_t write(std::size_t j, std::span<const std::int32_t> codes,
                     std::span<const std::uint8_t> places);

  /// Adds the rows, of which every feature must have been written.
  void finish();

  /// Adds what was counted elsewhere for the same features and levels.
  void merge(std::span<const std::int64_t> counts);

  std::span<const std::int64_t> counts() const { return counts_; }
  std::size_t offset(std::size_t i, std::size_t j) const;

  /// Gains in bits of all pairs in the order (0, 1), (0, 2), …: the same bits as
  /// PairScanner gives with missing values as a level.
  void gains(std::span<double> joint_gain, std::span<double> synergy) const;

  /// Tests some pairs first[k] < second[k] for a three-way interaction with the class.
  void interactions(std::span<const std::int64_t> first,
                    std::span<const std::int64_t> second,
                    std::span<ThreeWayDistance> distances) const;

 private:
  void add_planes(const BitPlanes& planes, std::size_t i);
  void add_rows(std::size_t i, std::size_t j);

  std::vector<std::uint32_t> levels_;
  std::size_t n_classes_;
  Instructions instructions_;
  std::vector<std::size_t> offsets_;  // of pairs in order, and the end
  std::vector<std::int64_t> counts_;
  std::optional<ClassOrder> order_;   // of the rows at hand
  std::vector<DenseColumn> columns_;  // of the rows at hand, in class order
  std::vector<std::uint32_t> common_;
  std::vector<std::uint32_t> table_;
};

}  // namespace featsieve
