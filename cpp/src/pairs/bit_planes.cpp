#include "pairs/bit_planes.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "common/byte_transpose.hpp"

namespace featsieve {
namespace {

/// Steps counted at a time: the lanes of a group (64 bytes a step) and as many planes
/// stay in a second-level cache of 256 KiB.
constexpr std::size_t kStepsAtATime = 1008;

/// Features of like size share groups, so that one way of counting suits a whole group.
constexpr std::array<std::size_t, 3> kMostPlanesOfBand = {4, 16, kLanes};

/// No level has this code; it fills a class up to whole bytes.
constexpr std::uint8_t kNoLevel = 255;

/// One byte per step from kRows stretches of codes: bit k is set where the code in
/// stretch k is the level. Rows of a class may come in any order, and with stretches
/// every operation is on neighbouring bytes, for the vectoriser.
template <unsigned kRows>
void write_plane(const std::uint8_t* codes, std::size_t n_steps, std::uint8_t level,
                 unsigned shift, std::uint8_t* plane) {
  for (std::size_t step = 0; step < n_steps; ++step) {
    unsigned bits = 0;
    for (unsigned k = 0; k < kRows; ++k)
      bits |= (codes[k * n_steps + step] == level ? 1U : 0U) << k;
    plane[step] = static_cast<std::uint8_t>(bits << shift);
  }
}

}  // namespace

BitPlanes::BitPlanes(const ClassRows& rows, std::size_t n_features,
                     Instructions instructions)
    : n_expected_(n_features),
      format_(plane_format(require(instructions))),
      count_(common_counter(instructions)) {
  step_begin_.push_back(0);
  for (std::size_t c = 0; c < rows.n_classes(); ++c) {
    class_sizes_.push_back(rows.size(c));
    const std::size_t bytes =
        (rows.size(c) + format_.rows_per_byte - 1) / format_.rows_per_byte;
    step_begin_.push_back(step_begin_.back() + bytes);
  }
}

void BitPlanes::add(const DenseColumn& column, bool with_planes) {
  Feature feature;
  feature.levels = column.levels;
  feature.has_planes = with_planes && column.levels <= kMostLevels;
  feature.first_plane = n_steps() == 0 ? 0 : planes_.size() / n_steps();
  if (feature.has_planes && column.levels > 0) feature.n_planes = column.levels - 1;
  features_.push_back(feature);
  const std::size_t origin = planes_.size();
  reserve(origin + feature.n_planes * n_steps());
  planes_.resize(origin + feature.n_planes * n_steps());
  if (feature.n_planes == 0) return;

  const std::uint8_t* codes = column.narrow.data();
  for (std::size_t c = 0; c < n_classes(); ++c) {
    const std::size_t steps = step_begin_[c + 1] - step_begin_[c];
    padded_.resize(steps * format_.rows_per_byte);
    std::copy_n(codes, class_sizes_[c], padded_.begin());
    std::fill(padded_.begin() + static_cast<std::ptrdiff_t>(class_sizes_[c]),
              padded_.end(), kNoLevel);
    codes += class_sizes_[c];
    for (std::size_t k = 0; k < feature.n_planes; ++k) {
      std::uint8_t* plane = &planes_[origin + k * n_steps()] + step_begin_[c];
      const auto level = static_cast<std::uint8_t>(k + 1);
      if (format_.rows_per_byte == 4)
        write_plane<4>(padded_.data(), steps, level, format_.shift, plane);
      else if (format_.rows_per_byte == 6)
        write_plane<6>(padded_.data(), steps, level, format_.shift, plane);
      else
        write_plane<8>(padded_.data(), steps, level, format_.shift, plane);
    }
  }
}

/// Growing step by step would touch fresh pages several times over, which costs more
/// than filling them; so room is made for as many planes as the features so far
/// suggest.
void BitPlanes::reserve(std::size_t bytes) {
  if (bytes <= planes_.capacity()) return;
  constexpr std::size_t kMostGuessed = std::size_t{1} << 26U;
  const std::size_t expected = bytes / features_.size() * n_expected_;
  planes_.reserve(std::max(bytes, std::min(expected, 2 * bytes + kMostGuessed)));
}

void BitPlanes::finish() {
  make_groups();
  make_lanes();
  make_margins();
}

void BitPlanes::make_groups() {
  for (std::size_t band = 0; band < kMostPlanesOfBand.size(); ++band) {
    bool started = false;
    for (std::size_t j = 0; j < features_.size(); ++j) {
      Feature& feature = features_[j];
      const std::size_t low = band == 0 ? 0 : kMostPlanesOfBand[band - 1] + 1;
      if (!feature.has_planes || feature.n_planes < low ||
          feature.n_planes > kMostPlanesOfBand[band])
        continue;
      if (!started || groups_.back().n_lanes + feature.n_planes > kLanes ||
          groups_.back().features.size() == kLanes)
        groups_.emplace_back();
      started = true;
      Group& group = groups_.back();
      feature.group = groups_.size() - 1;
      feature.lane = group.n_lanes;
      group.features.push_back(static_cast<std::uint32_t>(j));
      group.n_lanes += feature.n_planes;
    }
  }
}

void BitPlanes::make_lanes() {
  constexpr std::size_t kBlock = 64;  // steps: the written block stays in L1
  lanes_.assign(groups_.size() * n_steps(), LaneStep{});
  for (const Group& group : groups_) {
    LaneStep* steps = lanes_.data() + features_[group.features[0]].group * n_steps();
    for (std::size_t begin = 0; begin < n_steps(); begin += kBlock) {
      const std::size_t size = std::min(kBlock, n_steps() - begin);
      std::size_t member = 0;
      while (member < group.features.size()) {
        // Features that follow each other have planes that do, so that many become
        // lanes at once.
        const Feature& first = features_[group.features[member]];
        std::size_t n_planes = 0;
        while (member < group.features.size() &&
               features_[group.features[member]].first_plane ==
                   first.first_plane + n_planes)
          n_planes += features_[group.features[member++]].n_planes;
        if (n_planes == 0) continue;
        transpose_bytes(plane(first.first_plane) + begin, n_steps(), n_planes, size,
                        &steps[begin].lanes[first.lane], kLanes);
      }
      if (format_.shift == 0) continue;
      for (std::size_t step = begin; step < begin + size; ++step)
        for (std::uint8_t& bits : steps[step].lanes)
          bits = static_cast<std::uint8_t>(bits >> format_.shift);
    }
  }
}

void BitPlanes::make_margins() {
  const std::uint32_t all_rows = ((1U << format_.rows_per_byte) - 1U) << format_.shift;
  const std::vector<std::uint8_t> ones(n_steps(), static_cast<std::uint8_t>(all_rows));
  std::vector<std::uint32_t> counts;
  std::size_t cells = 0;
  for (Feature& feature : features_) {
    feature.margin = cells;
    if (feature.has_planes) cells += feature.levels * (n_classes() + 1);
  }
  margins_.assign(cells, 0);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    count_common(ones.data(), 1, g, counts);
    for (const std::uint32_t j : groups_[g].features) {
      const Feature& feature = features_[j];
      if (feature.levels == 0) continue;
      std::uint32_t* margin = &margins_[feature.margin];
      std::uint32_t* totals = margin + n_classes() * feature.levels;
      for (std::size_t c = 0; c < n_classes(); ++c, margin += feature.levels) {
        margin[0] = static_cast<std::uint32_t>(class_sizes_[c]);
        for (std::size_t k = 0; k < feature.n_planes; ++k) {
          margin[k + 1] = counts[c * kLanes + feature.lane + k];
          margin[0] -= margin[k + 1];
        }
        for (std::size_t a = 0; a < feature.levels; ++a) totals[a] += margin[a];
      }
    }
  }
}

void BitPlanes::count_common(const std::uint8_t* planes, std::size_t n_planes,
                             std::size_t group,
                             std::vector<std::uint32_t>& counts) const {
  counts.assign(n_classes() * n_planes * kLanes, 0);
  const LaneStep* lanes = lanes_.data() + group * n_steps();
  for (std::size_t c = 0; c < n_classes(); ++c)
    for (std::size_t begin = step_begin_[c]; begin < step_begin_[c + 1];
         begin += kStepsAtATime)
      count_(planes + begin, n_steps(), n_planes, lanes + begin,
             std::min(kStepsAtATime, step_begin_[c + 1] - begin),
             counts.data() + c * n_planes * kLanes);
}

}  // namespace featsieve
