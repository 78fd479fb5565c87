#include "pairs/level_pairs.hpp"

#include <algorithm>
#include <stdexcept>

namespace featsieve {

LevelPairs::LevelPairs(const CodeMatrix& codes, PairMeasure measure, Missing missing,
                       std::int64_t min_untied, Instructions instructions)
    : PlaneScanner(one_class(rows_of(codes)), columns_of(codes), missing, instructions),
      measure_(measure),
      min_untied_(min_untied) {
  if (missing == Missing::kSpread)
    throw std::invalid_argument("missing values cannot be spread over pairs");
  if (measure != PairMeasure::kSymmetricalUncertainty && missing != Missing::kIgnore)
    throw std::invalid_argument("a missing value has no place among ordered levels");
  const auto columns = [&](const VisitColumn& visit) {
    visit_dense_columns(codes, rows_, visit, instructions);
  };
  make_planes(columns, [](const DenseColumn&) { return true; });
  keep_codes(columns);
  for (std::size_t j = 0; j < n_columns(); ++j) {
    std::vector<std::uint32_t> margin(feature(j).levels, 0);
    if (feature(j).has_planes && feature(j).levels > 0)
      std::copy_n(planes_.margins(feature(j)), feature(j).levels, margin.begin());
    else if (!columns_.empty())
      columns_[j].with_codes([&](const auto* code) {
        for (std::size_t row = 0; row < n_rows(); ++row) ++margin[code[row]];
      });
    std::int64_t entropy = log_(n_rows());
    for (const std::uint32_t count : margin) entropy -= log_(count);
    entropies_.push_back(std::max<std::int64_t>(0, entropy));
  }
}

void LevelPairs::scan(std::size_t begin, std::size_t end,
                      std::span<double> values) const {
  if (values.size() != n_pairs(begin, end))
    throw std::invalid_argument("one value per pair is needed");
  visit(begin, end, Seconds::kAbove, [&](std::size_t i, std::size_t j, double value) {
    values[place_of_pair(begin, i, j, n_columns())] = value;
  });
}

void LevelPairs::row(std::size_t i, std::span<double> values) const {
  if (i >= n_features()) throw std::out_of_range("there is no such feature");
  if (values.size() != n_features())
    throw std::invalid_argument("one value per feature is needed");
  visit(i, i + 1, Seconds::kAll,
        [&](std::size_t, std::size_t j, double value) { values[j] = value; });
}

template <class Sink>
void LevelPairs::visit(std::size_t begin, std::size_t end, Seconds seconds,
                       const Sink& sink) const {
  Scratch scratch;
  visit_pairs(
      begin, end, seconds,
      [&](std::size_t i, std::size_t group, std::size_t member,
          const std::uint32_t* counts, std::size_t) {
        const auto& members = planes_.groups()[group].features;
        for (; member < members.size(); ++member) {
          const std::uint32_t j = members[member];
          sink(i, j, from_planes(i, j, counts + feature(j).lane, scratch));
        }
      },
      [&](std::size_t i, std::size_t j) { sink(i, j, from_rows(i, j, scratch)); });
}

double LevelPairs::from_planes(std::size_t i, std::size_t j,
                               const std::uint32_t* counts, Scratch& scratch) const {
  const BitPlanes::Feature& first = feature(i);
  const BitPlanes::Feature& second = feature(j);
  if (first.levels == 0 || second.levels == 0) return 0;  // no rows
  fill_table(counts, 0, planes_.margins(first), planes_.margins(second), first.levels,
             second.levels, 1, scratch.table);
  return from_table(i, j, scratch);
}

double LevelPairs::from_rows(std::size_t i, std::size_t j, Scratch& scratch) const {
  const std::size_t cells = std::size_t{feature(i).levels} * feature(j).levels;
  if (cells == 0) return 0;  // no rows
  if (!fits(cells) && measure_ == PairMeasure::kSymmetricalUncertainty)
    return uncertainty_of(walk_joint<std::uint32_t>(
        sort_by_code(columns_[i], n_rows()), columns_[j], skipped_level(i),
        skipped_level(j), {}, LogOf{&log_}));
  count_table(columns_[i], columns_[j], rows_, {}, scratch.table);
  return from_table(i, j, scratch);
}

double LevelPairs::from_table(std::size_t i, std::size_t j, Scratch& scratch) const {
  const std::size_t width = feature(j).levels;
  const std::vector<std::uint32_t>& table = scratch.table;
  if (measure_ == PairMeasure::kSymmetricalUncertainty) {
    if (leaves_rows_out(i, j))
      return uncertainty_of(
          sum_joint(table, width, skipped_level(i), skipped_level(j), LogOf{&log_}));
    std::int64_t joint = log_(n_rows());
    for (const std::uint32_t cell : table) joint -= log_(cell);
    return uncertainty_of(entropies_[i], entropies_[j], joint);
  }
  // A level that is left out is the last.
  const std::size_t n_first = std::min(feature(i).levels, skipped_level(i));
  const std::size_t n_second = std::min(feature(j).levels, skipped_level(j));
  scratch.known.clear();
  for (std::size_t a = 0; a < n_first; ++a)
    for (std::size_t b = 0; b < n_second; ++b)
      scratch.known.push_back(table[a * width + b]);
  return measure_of(concordance_of_table(scratch.known, n_first, n_second),
                    measure_ == PairMeasure::kTauB ? ConcordanceMeasure::kTauB
                                                   : ConcordanceMeasure::kGamma,
                    min_untied_);
}

double LevelPairs::uncertainty_of(const JointSums<std::uint32_t>& sums) const {
  const std::int64_t all = log_(sums.n);
  return uncertainty_of(all - sums.first, all - sums.second, all - sums.joint);
}

double LevelPairs::uncertainty_of(std::int64_t first, std::int64_t second,
                                  std::int64_t joint) const {
  const std::int64_t both = first + second;
  const std::int64_t gain = both - joint;
  // What rounding of single logarithms may add up to is no gain.
  if (both <= 0 || static_cast<double>(gain) < 1e-14 * static_cast<double>(both))
    return 0;
  return std::min(1.0, 2.0 * static_cast<double>(gain) / static_cast<double>(both));
}

}  // namespace featsieve
