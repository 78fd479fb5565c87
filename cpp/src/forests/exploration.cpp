#include "forests/exploration.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>
#include <stdexcept>

namespace featsieve {

namespace {

/// Beyond, a gain is clear enough, and sums stay finite.
constexpr double kMostBits = 100;

/// A feature that is on the path already is drawn again, so often at the most.
constexpr int kMostDraws = 8;

/// Bits that are set. Without an instruction of its own the library would be called for
/// every byte; this is in words, for the vectoriser.
std::uint32_t count_bits(const std::uint8_t* begin, const std::uint8_t* end) {
  std::uint64_t total = 0;
  while (begin < end) {
    std::uint64_t x = 0;
    const std::size_t size =
        std::min<std::size_t>(sizeof x, static_cast<std::size_t>(end - begin));
    std::memcpy(&x, begin, size);
    begin += size;
    x -= (x >> 1U) & 0x5555555555555555U;
    x = (x & 0x3333333333333333U) + ((x >> 2U) & 0x3333333333333333U);
    x = (x + (x >> 4U)) & 0x0F0F0F0F0F0F0F0FU;
    total += (x * 0x0101010101010101U) >> 56U;
  }
  return static_cast<std::uint32_t>(total);
}

/// Draws features by their chances.
class Draw {
 public:
  explicit Draw(std::span<const double> chances) : ends_(chances.size()) {
    std::partial_sum(chances.begin(), chances.end(), ends_.begin());
    if (ends_.empty() || !(ends_.back() > 0))
      throw std::invalid_argument("some feature must have a chance");
  }

  std::uint32_t one(Random& random) const {
    const double point = random.uniform() * ends_.back();
    auto end = std::upper_bound(ends_.begin(), ends_.end(), point);
    if (end == ends_.end()) end = std::lower_bound(ends_.begin(), end, ends_.back());
    return static_cast<std::uint32_t>(end - ends_.begin());
  }

 private:
  std::vector<double> ends_;
};

}  // namespace

/// The nodes of one depth of one tree.
struct Exploration::Level {
  std::vector<std::uint8_t> planes;   // the rows of each, one after another
  std::vector<std::uint32_t> totals;  // rows per node and class
  std::vector<Node> nodes;
};

Exploration::Exploration(const CodeMatrix& codes, std::span<const std::int32_t> classes,
                         std::int32_t n_classes,
                         std::span<const std::uint8_t> is_nominal,
                         Instructions instructions)
    : rows_(sort_by_class(classes, n_classes)),
      logs_(classes.size()),
      planes_(rows_, columns_of(codes), instructions),
      format_(plane_format(instructions)),
      is_nominal_(is_nominal.begin(), is_nominal.end()) {
  if (is_nominal.size() != columns_of(codes) || rows_of(codes) != classes.size())
    throw std::invalid_argument("one flag per column and one class per row are needed");
  visit_dense_columns(
      codes, rows_,
      [&](std::size_t, DenseColumn& column) {
        if (column.levels > BitPlanes::kMostLevels)
          throw std::invalid_argument("a column has too many levels");
        has_missing_.push_back(column.has_missing ? 1 : 0);
        planes_.add(column);
      },
      instructions);
  planes_.finish();
  for (std::size_t c = 0; c < rows_.n_classes(); ++c) {
    class_begin_.push_back(all_rows_.size());
    for (std::size_t left = rows_.size(c); left > 0;) {
      const std::size_t here = std::min<std::size_t>(left, format_.rows_per_byte);
      all_rows_.push_back(0);
      left -= here;
    }
    // Row i of a class is bit i / steps of its byte i % steps, as planes are written.
    const std::size_t steps = all_rows_.size() - class_begin_[c];
    for (std::size_t i = 0; i < rows_.size(c); ++i) {
      std::uint8_t& byte = all_rows_[class_begin_[c] + i % steps];
      byte = static_cast<std::uint8_t>(byte | (1U << (i / steps + format_.shift)));
    }
  }
  class_begin_.push_back(all_rows_.size());
}

Exploration::Sums Exploration::grow(std::span<const std::uint32_t> roots,
                                    std::span<const std::uint64_t> seeds,
                                    std::span<const double> chances,
                                    const ExplorationRules& rules) const {
  if (roots.size() != seeds.size() || chances.size() != n_features())
    throw std::invalid_argument("one root per seed and one chance per feature, please");
  if (std::any_of(roots.begin(), roots.end(),
                  [&](std::uint32_t root) { return root >= n_features(); }))
    throw std::out_of_range("there is no such feature");
  const Draw draw(chances);
  const std::size_t n_steps = all_rows_.size();
  Sums sums{std::vector<double>(rules.depth * n_features(), 0.0),
            std::vector<std::int64_t>(rules.depth, 0)};
  Level level;
  Level below;
  std::array<std::vector<std::uint8_t>, 2> halves;
  for (auto& half : halves) half.resize(n_steps);
  std::vector<std::uint32_t> totals(rows_.n_classes());
  for (std::size_t tree = 0; tree < seeds.size(); ++tree) {
    Random random(seeds[tree]);
    level.planes = all_rows_;
    level.nodes.assign(1, Node{{roots[tree]}, rows_.order.size()});
    for (std::size_t depth = 0; depth < rules.depth; ++depth) {
      below.planes.clear();
      below.totals.clear();
      below.nodes.clear();
      for (std::size_t i = 0; i < level.nodes.size(); ++i) {
        const auto& path = level.nodes[i].path;
        split(path.back(), &level.planes[i * n_steps], halves[0].data(),
              halves[1].data(), random);
        for (const auto& half : halves) {
          count(half.data(), totals.data());
          const std::size_t n = std::accumulate(totals.begin(), totals.end(), 0UL);
          if (n < rules.least_rows || n == level.nodes[i].n_rows ||
              std::count(totals.begin(), totals.end(), 0U) + 1 >=
                  static_cast<std::ptrdiff_t>(totals.size()))
            continue;
          Node node{path, n};
          std::uint32_t next = draw.one(random);
          for (int k = 0; k < kMostDraws && std::ranges::count(path, next) > 0; ++k)
            next = draw.one(random);
          node.path.push_back(next);
          below.nodes.push_back(std::move(node));
          below.planes.insert(below.planes.end(), half.begin(), half.end());
          below.totals.insert(below.totals.end(), totals.begin(), totals.end());
        }
      }
      if (below.nodes.empty()) break;
      look(below, &sums.surprise[depth * n_features()]);
      sums.n_nodes[depth] += static_cast<std::int64_t>(below.nodes.size());
      std::swap(level, below);
    }
  }
  return sums;
}

void Exploration::split(std::uint32_t feature, const std::uint8_t* rows,
                        std::uint8_t* left, std::uint8_t* right, Random& random) const {
  const BitPlanes::Feature& own = planes_.features()[feature];
  const std::size_t n_known = own.levels - has_missing_[feature];
  std::array<bool, BitPlanes::kMostLevels> to_right{};
  if (is_nominal_[feature] != 0) {
    for (std::size_t level = 0; level < n_known; ++level)
      to_right[level] = random.below(2) == 1;
    // Not all to one side.
    if (n_known > 1) {
      const std::size_t one = random.below(n_known);
      const std::size_t other = (one + 1 + random.below(n_known - 1)) % n_known;
      to_right[other] = !to_right[one];
    }
  } else if (n_known > 1) {
    const std::size_t cut = 1 + random.below(n_known - 1);
    for (std::size_t level = cut; level < n_known; ++level) to_right[level] = true;
  }
  if (has_missing_[feature] != 0) to_right[n_known] = random.below(2) == 1;
  // Level 0 has no plane: its rows are those that no other level has.
  const std::size_t n_steps = all_rows_.size();
  const bool flipped = to_right[0];
  std::fill(right, right + n_steps, std::uint8_t{0});
  for (std::size_t k = 0; k < own.n_planes; ++k) {
    if (to_right[k + 1] == flipped) continue;
    const std::uint8_t* plane = planes_.plane(own.first_plane + k);
    for (std::size_t step = 0; step < n_steps; ++step)
      right[step] = static_cast<std::uint8_t>(right[step] | plane[step]);
  }
  for (std::size_t step = 0; step < n_steps; ++step) {
    left[step] = static_cast<std::uint8_t>(rows[step] & ~right[step]);
    right[step] = static_cast<std::uint8_t>(rows[step] & right[step]);
  }
}

void Exploration::count(const std::uint8_t* rows, std::uint32_t* totals) const {
  for (std::size_t c = 0; c < rows_.n_classes(); ++c)
    totals[c] = count_bits(rows + class_begin_[c], rows + class_begin_[c + 1]);
}

void Exploration::look(const Level& level, double* sums) const {
  const std::size_t n_nodes = level.nodes.size();
  const std::size_t n_classes = rows_.n_classes();
  std::vector<NodeTotals> totals;
  for (std::size_t i = 0; i < n_nodes; ++i) {
    NodeTotals& own = totals.emplace_back();
    own.rows = {&level.totals[i * n_classes], n_classes};
    own.bits = logs_(level.nodes[i].n_rows);
    for (const std::uint32_t total : own.rows) {
      own.bits -= logs_(total);
      own.n_classes += total > 0 ? 1 : 0;
    }
  }
  std::vector<std::uint32_t> counts;
  for (std::size_t g = 0; g < planes_.groups().size(); ++g) {
    planes_.count_common(level.planes.data(), n_nodes, g, counts);
    for (const std::uint32_t j : planes_.groups()[g].features) {
      const BitPlanes::Feature& feature = planes_.features()[j];
      if (feature.n_planes == 0) continue;
      const bool usual = n_classes == 2 && feature.n_planes == 3;
      for (std::size_t i = 0; i < n_nodes; ++i) {
        const std::uint32_t* own = &counts[i * kLanes + feature.lane];
        sums[j] +=
            usual ? surprise<2, 3>(own, n_nodes * kLanes, 3, totals[i])
                  : surprise<0, 0>(own, n_nodes * kLanes, feature.n_planes, totals[i]);
      }
    }
  }
}

/// Numbers of classes and planes that are known beforehand (else 0) unroll the loops.
template <std::size_t kClasses, std::size_t kPlanes>
double Exploration::surprise(const std::uint32_t* counts, std::size_t class_stride,
                             std::size_t n_planes, const NodeTotals& totals) const {
  const std::size_t n_classes = kClasses > 0 ? kClasses : totals.rows.size();
  if constexpr (kPlanes > 0) n_planes = kPlanes;
  std::int64_t bits = totals.bits;
  std::uint32_t first = 0;  // rows of level 0, which has no plane
  std::array<std::uint32_t, kPlanes == 0 ? BitPlanes::kMostLevels : kPlanes> levels;
  std::fill_n(levels.begin(), n_planes, 0U);
  for (std::size_t c = 0; c < n_classes; ++c) {
    std::uint32_t rest = totals.rows[c];
    for (std::size_t k = 0; k < n_planes; ++k) {
      const std::uint32_t own = counts[c * class_stride + k];
      bits += logs_(own);
      levels[k] += own;
      rest -= own;
    }
    bits += logs_(rest);
    first += rest;
  }
  bits -= logs_(first);
  int n_levels = first > 0 ? 1 : 0;
  for (std::size_t k = 0; k < n_planes; ++k) {
    bits -= logs_(levels[k]);
    n_levels += levels[k] > 0 ? 1 : 0;
  }
  const int freedom = (n_levels - 1) * (totals.n_classes - 1);
  const double ahead =
      std::min(static_cast<double>(bits) * logs_.unit() - freedom, kMostBits);
  return ahead > 0 ? std::exp2(ahead / 2) : 1.0;
}

}  // namespace featsieve
