#include "featsieve/entropies.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace featsieve {
namespace {

/// A gain below this share of the entropies it is the difference of is rounding.
/// featsieve.measures uses the same rule.
constexpr double kRounding = 1e-14;

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

double expected_information(std::span<const std::int64_t> row_totals,
                            std::span<const std::int64_t> column_totals) {
  std::int64_t total = 0;
  std::int64_t by_column = 0;
  for (const auto& [totals, sum] :
       {std::pair(row_totals, &total), std::pair(column_totals, &by_column)})
    for (const std::int64_t count : totals) {
      if (count < 0) throw std::invalid_argument("counts must not be negative");
      *sum += count;
    }
  if (total != by_column)
    throw std::invalid_argument("rows and columns must count the same cases");
  if (total == 0) return 0.0;
  const auto n = static_cast<double>(total);

  // log k! for k = 0..n, summed once: each cell then needs only additions.
  std::vector<double> log_factorial(static_cast<std::size_t>(total) + 1, 0.0);
  for (std::size_t k = 1; k < log_factorial.size(); ++k)
    log_factorial[k] = log_factorial[k - 1] + std::log(static_cast<double>(k));
  const auto lf = [&](std::int64_t k) {
    return log_factorial[static_cast<std::size_t>(k)];
  };

  double sum = 0;
  for (const std::int64_t a : row_totals) {
    if (a == 0) continue;
    for (const std::int64_t b : column_totals) {
      if (b == 0) continue;
      const std::int64_t least = std::max<std::int64_t>(1, a + b - total);
      const std::int64_t most = std::min(a, b);
      const double log_ab = std::log2(static_cast<double>(a)) +
                            std::log2(static_cast<double>(b)) - std::log2(n);
      const double fixed = lf(a) + lf(b) + lf(total - a) + lf(total - b) - lf(total);
      for (std::int64_t k = least; k <= most; ++k) {
        const double log_probability =
            fixed - lf(k) - lf(a - k) - lf(b - k) - lf(total - a - b + k);
        const auto count = static_cast<double>(k);
        sum += count / n * (std::log2(count) - log_ab) * std::exp(log_probability);
      }
    }
  }
  return std::max(0.0, sum);
}

}  // namespace featsieve
