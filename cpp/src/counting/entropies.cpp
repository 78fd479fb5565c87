#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "featsieve/counting.hpp"

namespace featsieve {
namespace {

/// A gain below this share of the entropies it is the difference of is rounding.
/// featsieve.measures uses the same rule.
constexpr double kRounding = 1e-14;

/// Values this much rarer than the most frequent one add nothing to a mean.
constexpr double kNegligible = 1e-20;

/// Entropies of a table whose rows all count. log_term(c) is c · log2 c.
template <class Count, class LogTerm>
void add_entropies(std::span<const Count> table, std::size_t n_classes,
                   const LogTerm& log_term, TableEntropies& result) {
  thread_local std::vector<Count> class_totals;
  class_totals.assign(n_classes, Count{0});
  double sum_cells = 0;
  double sum_levels = 0;
  double sum_classes = 0;
  Count known{0};
  for (std::size_t begin = 0; begin < table.size(); begin += n_classes) {
    Count level_total{0};
    for (std::size_t c = 0; c < n_classes; ++c) {
      const Count count = table[begin + c];
      if (count <= Count{0}) continue;
      sum_cells += log_term(count);
      level_total += count;
      class_totals[c] += count;
      result.cells += 1;
    }
    if (level_total <= Count{0}) continue;
    sum_levels += log_term(level_total);
    known += level_total;
    result.levels += 1;
  }
  for (const Count total : class_totals) {
    if (total <= Count{0}) continue;
    sum_classes += log_term(total);
    result.classes += 1;
  }
  result.known = static_cast<double>(known);
  if (known <= Count{0}) return;
  const double all = log_term(known);
  const double n = static_cast<double>(known);
  result.feature = std::max(0.0, (all - sum_levels) / n);
  result.target = std::max(0.0, (all - sum_classes) / n);
  result.joint = std::max(0.0, (all - sum_cells) / n);
}

/// The table with its missing rows shared out; empty when no value is known.
template <class Count>
std::vector<double> spread(std::span<const Count> table, std::size_t n_classes) {
  const std::size_t known_cells = table.size() - n_classes;
  std::vector<double> result(table.begin(),
                             table.begin() + static_cast<std::ptrdiff_t>(known_cells));
  double known = 0;
  for (const double count : result) known += count;
  if (known <= 0) return {};
  for (std::size_t begin = 0; begin < known_cells; begin += n_classes) {
    double level_total = 0;
    for (std::size_t c = 0; c < n_classes; ++c)
      level_total += static_cast<double>(table[begin + c]);
    for (std::size_t c = 0; c < n_classes; ++c)
      result[begin + c] +=
          level_total / known * static_cast<double>(table[known_cells + c]);
  }
  return result;
}

template <class Count, class LogTerm>
TableEntropies entropies_of(std::span<const Count> table, std::size_t n_classes,
                            Missing missing, const LogTerm& log_term) {
  TableEntropies result;
  Count total{0};
  Count unknown{0};
  for (const Count count : table) total += count;
  const std::size_t known_cells = table.size() - n_classes;
  for (std::size_t i = known_cells; i < table.size(); ++i) unknown += table[i];
  result.total = static_cast<double>(total);
  if (missing == Missing::kLevel) {
    add_entropies(table, n_classes, log_term, result);
  } else if (missing == Missing::kIgnore || unknown <= Count{0}) {
    add_entropies(table.first(known_cells), n_classes, log_term, result);
  } else {
    const std::vector<double> shared = spread(table, n_classes);
    add_entropies(std::span<const double>(shared), n_classes, x_log2_x, result);
  }
  return result;
}

}  // namespace

TableEntropies table_entropies(std::span<const std::int64_t> table,
                               std::size_t n_classes, Missing missing,
                               const LogTable& logs) {
  return entropies_of(table, n_classes, missing, logs);
}

TableEntropies table_entropies(std::span<const double> table, std::size_t n_classes,
                               Missing missing) {
  return entropies_of(table, n_classes, missing, x_log2_x);
}

double measure_of(const TableEntropies& entropies, Measure measure) {
  const double both = entropies.feature + entropies.target;
  double gain = both - entropies.joint;
  if (gain < kRounding * (1 + both)) gain = 0;
  switch (measure) {
    case Measure::kGainRatio:
      return entropies.feature > 0 ? gain / entropies.feature : 0.0;
    case Measure::kSymmetricalUncertainty:
      return both > 0 ? 2 * gain / both : 0.0;
    case Measure::kInformationGain:
      break;
  }
  return gain;
}

namespace {

/// Counts that occur, each with how often it does, ascending: the order of levels then
/// changes no bit, and a column of many equal levels costs no more than one of few.
std::map<std::int64_t, double> times_of(std::span<const std::int64_t> totals,
                                        std::int64_t& sum) {
  std::map<std::int64_t, double> times;
  for (const std::int64_t count : totals) {
    if (count < 0) throw std::invalid_argument("counts must not be negative");
    sum += count;
    if (count > 0) times[count] += 1;
  }
  return times;
}

/// log2 k for whole k; looked up while that is small, since most calls repeat it.
class WholeLogs {
 public:
  explicit WholeLogs(double most) {
    const auto wanted = static_cast<std::size_t>(std::min(most, kMost)) + 1;
    values_.reserve(wanted);
    if (values_.empty()) values_.push_back(0.0);
    while (values_.size() < wanted)
      values_.push_back(std::log2(static_cast<double>(values_.size())));
  }
  double operator()(double k) const {
    return k <= kMost ? values_[static_cast<std::size_t>(k)] : std::log2(k);
  }

 private:
  static constexpr double kMost = 65536;
  static thread_local std::vector<double> values_;
};

thread_local std::vector<double> WholeLogs::values_;

/// Mean of k log2(k n / (a b)) where k has the hypergeometric law of margins a and b:
/// summed outwards from its most frequent value, until nothing more can be added.
double expected_cell(double a, double b, double n, const WholeLogs& log2) {
  const double least = std::max(0.0, a + b - n);
  const double most = std::min(a, b);
  const double mode = std::clamp(std::floor((a + 1) * (b + 1) / (n + 2)), least, most);
  const double log_expected = log2(a) + log2(b) - log2(n);
  const auto term = [&](double k) {
    return k > 0 ? k * (log2(k) - log_expected) : 0.0;
  };
  double weights = 1;
  double sum = term(mode);
  double weight = 1;
  for (double k = mode; k < most && weight > kNegligible; ++k) {
    weight *= (a - k) * (b - k) / ((k + 1) * (n - a - b + k + 1));
    weights += weight;
    sum += weight * term(k + 1);
  }
  weight = 1;
  for (double k = mode; k > least && weight > kNegligible; --k) {
    weight *= k * (n - a - b + k) / ((a - k + 1) * (b - k + 1));
    weights += weight;
    sum += weight * term(k - 1);
  }
  return sum / weights;
}

}  // namespace

double expected_information(std::span<const std::int64_t> row_totals,
                            std::span<const std::int64_t> column_totals) {
  std::int64_t total = 0;
  std::int64_t by_column = 0;
  const auto rows = times_of(row_totals, total);
  const auto columns = times_of(column_totals, by_column);
  if (total != by_column)
    throw std::invalid_argument("rows and columns must count the same cases");
  if (total == 0) return 0.0;
  const auto n = static_cast<double>(total);
  const WholeLogs log2(n);
  double sum = 0;
  for (const auto& [a, times_a] : rows)
    for (const auto& [b, times_b] : columns)
      sum += times_a * times_b *
             expected_cell(static_cast<double>(a), static_cast<double>(b), n, log2);
  return std::max(0.0, sum / n);
}

}  // namespace featsieve
