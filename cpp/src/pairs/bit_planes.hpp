#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "counting/dense_column.hpp"
#include "pairs/popcount.hpp"

namespace featsieve {

/// One bit per row for every level of every feature but its level 0, whose counts
/// follow from the margins. Rows are sorted by class, and a class starts at a new byte.
///
/// Every plane is kept twice: as a plane (to be a first one) and as a lane of a group
/// (to be a second one). Memory: n / 2 bytes a plane with AVX2, n / 3 with AVX-512.
class BitPlanes {
 public:
  /// Features with more levels have no planes: histograms are always faster then.
  static constexpr std::uint32_t kMostLevels = kLanes;

  struct Feature {
    std::uint32_t levels = 0;     // as in DenseColumn; the missing one is the last
    std::size_t first_plane = 0;  // planes of levels 1, 2, … follow each other
    std::size_t n_planes = 0;
    std::size_t group = 0;
    std::size_t lane = 0;    // lanes of levels 1, 2, … follow each other
    std::size_t margin = 0;  // where its margins start
    bool has_planes = false;
  };

  struct Group {
    std::vector<std::uint32_t> features;  // ascending
    std::size_t n_lanes = 0;
  };

  /// n_features: how many will be added; a wrong number costs time only.
  BitPlanes(const ClassRows& rows, std::size_t n_features, Instructions instructions);

  /// Adds the next feature; without planes if it has too many levels or none are
  /// wanted.
  void add(const DenseColumn& column, bool with_planes = true);

  /// Makes groups and margins; call once, after the last feature.
  void finish();

  std::size_t n_classes() const { return step_begin_.size() - 1; }
  std::span<const Feature> features() const { return features_; }
  std::span<const Group> groups() const { return groups_; }

  /// Rows with this level, for class c: at margins(feature)[c * levels + level]; for
  /// all classes at c = n_classes().
  const std::uint32_t* margins(const Feature& feature) const {
    return margins_.data() + feature.margin;
  }

  /// Bytes of all classes of a plane, and of one class.
  std::size_t n_steps() const { return step_begin_.back(); }
  const std::uint8_t* plane(std::size_t index) const {
    return planes_.data() + index * n_steps();
  }

  /// Counts the rows per class that planes have in common with the lanes of a group.
  /// planes: n_planes of them, n_steps() bytes each, one after another. counts: for
  /// class c, plane i and lane j at [(c * n_planes + i) * kLanes + j]; overwritten.
  void count_common(const std::uint8_t* planes, std::size_t n_planes, std::size_t group,
                    std::vector<std::uint32_t>& counts) const;

 private:
  void reserve(std::size_t bytes);
  void make_groups();
  void make_lanes();
  void make_margins();

  std::size_t n_expected_;
  std::vector<std::size_t> class_sizes_;
  std::vector<std::size_t> step_begin_;
  PlaneFormat format_;
  CommonCounter count_;
  std::vector<Feature> features_;
  std::vector<std::uint8_t> planes_;
  std::vector<Group> groups_;
  std::vector<LaneStep> lanes_;
  std::vector<std::uint32_t> margins_;
  std::vector<std::uint8_t> padded_;
};

}  // namespace featsieve
