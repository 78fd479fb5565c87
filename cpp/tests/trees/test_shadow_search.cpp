#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "check.hpp"
#include "random/random.hpp"
#include "trees/shadow_search.hpp"

using namespace featsieve;

namespace {

using Rows = std::vector<std::uint32_t>;

/// A table of every kind of column, and nodes of every size.
struct Problem {
  explicit Problem(std::size_t n_rows, std::uint64_t seed)
      : columns(n_rows), random(seed) {
    std::vector<double> values(n_rows);
    for (int kind = 0; kind < 5; ++kind) {
      for (double& value : values) {
        const double one = random.uniform();
        const auto some = [&](std::uint64_t bound) {
          return static_cast<double>(random.below(bound));
        };
        if (kind == 0) value = one;                             // no ties
        if (kind == 1) value = some(2 * n_rows / 3 + 70);       // some ties
        if (kind == 2) value = one < 0.7 ? 0 : some(n_rows);    // one great tie
        if (kind == 3) value = some(3);                         // few values
        if (kind == 4) value = one < 0.3 ? std::nan("") : one;  // gaps
      }
      columns.add_numeric(values);
    }
    std::vector<std::int32_t> levels(n_rows);
    for (auto& level : levels) level = static_cast<std::int32_t>(random.below(6)) - 1;
    columns.add_nominal(levels, 7);
    columns.add_numeric(std::vector<double>(n_rows, 1.0));
  }

  Rows draw_rows(std::size_t size) {
    Rows rows(columns.n_rows());
    std::iota(rows.begin(), rows.end(), 0U);
    random.shuffle(std::span<std::uint32_t>(rows));
    rows.resize(size);
    return rows;
  }

  TreeColumns columns;
  Random random;
};

/// How orderly outcomes are, times their number: less entropy, or less square.
double orderliness(const std::vector<double>& outcomes, bool numbers) {
  const auto n = static_cast<double>(outcomes.size());
  if (outcomes.empty()) return 0;
  if (numbers) {
    const double sum = std::accumulate(outcomes.begin(), outcomes.end(), 0.0);
    double squares = 0;
    for (const double value : outcomes) squares += value * value;
    return sum * sum / n - squares;
  }
  std::map<double, double> counts;
  for (const double value : outcomes) counts[value] += 1;
  double total = 0;
  for (const auto& [value, count] : counts) total += count * std::log2(count / n);
  return total;
}

double plain_gain(const TreeColumns& columns, std::size_t feature, const Rows& rows,
                  std::span<const std::uint32_t> shadow,
                  const std::vector<double>& outcome, bool numbers) {
  std::map<std::uint32_t, std::vector<double>> levels;
  std::vector<double> all;
  std::vector<double> node;
  for (const std::uint32_t row : rows) {
    node.push_back(outcome[row]);
    const std::uint32_t code = columns.codes(feature)[shadow[row]];
    if (code == kMissingCode) continue;
    levels[code].push_back(outcome[row]);
    all.push_back(outcome[row]);
  }
  double best = 0;
  if (columns.is_nominal(feature)) {
    double parts = 0;
    for (const auto& [code, own] : levels) parts += orderliness(own, numbers);
    best = parts - orderliness(all, numbers);
  } else {
    std::vector<double> left;
    std::size_t n_left = 0;
    for (const auto& [code, own] : levels) {
      left.insert(left.end(), own.begin(), own.end());
      if (++n_left == levels.size()) break;
      std::vector<double> right;
      for (auto it = levels.upper_bound(code); it != levels.end(); ++it)
        right.insert(right.end(), it->second.begin(), it->second.end());
      best = std::max(best, orderliness(left, numbers) + orderliness(right, numbers) -
                                orderliness(all, numbers));
    }
  }
  if (numbers) return best / -orderliness(node, true);
  return best / static_cast<double>(rows.size());
}

void compare(std::size_t n_rows, std::size_t n_classes, std::uint64_t seed) {
  Problem problem(n_rows, seed);
  std::vector<std::int32_t> classes(n_rows);
  std::vector<double> outcome(n_rows);
  for (std::size_t row = 0; row < n_rows; ++row) {
    classes[row] =
        static_cast<std::int32_t>(problem.random.below(n_classes > 0 ? n_classes : 1));
    outcome[row] = n_classes > 0 ? classes[row] : problem.random.uniform();
  }
  TreeTarget target;
  target.n_classes = n_classes;
  if (n_classes > 0)
    target.classes = classes;
  else
    target.numbers = outcome;
  const Shadows shadows(problem.columns, 3, 5, seed);
  ShadowSearch search(shadows, target);
  std::vector<double> gains(3);
  for (const std::size_t size : {std::size_t{2}, n_rows / 8, n_rows / 2, n_rows}) {
    const Rows rows = problem.draw_rows(std::max<std::size_t>(size, 2));
    search.begin(rows);
    for (std::size_t feature = 0; feature < problem.columns.n_columns(); ++feature) {
      search.gains(feature, gains);
      for (std::size_t b = 0; b < 3; ++b)
        check::equal(gains[b],
                     plain_gain(problem.columns, feature, rows,
                                shadows.order(shadows.order_of(feature, b)), outcome,
                                n_classes == 0),
                     "feature " + std::to_string(feature), 1e-9);
    }
  }
}

CASE("two_classes") {
  compare(30, 2, 1);
  compare(250, 2, 2);
}
CASE("many_classes") {
  compare(30, 5, 3);
  compare(250, 3, 4);
}
CASE("numbers") {
  compare(30, 0, 5);
  compare(250, 0, 6);
}

}  // namespace
