#include "pairs/pair_association.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "ranks/concordance.hpp"

namespace featsieve {
namespace {

/// More cells than this are refused; only spread values need every cell.
constexpr std::size_t kMostCells = std::size_t{1} << 28U;

struct SpreadTable {
  std::size_t rows;
  std::size_t columns;
  std::vector<double> cells;
};

/// Shares out what is missing on either side. Rows missing on one side go to that
/// side's levels in proportion to how frequent these are; rows missing on both go to
/// the cells in proportion to what was known on both, or stay a level of their own, as
/// in Weka, if nothing was. The missing level, where there is one, is the last.
template <class Count>
SpreadTable spread_table(const std::vector<Count>& table, std::size_t n_first,
                         std::size_t n_second, bool first_missing,
                         bool second_missing) {
  const std::size_t rows = n_first - (first_missing ? 1 : 0);
  const std::size_t columns = n_second - (second_missing ? 1 : 0);
  const auto at = [&](std::size_t a, std::size_t b) {
    return static_cast<double>(table[a * n_second + b]);
  };
  std::vector<double> row_totals(n_first, 0.0);
  std::vector<double> column_totals(n_second, 0.0);
  double known = 0;
  for (std::size_t a = 0; a < n_first; ++a)
    for (std::size_t b = 0; b < n_second; ++b) {
      row_totals[a] += at(a, b);
      column_totals[b] += at(a, b);
      if (a < rows && b < columns) known += at(a, b);
    }
  const auto sum_first = [](const std::vector<double>& totals, std::size_t size) {
    return std::accumulate(totals.begin(),
                           totals.begin() + static_cast<std::ptrdiff_t>(size), 0.0);
  };
  const double known_rows = sum_first(row_totals, rows);
  const double known_columns = sum_first(column_totals, columns);
  const double unknown = first_missing && second_missing ? at(rows, columns) : 0.0;
  const std::size_t own_level = unknown > 0 && !(known > 0) ? 1 : 0;
  SpreadTable result{rows + own_level, columns + own_level, {}};
  result.cells.assign(result.rows * result.columns, 0.0);
  if (own_level > 0) result.cells.back() = unknown;
  for (std::size_t a = 0; a < rows; ++a)
    for (std::size_t b = 0; b < columns; ++b) {
      double cell = at(a, b);
      if (first_missing && known_rows > 0)
        cell += row_totals[a] / known_rows * at(rows, b);
      if (second_missing && known_columns > 0)
        cell += column_totals[b] / known_columns * at(a, columns);
      if (known > 0) cell += at(a, b) / known * unknown;
      result.cells[a * result.columns + b] = cell;
    }
  return result;
}

bool is_ordered(PairMeasure measure) {
  return measure == PairMeasure::kTauB || measure == PairMeasure::kGamma;
}

}  // namespace

struct AssociationScanner::Scratch {
  std::vector<std::uint32_t> table;  // of a pair
  std::vector<double> weights;       // the same, weighted
  CodeOrder order;                   // of column ordered
  std::size_t ordered = ~std::size_t{0};
};

AssociationScanner::AssociationScanner(const CodeMatrix& codes,
                                       std::span<const std::int32_t> classes,
                                       Missing missing, Instructions instructions,
                                       std::span<const double> weights,
                                       std::int64_t min_untied)
    : PlaneScanner(one_class(rows_of(codes)),
                   columns_of(codes) + (classes.empty() ? 0 : 1), missing,
                   instructions),
      has_class_(!classes.empty()),
      min_untied_(min_untied),
      weights_(weights.begin(), weights.end()) {
  if (has_class_ && classes.size() != n_rows())
    throw std::invalid_argument("one class per row is needed");
  if (!weights.empty() && weights.size() != n_rows())
    throw std::invalid_argument("one weight per row is needed");
  const MatrixView<std::int32_t> target{classes.data(), classes.size(), 1, 1,
                                        static_cast<std::ptrdiff_t>(classes.size())};
  const auto columns = [&](const VisitColumn& visit) {
    visit_dense_columns(codes, rows_, visit, instructions);
    if (has_class_) visit_dense_columns(target, rows_, visit, instructions);
  };
  make_planes(columns, [&](const DenseColumn&) { return weights_.empty(); });
  keep_codes(columns);
  for (const BitPlanes::Feature& column : planes_.features()) {
    std::int64_t total = 0;
    if (column.has_planes)
      for (std::size_t level = 0; level < column.levels; ++level)
        total += log_(planes_.margins(column)[level]);
    totals_.push_back(total);
  }
}

bool AssociationScanner::is_plain(std::size_t i, std::size_t j) const {
  return missing_ == Missing::kLevel || !(has_missing_[i] || has_missing_[j]);
}

std::vector<double> AssociationScanner::row(std::size_t column,
                                            PairMeasure measure) const {
  if (column >= n_columns()) throw std::out_of_range("there is no such column");
  std::vector<double> values(n_features());
  scan(column, column + 1, Seconds::kAll, measure,
       [&](std::size_t, std::size_t j, double value) {
         if (j < values.size()) values[j] = value;
       });
  return values;
}

void AssociationScanner::fill(std::size_t begin, std::size_t end, PairMeasure measure,
                              std::span<double> matrix) const {
  const std::size_t p = n_features();
  if (begin > end || end > p)
    throw std::out_of_range("features must lie in [0, n_features]");
  if (matrix.size() != p * p) throw std::invalid_argument("the matrix must be square");
  scan(begin, end, Seconds::kFromItself, measure,
       [&](std::size_t i, std::size_t j, double value) {
         if (j >= p) return;
         matrix[i * p + j] = value;
         matrix[j * p + i] = value;
       });
}

template <class Sink>
void AssociationScanner::scan(std::size_t begin, std::size_t end, Seconds seconds,
                              PairMeasure measure, const Sink& sink) const {
  if (is_ordered(measure) && (missing_ != Missing::kIgnore || !weights_.empty()))
    throw std::invalid_argument(
        "neither missing values nor weights have a place among ordered levels");
  Scratch scratch;
  visit_pairs(
      begin, end, seconds,
      [&](std::size_t i, std::size_t group, std::size_t member,
          const std::uint32_t* counts, std::size_t) {
        const auto& members = planes_.groups()[group].features;
        for (; member < members.size(); ++member) {
          const std::uint32_t j = members[member];
          sink(i, j, from_planes(i, j, counts + feature(j).lane, measure, scratch));
        }
      },
      [&](std::size_t i, std::size_t j) {
        sink(i, j, from_rows(i, j, measure, scratch));
      });
}

double AssociationScanner::from_planes(std::size_t i, std::size_t j,
                                       const std::uint32_t* counts, PairMeasure measure,
                                       Scratch& scratch) const {
  const BitPlanes::Feature& first = feature(i);
  const BitPlanes::Feature& second = feature(j);
  if (first.levels == 0) return 0;  // no rows
  if (is_plain(i, j) && !is_ordered(measure)) {
    JointSums<std::uint32_t> sums{totals_[i], totals_[j], 0,
                                  static_cast<std::uint32_t>(n_rows())};
    const SecondFeature only{0, planes_.margins(second)};
    choose_joint_sums(first.levels, second.levels)(counts, 0, planes_.margins(first),
                                                   {&only, 1}, first.levels,
                                                   second.levels, 1, log_, &sums.joint);
    return from_sums(sums, measure);
  }
  fill_table(counts, 0, planes_.margins(first), planes_.margins(second), first.levels,
             second.levels, 1, scratch.table);
  if (missing_ == Missing::kIgnore || i <= j)
    return from_table(i, j, measure, scratch.table);
  // Shares are not whole: the order of adding them must not depend on who asked.
  std::vector<std::uint32_t> turned(scratch.table.size());
  for (std::size_t a = 0; a < first.levels; ++a)
    for (std::size_t b = 0; b < second.levels; ++b)
      turned[b * first.levels + a] = scratch.table[a * second.levels + b];
  return from_table(j, i, measure, turned);
}

double AssociationScanner::from_rows(std::size_t i, std::size_t j, PairMeasure measure,
                                     Scratch& scratch) const {
  if (i > j) std::swap(i, j);  // sums of weights must not depend on who asked
  const std::size_t cells = std::size_t{feature(i).levels} * feature(j).levels;
  if (cells == 0) return 0;  // no rows
  const bool shares = missing_ == Missing::kSpread && !is_plain(i, j);
  if (shares && cells > kMostCells)
    throw std::invalid_argument(
        "columns of so many levels cannot have their missing values spread");
  const bool by_table = shares || is_ordered(measure) || fits(cells);
  if (weights_.empty())
    return from_counted_rows(i, j, by_table, measure, scratch, scratch.table);
  return from_counted_rows(i, j, by_table, measure, scratch, scratch.weights);
}

template <class Count>
double AssociationScanner::from_counted_rows(std::size_t i, std::size_t j,
                                             bool by_table, PairMeasure measure,
                                             Scratch& scratch,
                                             std::vector<Count>& table) const {
  if (by_table) {
    count_table(columns_[i], columns_[j], rows_, weights_, table);
    return from_table(i, j, measure, table);
  }
  if (scratch.ordered != i) {
    scratch.order = sort_by_code(columns_[i], n_rows());
    scratch.ordered = i;
  }
  return from_sums(walk_joint<Count>(scratch.order, columns_[j], skipped_level(i),
                                     skipped_level(j), weights_, LogOf{&log_}),
                   measure);
}

template <class Count>
double AssociationScanner::from_table(std::size_t i, std::size_t j, PairMeasure measure,
                                      const std::vector<Count>& table) const {
  if (is_ordered(measure)) return concordance(i, j, measure, table);
  const std::size_t n_second = feature(j).levels;
  const LogOf log_of{&log_};
  if (missing_ != Missing::kSpread || is_plain(i, j))
    return from_sums(
        sum_joint(table, n_second, skipped_level(i), skipped_level(j), log_of),
        measure);
  const SpreadTable shared = spread_table(table, feature(i).levels, n_second,
                                          has_missing_[i], has_missing_[j]);
  return from_sums(sum_joint(shared.cells, shared.columns, kNone, kNone, log_of),
                   measure);
}

template <class Count>
double AssociationScanner::concordance(std::size_t i, std::size_t j,
                                       PairMeasure measure,
                                       const std::vector<Count>& table) const {
  // A level that is left out is the last.
  const std::size_t n_first = std::min(feature(i).levels, skipped_level(i));
  const std::size_t n_second = std::min(feature(j).levels, skipped_level(j));
  std::vector<std::int64_t> known;
  for (std::size_t a = 0; a < n_first; ++a)
    for (std::size_t b = 0; b < n_second; ++b)
      known.push_back(static_cast<std::int64_t>(table[a * feature(j).levels + b]));
  const Concordance counts = concordance_of_table(known, n_first, n_second);
  return measure == PairMeasure::kTauB ? tau_b(counts) : gamma(counts, min_untied_);
}

template <class Count>
double AssociationScanner::from_sums(const JointSums<Count>& sums,
                                     PairMeasure measure) const {
  const auto size = static_cast<double>(sums.n);
  if (!(size > 0)) return 0;
  const auto all = LogOf{&log_}(sums.n);
  const double per_unit = std::is_same_v<Count, double> ? 1 / size : log_.unit() / size;
  const auto bits = [&](auto sum) {
    return std::max(0.0, static_cast<double>(all - sum) * per_unit);
  };
  TableEntropies entropies;
  entropies.feature = bits(sums.first);
  entropies.target = bits(sums.second);
  entropies.joint = bits(sums.joint);
  return measure_of(entropies, measure == PairMeasure::kMutualInformation
                                   ? Measure::kInformationGain
                                   : Measure::kSymmetricalUncertainty);
}

}  // namespace featsieve
