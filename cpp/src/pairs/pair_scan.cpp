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
  explicit Scratch(const ExactLogTable& log) : sums(log) {}
  TableSums<std::uint32_t> sums;
  TupleScanner::Cells cells;  // of feature split
  std::size_t split = ~std::size_t{0};
  std::vector<std::uint32_t> table;  // of a pair
};

PairScanner::PairScanner(const CodeMatrix& codes, std::span<const std::int32_t> classes,
                         std::int32_t n_classes, Missing missing,
                         Instructions instructions, std::span<const double> weights)
    : PlaneScanner(sort_by_class(classes, n_classes), columns_of(codes), missing,
                   instructions),
      weighted_(!weights.empty()) {
  if (missing == Missing::kSpread)
    throw std::invalid_argument("missing values cannot be spread over pairs");
  const bool with_planes = !weighted_ && rows_.n_classes() <= kMostClasses;
  const auto columns = [&](const VisitColumn& visit) {
    visit_dense_columns(codes, rows_, visit, instructions);
  };
  make_planes(columns, [&](const DenseColumn&) { return with_planes; });
  keep_codes(columns);
  std::size_t most = 0;  // the numbers of levels of the two largest features
  std::size_t second_most = 0;
  for (const BitPlanes::Feature& one : planes_.features()) {
    second_most = std::max(second_most, std::min<std::size_t>(most, one.levels));
    most = std::max<std::size_t>(most, one.levels);
  }
  if (weighted_ || (!columns_.empty() && !fits(most * second_most)))
    split_.emplace(codes, classes, n_classes, missing, weights);
  for (const BitPlanes::Group& group : planes_.groups()) {
    std::vector<SecondFeature>& seconds = seconds_.emplace_back();
    for (const std::uint32_t j : group.features)
      seconds.push_back({feature(j).lane, planes_.margins(feature(j))});
  }
  per_unit_ = n_rows() == 0 ? 0 : log_.unit() / static_cast<double>(n_rows());
  find_gains();
}

void PairScanner::find_gains() {
  TableSums<std::uint32_t> table_sums(log_);
  std::vector<std::uint32_t> counted;
  DenseColumn constant;
  constant.levels = 1;
  constant.narrow.assign(columns_.empty() ? 0 : n_rows(), 0);
  for (std::size_t j = 0; j < n_columns(); ++j) {
    if (weighted_) {
      gains_.push_back(split_->gain(split_->split(split_->whole(), j)));
      totals_.push_back(0);
      continue;
    }
    // A feature against a constant: its margins are the table.
    const std::uint32_t* table = planes_.margins(feature(j));
    if (!feature(j).has_planes) {
      count_table(columns_[j], constant, rows_, {}, counted);
      table = counted.data();
    }
    const PairSums sums = table_sums.sum(table, feature(j).levels, 1, rows_.n_classes(),
                                         skipped_level(j));
    gains_.push_back(gains_of(sums, log_.unit()).joint);
    totals_.push_back(std::max<std::int64_t>(0, sums.first + sums.classes));
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
  Scratch scratch(log_);
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
  if (weighted_ || !fits(cells)) return from_cells(i, j, scratch);
  count_table(columns_[i], columns_[j], rows_, {}, scratch.table);
  return from_table(i, j, scratch);
}

/// Gains of a pair from its tables per class, one after another.
GainsOfPair PairScanner::from_table(std::size_t i, std::size_t j,
                                    Scratch& scratch) const {
  const std::vector<std::uint32_t>& table = scratch.table;
  const std::size_t n_classes = rows_.n_classes();
  if (leaves_rows_out(i, j))
    return gains_of(scratch.sums.sum(table.data(), feature(i).levels, feature(j).levels,
                                     n_classes, skipped_level(i), skipped_level(j)),
                    log_.unit());
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

/// Gains of a pair by splitting the rows into its cells.
GainsOfPair PairScanner::from_cells(std::size_t i, std::size_t j,
                                    Scratch& scratch) const {
  if (leaves_rows_out(i, j)) {
    const TupleScanner::Cells known = split_->whole(std::array{i, j});
    const TupleScanner::Cells first = split_->split(known, i);
    const TupleScanner::Sum both = split_->sum(split_->split(first, j));
    const TupleScanner::Sum alone = split_->sum(first);
    const TupleScanner::Sum other = split_->sum(split_->split(known, j));
    if (!(both.n > 0)) return {};
    const auto gains = [&](auto TupleScanner::Sum::* sum, double unit) -> GainsOfPair {
      return {
          static_cast<double>(both.*sum) * (unit / both.n),
          static_cast<double>(both.*sum - alone.*sum - other.*sum) * (unit / both.n)};
    };
    return weighted_ ? gains(&TupleScanner::Sum::bits, 1)
                     : gains(&TupleScanner::Sum::units, log_.unit());
  }
  if (scratch.split != i) {
    scratch.cells = split_->split(split_->whole(), i);
    scratch.split = i;
  }
  const TupleScanner::Sum sum = split_->sum(split_->split(scratch.cells, j));
  if (!weighted_) return from_total(i, j, sum.units);
  const double joint = sum.n > 0 ? sum.bits / sum.n : 0;
  return {joint, joint - gains_[i] - gains_[j]};
}

}  // namespace featsieve
