#include "pairs/pair_scan.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "common/best_of.hpp"
#include "common/simd.hpp"

namespace featsieve {
namespace {

/// Whether one pair ranks before another: the higher score, then the lower (i, j).
template <double Pair::* kScore>
struct RanksBefore {
  bool operator()(const Pair& a, const Pair& b) const {
    if (a.*kScore != b.*kScore) return a.*kScore > b.*kScore;
    return a.first != b.first ? a.first < b.first : a.second < b.second;
  }
};

}  // namespace

struct PairScanner::Scratch {
  Scratch(CellWalk cell_walk, const ExactLogTable& log)
      : walk(std::move(cell_walk)), sums(log) {}
  CellWalk walk;
  TableSums<std::uint32_t> sums;
  CodeOrder order;  // of feature ordered
  std::size_t ordered = ~std::size_t{0};
  std::vector<std::uint32_t> table;  // of a pair
};

PairScanner::PairScanner(const CodeMatrix& codes, std::span<const std::int32_t> classes,
                         std::int32_t n_classes, Missing missing,
                         Instructions instructions, std::span<const double> weights)
    : PlaneScanner(sort_by_class(classes, n_classes), columns_of(codes), missing,
                   instructions) {
  if (missing == Missing::kSpread)
    throw std::invalid_argument("missing values cannot be spread over pairs");
  if (!weights.empty()) {
    if (weights.size() != classes.size())
      throw std::invalid_argument("one weight per row is needed");
    for (const std::uint32_t row : rows_.order) weights_.push_back(weights[row]);
  }
  const bool with_planes = weights_.empty() && rows_.n_classes() <= kMostClasses;
  const auto columns = [&](const VisitColumn& visit) {
    visit_dense_columns(codes, rows_, visit, instructions);
  };
  make_planes(columns, [&](const DenseColumn&) { return with_planes; });
  keep_codes(columns);
  for (const BitPlanes::Group& group : planes_.groups()) {
    std::vector<SecondFeature>& seconds = seconds_.emplace_back();
    for (const std::uint32_t j : group.features)
      seconds.push_back({feature(j).lane, planes_.margins(feature(j))});
  }
  per_unit_ = n_rows() == 0 ? 0 : log_.unit() / static_cast<double>(n_rows());
  find_gains();
}

void PairScanner::find_gains() {
  CellWalk walk(rows_, log_, weights_);
  TableSums<std::uint32_t> table_sums(log_);
  DenseColumn constant;
  constant.levels = 1;
  if (!columns_.empty()) constant.narrow.assign(n_rows(), 0);
  const auto keep = [&](const auto& sums, std::int64_t total) {
    gains_.push_back(from_sums(sums).joint);
    totals_.push_back(std::max<std::int64_t>(0, total));
  };
  for (std::size_t j = 0; j < n_columns(); ++j) {
    const std::uint32_t skip = skipped_level(j);
    if (feature(j).has_planes) {
      // A feature against a constant: its margins are the table.
      const auto sums = table_sums.sum(planes_.margins(feature(j)), feature(j).levels,
                                       1, planes_.n_classes(), skip);
      keep(sums, sums.first + sums.classes);
      continue;
    }
    const CodeOrder order = sort_by_code(columns_[j], n_rows());
    if (weights_.empty()) {
      const auto sums = walk.count(order, constant, skip, kNone);
      keep(sums, sums.first + sums.classes);
    } else {
      keep(walk.weigh(order, constant, skip, kNone), 0);
    }
  }
}

void PairScanner::scan(std::size_t begin, std::size_t end, std::span<double> joint_gain,
                       std::span<double> synergy) const {
  const std::size_t pairs = n_pairs(begin, end);
  if (joint_gain.size() != pairs || synergy.size() != pairs)
    throw std::invalid_argument("one value per pair is needed");
  scan_rows(begin, end, [&](std::size_t i) {
    const std::size_t row = place_of_pair(begin, i, 0, n_columns());
    return [=](std::size_t j, const GainsOfPair& gains) {
      joint_gain[row + j] = gains.joint;
      synergy[row + j] = gains.synergy;
    };
  });
}

std::vector<Pair> PairScanner::scan_top(std::size_t begin, std::size_t end,
                                        std::size_t k, PairScore score) const {
  const auto scan_by = [&](auto ranks_before) {
    BestOf<Pair, decltype(ranks_before)> top(std::min(k, n_pairs(begin, end)),
                                             ranks_before);
    scan_rows(begin, end, [&](std::size_t i) {
      return [&top, i](std::size_t j, const GainsOfPair& gains) {
        top.offer({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j),
                   gains.joint, gains.synergy});
      };
    });
    return top.take();
  };
  return score == PairScore::kSynergy ? scan_by(RanksBefore<&Pair::synergy>{})
                                      : scan_by(RanksBefore<&Pair::joint_gain>{});
}

std::vector<std::size_t> PairScanner::block_begins() const {
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i < n_columns(); i = block_end(i, n_columns()))
    begins.push_back(i);
  begins.push_back(n_columns());
  return begins;
}

template <class Sink>
void PairScanner::scan_rows(std::size_t begin, std::size_t end,
                            const Sink& sink) const {
  Scratch scratch(CellWalk(rows_, log_, weights_), log_);
  visit_pairs(
      begin, end, Seconds::kAbove,
      [&](std::size_t i, std::size_t group, std::size_t member,
          const std::uint32_t* counts, std::size_t class_stride) {
        score_lanes(i, group, member, counts, class_stride, scratch, sink);
      },
      [&](std::size_t i, std::size_t j) { sink(i)(j, from_rows(i, j, scratch)); });
}

/// Tells the sink of a first feature, sink(i), of its pairs with the features of a
/// group, from a member of it on. Inside its caller the loops would run out of
/// registers.
template <class Sink>
FEATSIEVE_NOINLINE void PairScanner::score_lanes(
    std::size_t i, std::size_t group, std::size_t begin, const std::uint32_t* counts,
    std::size_t class_stride, Scratch& scratch, const Sink& sink) const {
  const std::vector<std::uint32_t>& members = planes_.groups()[group].features;
  const BitPlanes::Feature& first = feature(i);
  const std::uint32_t* margins = planes_.margins(first);
  const auto levels_of = [&](std::size_t member) {
    return feature(members[member]).levels;
  };
  const auto tell = sink(i);
  std::array<std::int64_t, kLanes> sums;
  for (std::size_t end = begin; begin < members.size(); begin = end) {
    const std::uint32_t levels = levels_of(begin);
    while (end < members.size() && levels_of(end) == levels) ++end;
    if (first.levels == 0 || missing_ == Missing::kIgnore) {
      for (std::size_t k = begin; k < end; ++k)
        tell(members[k], from_planes(i, members[k], counts + seconds_[group][k].lane,
                                     class_stride, scratch));
      continue;
    }
    choose_cell_sums(first.levels, levels)(
        counts, class_stride, margins,
        std::span(seconds_[group]).subspan(begin, end - begin), first.levels, levels,
        planes_.n_classes(), log_, sums.data());
    for (std::size_t k = begin; k < end; ++k)
      tell(members[k], from_total(i, members[k], class_total_ + sums[k - begin]));
  }
}

/// Gains of one pair, over the rows where both are known.
GainsOfPair PairScanner::from_planes(std::size_t i, std::size_t j,
                                     const std::uint32_t* counts,
                                     std::size_t class_stride, Scratch& scratch) const {
  if (feature(i).levels == 0) return {0, 0};  // no rows
  fill_table(counts, class_stride, planes_.margins(feature(i)),
             planes_.margins(feature(j)), feature(i).levels, feature(j).levels,
             planes_.n_classes(), scratch.table);
  return from_table(i, j, scratch);
}

GainsOfPair PairScanner::from_rows(std::size_t i, std::size_t j,
                                   Scratch& scratch) const {
  if (feature(i).levels == 0) return {0, 0};  // no rows
  const std::size_t cells = std::size_t{feature(i).levels} * feature(j).levels;
  if (!weights_.empty() || !fits(cells)) return from_walk(i, j, scratch);
  count_table(columns_[i], columns_[j], rows_, {}, scratch.table);
  return from_table(i, j, scratch);
}

/// Gains of a pair from its tables per class, one after another.
GainsOfPair PairScanner::from_table(std::size_t i, std::size_t j,
                                    Scratch& scratch) const {
  const std::vector<std::uint32_t>& table = scratch.table;
  const std::size_t n_classes = rows_.n_classes();
  if (leaves_rows_out(i, j))
    return from_sums(scratch.sums.sum(table.data(), feature(i).levels,
                                      feature(j).levels, n_classes, skipped_level(i),
                                      skipped_level(j)));
  const std::size_t cells = table.size() / std::max<std::size_t>(1, n_classes);
  std::int64_t total = class_total_;
  for (const std::uint32_t cell : table) total += log_(cell);
  for (std::size_t cell = 0; cell < cells; ++cell) {
    std::size_t n = 0;
    for (std::size_t c = 0; c < n_classes; ++c) n += table[c * cells + cell];
    total -= log_(n);
  }
  return from_total(i, j, total);
}

GainsOfPair PairScanner::from_walk(std::size_t i, std::size_t j,
                                   Scratch& scratch) const {
  const std::size_t n = n_rows();
  if (scratch.ordered != i) {
    scratch.order = sort_by_code(columns_[i], n);
    scratch.ordered = i;
  }
  const std::uint32_t skip_first = skipped_level(i);
  const std::uint32_t skip_second = skipped_level(j);
  const bool partial = leaves_rows_out(i, j);
  const auto gains_of = [&](auto sums, const auto& walk) {
    if (partial)  // The second feature alone, over the rows of this pair.
      sums.second =
          walk(sort_by_code(columns_[j], n), columns_[i], skip_second, skip_first)
              .first;
    return sums;
  };
  if (weights_.empty()) {
    const auto walk = [&](const auto&... arguments) {
      return scratch.walk.count(arguments...);
    };
    const auto sums =
        gains_of(walk(scratch.order, columns_[j], skip_first, skip_second), walk);
    return partial ? from_sums(sums) : from_total(i, j, sums.joint + sums.classes);
  }
  const auto walk = [&](const auto&... arguments) {
    return scratch.walk.weigh(arguments...);
  };
  const auto sums =
      gains_of(walk(scratch.order, columns_[j], skip_first, skip_second), walk);
  if (partial) return from_sums(sums);
  const double joint =
      sums.n > 0 ? std::max(0.0, (sums.joint + sums.classes) / sums.n) : 0;
  return {joint, joint - gains_[i] - gains_[j]};
}

template <class Value>
GainsOfPair PairScanner::from_sums(const PairSums<Value>& sums) const {
  return gains_of(sums, std::is_same_v<Value, double> ? 1.0 : log_.unit());
}

}  // namespace featsieve
