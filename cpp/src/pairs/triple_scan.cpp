#include "pairs/triple_scan.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "common/best_of.hpp"
#include "pairs/triple_tables.hpp"

namespace featsieve {
namespace {

/// Triples of planes, the unused lanes among them, that may be counted instead of
/// splitting the rows of one triple into cells. Measured with AVX2 at 9 levels, 512
/// triples of planes: 7.5 µs against 14 for 1,000 rows and 2 classes, 26 against 68 for
/// 10,000 rows, but 11 against 9 for 1,000 rows and 5 classes.
constexpr std::size_t kPlaneTriplesPerWalk = 1024;

/// Gains of a triple and of its parts, times n.
template <class Value>
struct Parts {
  Value joint;
  std::array<Value, 3> pairs;    // without the first, the second, the third feature
  std::array<Value, 3> singles;  // the first, the second, the third feature

  TripleGains gains(double per_unit) const {
    const Value alone = singles[0] + singles[1] + singles[2];
    const Value in_pairs = pairs[0] + pairs[1] + pairs[2];
    const Value best = std::max(
        {alone, pairs[0] + singles[0], pairs[1] + singles[1], pairs[2] + singles[2]});
    return {static_cast<double>(joint) * per_unit,
            static_cast<double>(joint - in_pairs + alone) * per_unit,
            static_cast<double>(joint - best) * per_unit};
  }
};

double score_of(const TripleGains& gains, TripleScore score) {
  switch (score) {
    case TripleScore::kThirdOrder:
      return gains.third_order;
    case TripleScore::kJointGain:
      return gains.joint_gain;
    default:
      return gains.synergy;
  }
}

/// Whether one triple ranks before another: the higher score, then the lower (i, j, k).
struct RanksBefore {
  TripleScore score;

  bool operator()(const Triple& a, const Triple& b) const {
    const double x = score_of(a.gains, score);
    const double y = score_of(b.gains, score);
    if (x != y) return x > y;
    if (a.first != b.first) return a.first < b.first;
    return a.second != b.second ? a.second < b.second : a.third < b.third;
  }
};

void write_gains(const TripleGains& gains, std::span<double> out, std::size_t at) {
  out[3 * at] = gains.joint_gain;
  out[3 * at + 1] = gains.third_order;
  out[3 * at + 2] = gains.synergy;
}

}  // namespace

struct TripleScanner::Scratch {
  std::vector<std::uint8_t> planes;   // intersections, of a block
  std::vector<std::size_t> offsets;   // of the planes of each pair of it
  std::vector<std::uint32_t> counts;  // of a tile
  std::vector<std::uint32_t> rest;    // cells of level 0 of the first feature
  std::vector<std::uint32_t> cube;    // all cells of a triple
  FeaturePair walked{~0U, ~0U};       // whose cells these are
  TupleScanner::Cells cells;
};

TripleScanner::TripleScanner(const CodeMatrix& codes,
                             std::span<const std::int32_t> classes,
                             std::int32_t n_classes, Missing missing,
                             Instructions instructions, std::span<const double> weights)
    : PlaneScanner(sort_by_class(classes, n_classes), columns_of(codes), missing,
                   instructions),
      weighted_(!weights.empty()) {
  if (missing == Missing::kSpread)
    throw std::invalid_argument("missing values cannot be spread over triples");
  const bool with_planes = !weighted_ && rows_.n_classes() <= kMostClasses;
  make_planes(
      [&](const VisitColumn& visit) {
        visit_dense_columns(codes, rows_, visit, instructions);
      },
      [&](const DenseColumn& column) {
        // A feature has planes while its table with one like it, by class, has at most
        // as many cells as there are rows; beyond, most cells are empty, and splitting
        // the rows is faster. Measured with AVX-512 for all triples of 40 features of 9
        // levels, 1,000 rows: 205 ms against 89 with 20 classes, 107 against 105 with
        // 10. 60 rows of 60 classes and 52 levels have 162,240 cells a pair.
        return with_planes &&
               std::size_t{column.levels} * column.levels * rows_.n_classes() <=
                   n_rows();
      });
  std::size_t most = 0;  // the numbers of planes of the two largest features
  std::size_t second_most = 0;
  bool all_have_planes = true;
  for (const BitPlanes::Feature& one : planes_.features()) {
    all_have_planes = all_have_planes && one.has_planes;
    second_most = std::max(second_most, std::min(most, one.n_planes));
    most = std::max(most, one.n_planes);
  }
  for (const auto& group : planes_.groups())
    all_have_planes = all_have_planes && few_planes(most * second_most, group);
  if (!all_have_planes) walk_.emplace(codes, classes, n_classes, missing, weights);
  for (std::size_t j = 0; j < n_features(); ++j)
    sums_.push_back(
        feature(j).has_planes
            ? sum_of_table(planes_.margins(feature(j)), 1, feature(j).levels)
            : walk_->sum(walk_->split(walk_->whole(), j)));
  pair_rows_.resize(n_features());
}

bool TripleScanner::few_planes(std::size_t n_planes, const BitPlanes::Group& group) {
  return n_planes <= kBlockPlanes &&
         n_planes * kLanes <= kPlaneTriplesPerWalk * group.features.size();
}

bool TripleScanner::have_planes(const FeaturePair& pair) const {
  return planes_.features()[pair.first].has_planes &&
         planes_.features()[pair.second].has_planes && planes_of(pair) <= kBlockPlanes;
}

std::size_t TripleScanner::planes_of(const FeaturePair& pair) const {
  return planes_.features()[pair.first].n_planes *
         planes_.features()[pair.second].n_planes;
}

void TripleScanner::prepare(std::span<const std::int32_t> features) {
  for (const std::int32_t j : features)
    if (j < 0 || static_cast<std::size_t>(j) >= n_features())
      throw std::out_of_range("there is no such feature");
  for (const std::int32_t j : features) {
    PairRow& row = pair_rows_[static_cast<std::size_t>(j)];
    if (row.begin.empty()) row = make_row(static_cast<std::size_t>(j));
  }
}

TripleScanner::PairRow TripleScanner::make_row(std::size_t feature) const {
  PairRow row;
  row.begin.resize(n_features());
  row.sums.resize(n_features());
  const BitPlanes::Feature& first = planes_.features()[feature];
  if (first.has_planes) count_row(feature, row);
  if (!walk_) return row;
  const auto cells = walk_->split(walk_->whole(), feature);
  for (std::size_t k = 0; k < n_features(); ++k)
    if (!first.has_planes || !planes_.features()[k].has_planes)
      row.sums[k] = walk_->sum(walk_->split(cells, k));
  return row;
}

void TripleScanner::count_row(std::size_t feature, PairRow& row) const {
  const BitPlanes::Feature& first = planes_.features()[feature];
  const std::size_t n_classes = planes_.n_classes();
  std::size_t size = 0;
  for (std::size_t k = 0; k < n_features(); ++k) {
    row.begin[k] = size;
    if (planes_.features()[k].has_planes)
      size += first.levels * (n_classes + 1) * planes_.features()[k].levels;
  }
  row.tables.assign(size, 0);
  const std::uint32_t* first_margins = planes_.margins(first);
  std::vector<std::uint32_t> counts;
  counts.reserve(n_classes * first.n_planes * kLanes + kLanes);
  for (std::size_t g = 0; g < planes_.groups().size(); ++g) {
    planes_.count_common(planes_.plane(first.first_plane), first.n_planes, g, counts);
    for (const std::uint32_t k : planes_.groups()[g].features) {
      const BitPlanes::Feature& second = planes_.features()[k];
      const std::size_t levels = second.levels;
      if (levels == 0) continue;  // no rows
      const std::uint32_t* second_margins = planes_.margins(second);
      std::uint32_t* table = row.tables.data() + row.begin[k];
      for (std::size_t c = 0; c < n_classes; ++c) {
        std::uint32_t* top = table + c * levels;  // of level 0 of the first feature
        std::copy_n(second_margins + c * levels, levels, top);
        for (std::size_t a = 1; a < first.levels; ++a) {
          std::uint32_t* cells = table + (a * (n_classes + 1) + c) * levels;
          cells[0] = first_margins[c * first.levels + a];
          for (std::size_t b = 1; b < levels; ++b) {
            cells[b] =
                counts[(c * first.n_planes + a - 1) * kLanes + second.lane + b - 1];
            cells[0] -= cells[b];
            top[b] -= cells[b];
          }
          top[0] -= cells[0];
        }
      }
      for (std::size_t a = 0; a < first.levels; ++a) {
        const std::uint32_t* cells = table + a * (n_classes + 1) * levels;
        std::uint32_t* totals = table + (a * (n_classes + 1) + n_classes) * levels;
        for (std::size_t c = 0; c < n_classes; ++c, cells += levels)
          for (std::size_t b = 0; b < levels; ++b) totals[b] += cells[b];
      }
      row.sums[k] = sum_of_table(table, first.levels, levels);
    }
  }
}

TupleScanner::Sum TripleScanner::sum_of_table(const std::uint32_t* table,
                                              std::size_t first_levels,
                                              std::size_t second_levels) const {
  const std::size_t n_classes = rows_.n_classes();
  std::int64_t sum = class_total_;
  for (std::size_t a = 0; a < first_levels; ++a) {
    const std::uint32_t* cells = table + a * (n_classes + 1) * second_levels;
    const std::uint32_t* totals = cells + n_classes * second_levels;
    for (; cells < totals; ++cells) sum += log_(*cells);
    for (std::size_t b = 0; b < second_levels; ++b) sum -= log_(totals[b]);
  }
  return {std::max<std::int64_t>(0, sum), 0, static_cast<double>(rows_.order.size())};
}

std::size_t TripleScanner::n_triples(std::size_t begin, std::size_t end) const {
  const std::size_t p = n_features();
  if (begin > end || end > p)
    throw std::out_of_range("first features must lie in [0, n_features]");
  std::size_t triples = 0;
  for (std::size_t i = begin; i < end && i + 2 < p; ++i)
    triples += (p - 1 - i) * (p - 2 - i) / 2;
  return triples;
}

void TripleScanner::scan(std::size_t begin, std::size_t end,
                         std::span<double> gains) const {
  if (gains.size() != 3 * n_triples(begin, end))
    throw std::invalid_argument("three values per triple are needed");
  const std::size_t p = n_features();
  std::size_t row_begin = 0;
  std::size_t row = begin;
  scan_rows(begin, end,
            [&](std::size_t i, std::size_t j, std::size_t k, const TripleGains& found) {
              for (; row < i; ++row) row_begin += (p - 1 - row) * (p - 2 - row) / 2;
              // Pairs (i, i + 1) to (i, j - 1) come before.
              const std::size_t before = (j - i - 1) * (2 * p - 2 - i - j) / 2;
              write_gains(found, gains, row_begin + before + k - j - 1);
            });
}

std::vector<Triple> TripleScanner::scan_top(std::size_t begin, std::size_t end,
                                            std::size_t k, TripleScore score) const {
  BestOf<Triple, RanksBefore> top(std::min(k, n_triples(begin, end)), {score});
  scan_rows(
      begin, end,
      [&](std::size_t i, std::size_t j, std::size_t third, const TripleGains& gains) {
        top.offer({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j),
                   static_cast<std::uint32_t>(third), gains});
      });
  return top.take();
}

void TripleScanner::scan_with_pairs(std::span<const std::int32_t> firsts,
                                    std::span<const std::int32_t> seconds,
                                    std::span<double> gains) const {
  const std::size_t others = n_features() < 2 ? 0 : n_features() - 2;
  if (firsts.size() != seconds.size() || gains.size() != 3 * firsts.size() * others)
    throw std::invalid_argument("three values per pair and other feature are needed");
  std::vector<FeaturePair> pairs;
  for (std::size_t m = 0; m < firsts.size(); ++m) {
    if (firsts[m] < 0 || seconds[m] < 0 || firsts[m] == seconds[m])
      throw std::out_of_range("a pair is two different features");
    pairs.push_back({static_cast<std::uint32_t>(firsts[m]),
                     static_cast<std::uint32_t>(seconds[m])});
  }
  scan_pairs(pairs, false, [&](std::size_t m, std::size_t k, const TripleGains& found) {
    const std::size_t before =
        (k > pairs[m].first ? 1U : 0U) + (k > pairs[m].second ? 1U : 0U);
    write_gains(found, gains, m * others + k - before);
  });
}

template <class Sink>
void TripleScanner::scan_rows(std::size_t begin, std::size_t end,
                              const Sink& sink) const {
  std::vector<FeaturePair> pairs;
  for (std::size_t i = begin; i < end; ++i) {
    pairs.clear();
    for (std::size_t j = i + 1; j + 1 < n_features(); ++j)
      pairs.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j)});
    scan_pairs(pairs, true,
               [&](std::size_t m, std::size_t k, const TripleGains& gains) {
                 sink(i, pairs[m].second, k, gains);
               });
  }
}

/// sink(m, k, gains) for every pair m and every third feature k, or with only_above
/// those that come after both.
template <class Sink>
void TripleScanner::scan_pairs(std::span<const FeaturePair> pairs, bool only_above,
                               const Sink& sink) const {
  for (const FeaturePair& pair : pairs) {
    if (std::max(pair.first, pair.second) >= n_features())
      throw std::out_of_range("there is no such feature");
    if (pair_rows_[pair.first].begin.empty() || pair_rows_[pair.second].begin.empty())
      throw std::invalid_argument("features must be prepared before they are scanned");
  }
  Scratch scratch;
  for (std::size_t begin = 0; begin < pairs.size();) {
    std::size_t end = begin;
    std::size_t n_planes = 0;
    scratch.offsets.clear();
    for (; end < pairs.size() && end - begin < kBlockPlanes; ++end) {
      const std::size_t more = have_planes(pairs[end]) ? planes_of(pairs[end]) : 0;
      if (n_planes + more > kBlockPlanes) break;
      scratch.offsets.push_back(n_planes);
      n_planes += more;
    }
    scratch.planes.resize(n_planes * planes_.n_steps());
    for (std::size_t m = begin; m < end; ++m)
      if (have_planes(pairs[m]))
        intersect_planes(pairs[m], scratch.planes.data() +
                                       scratch.offsets[m - begin] * planes_.n_steps());
    const auto block = pairs.subspan(begin, end - begin);
    const auto sink_block = [&](std::size_t m, std::size_t k,
                                const TripleGains& gains) {
      sink(begin + m, k, gains);
    };
    for (std::size_t g = 0; g < planes_.groups().size(); ++g)
      scan_tile(block, g, n_planes, only_above, scratch, sink_block);
    for (std::size_t k = 0; k < n_features(); ++k) {  // that belong to no group
      if (planes_.features()[k].has_planes) continue;
      for (std::size_t m = 0; m < block.size(); ++m)
        if (takes(block[m], k, only_above))
          sink_block(m, k, from_rows(block[m], k, scratch));
    }
    begin = end;
  }
}

bool TripleScanner::takes(const FeaturePair& pair, std::size_t third, bool only_above) {
  return only_above ? third > pair.second : third != pair.first && third != pair.second;
}

void TripleScanner::intersect_planes(const FeaturePair& pair,
                                     std::uint8_t* planes) const {
  const BitPlanes::Feature& first = planes_.features()[pair.first];
  const BitPlanes::Feature& second = planes_.features()[pair.second];
  const std::size_t n_steps = planes_.n_steps();
  for (std::size_t a = 0; a < first.n_planes; ++a)
    for (std::size_t b = 0; b < second.n_planes; ++b, planes += n_steps) {
      const std::uint8_t* x = planes_.plane(first.first_plane + a);
      const std::uint8_t* y = planes_.plane(second.first_plane + b);
      for (std::size_t step = 0; step < n_steps; ++step)
        planes[step] = static_cast<std::uint8_t>(x[step] & y[step]);
    }
}

template <class Sink>
void TripleScanner::scan_tile(std::span<const FeaturePair> pairs, std::size_t group,
                              std::size_t n_planes, bool only_above, Scratch& scratch,
                              const Sink& sink) const {
  const BitPlanes::Group& thirds = planes_.groups()[group];
  // Second features ascend when only later ones are wanted.
  if (only_above && thirds.features.back() <= pairs.front().second) return;
  const std::size_t class_stride = n_planes * kLanes;
  scratch.counts.reserve(planes_.n_classes() * class_stride + kLanes);
  planes_.count_common(scratch.planes.data(), n_planes, group, scratch.counts);
  for (std::size_t m = 0; m < pairs.size(); ++m) {
    const FeaturePair& pair = pairs[m];
    const bool with_planes = have_planes(pair) && few_planes(planes_of(pair), thirds);
    for (const std::uint32_t k : thirds.features) {
      if (!takes(pair, k, only_above)) continue;
      if (!with_planes) {
        sink(m, k, from_rows(pair, k, scratch));
        continue;
      }
      const std::uint32_t* counts = scratch.counts.data() +
                                    scratch.offsets[m] * kLanes +
                                    planes_.features()[k].lane;
      sink(m, k, from_planes(pair, k, counts, class_stride, scratch));
    }
  }
}

TripleGains TripleScanner::from_planes(const FeaturePair& pair, std::size_t third,
                                       const std::uint32_t* counts,
                                       std::size_t class_stride,
                                       Scratch& scratch) const {
  const std::array<std::size_t, 3> features = {pair.first, pair.second, third};
  const PairRow& first_row = pair_rows_[pair.first];
  const PairRow& second_row = pair_rows_[pair.second];
  TripleTables tables{{},
                      planes_.n_classes(),
                      counts,
                      class_stride,
                      first_row.tables.data() + first_row.begin[pair.second],
                      first_row.tables.data() + first_row.begin[third],
                      second_row.tables.data() + second_row.begin[third]};
  for (std::size_t f = 0; f < 3; ++f)
    tables.levels[f] = planes_.features()[features[f]].levels;
  if (tables.levels[0] == 0) return {0, 0, 0};  // no rows
  if (leaves_out(pair, third)) {
    fill_cube(tables, scratch.cube);
    const CubeSums sums = sum_cube(
        scratch.cube, tables.levels, tables.n_classes,
        {skipped_level(pair.first), skipped_level(pair.second), skipped_level(third)},
        log_);
    const auto& of = sums.gains;
    const Parts<std::int64_t> parts{
        of[7], {of[6], of[5], of[3]}, {of[1], of[2], of[4]}};
    return sums.n == 0 ? TripleGains{0, 0, 0}
                       : parts.gains(log_.unit() / static_cast<double>(sums.n));
  }
  const std::int64_t total = class_total_ + sum_triple(tables, log_, scratch.rest);
  return from_sums(
      {std::max<std::int64_t>(0, total), 0, static_cast<double>(rows_.order.size())},
      pair, third);
}

TripleGains TripleScanner::from_sums(const TupleScanner::Sum& joint,
                                     const FeaturePair& pair, std::size_t third) const {
  if (!(joint.n > 0)) return {0, 0, 0};
  const auto collect = [&](auto TupleScanner::Sum::* value) {
    const PairRow& first = pair_rows_[pair.first];
    return Parts<std::remove_cvref_t<decltype(joint.*value)>>{
        joint.*value,
        {pair_rows_[pair.second].sums[third].*value, first.sums[third].*value,
         first.sums[pair.second].*value},
        {sums_[pair.first].*value, sums_[pair.second].*value, sums_[third].*value}};
  };
  if (weighted_) return collect(&TupleScanner::Sum::bits).gains(1 / joint.n);
  return collect(&TupleScanner::Sum::units).gains(log_.unit() / joint.n);
}

TripleGains TripleScanner::from_rows(const FeaturePair& pair, std::size_t third,
                                     Scratch& scratch) const {
  if (leaves_out(pair, third)) return from_known_rows(pair, third);
  if (scratch.walked.first != pair.first || scratch.walked.second != pair.second) {
    scratch.cells = walk_->split(walk_->split(walk_->whole(), pair.first), pair.second);
    scratch.walked = pair;
  }
  return from_sums(walk_->sum(walk_->split(scratch.cells, third)), pair, third);
}

TripleGains TripleScanner::from_known_rows(const FeaturePair& pair,
                                           std::size_t third) const {
  const std::array<std::size_t, 3> features = {pair.first, pair.second, third};
  const auto known = walk_->whole(features);
  const auto first = walk_->split(known, pair.first);
  const auto second = walk_->split(known, pair.second);
  const auto both = walk_->split(first, pair.second);
  const std::array<TupleScanner::Sum, 7> sums = {
      walk_->sum(walk_->split(both, third)),
      walk_->sum(walk_->split(second, third)),
      walk_->sum(walk_->split(first, third)),
      walk_->sum(both),
      walk_->sum(first),
      walk_->sum(second),
      walk_->sum(walk_->split(known, third)),
  };
  if (!(sums[0].n > 0)) return {0, 0, 0};
  const auto collect = [&](auto TupleScanner::Sum::* value) {
    return Parts<std::remove_cvref_t<decltype(sums[0].*value)>>{
        sums[0].*value,
        {sums[1].*value, sums[2].*value, sums[3].*value},
        {sums[4].*value, sums[5].*value, sums[6].*value}};
  };
  if (weighted_) return collect(&TupleScanner::Sum::bits).gains(1 / sums[0].n);
  return collect(&TupleScanner::Sum::units).gains(log_.unit() / sums[0].n);
}

}  // namespace featsieve
