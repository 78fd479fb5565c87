#include "cuts/mdl.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "common/radix_sort.hpp"
#include "featsieve/log_table.hpp"

namespace featsieve {
namespace {

/// Two cuts are equally good when their scores differ by no more than rounding.
constexpr double kTie = 1e-12;

/// log2(3^k - 2), without overflow for many classes.
double log2_three_to(double k) {
  return k > 30 ? k * std::log2(3.0) : std::log2(std::pow(3.0, k) - 2.0);
}

/// Of whole numbers to the last bit as far as their factorial is.
double log_factorial(double n) {
  if (n >= 12 || n != std::floor(n)) return std::lgamma(n + 1.0);
  double product = 1;
  for (double factor = 2; factor <= n; ++factor) product *= factor;
  return std::log(product);
}

/// Bits to name the class counts of n rows.
double log2_compositions(double n, double n_classes) {
  return (log_factorial(n + n_classes - 1) - log_factorial(n_classes - 1) -
          log_factorial(n)) /
         std::log(2.0);
}

/// Class counts of a side of a cut, and what follows from them. kClasses is 0 when it
/// is not known at compile time; knowing it keeps the counts in registers.
template <class Count, std::size_t kClasses>
struct Side {
  using Counts = std::conditional_t<kClasses == 0, std::vector<Count>,
                                    std::array<Count, kClasses>>;
  Counts counts{};
  Count total{0};

  explicit Side(std::size_t n_classes) {
    if constexpr (kClasses == 0) counts.resize(n_classes);
  }

  void clear() {
    std::fill(counts.begin(), counts.end(), Count{0});
    total = Count{0};
  }

  void add(const Count* block) {
    for (std::size_t c = 0; c < counts.size(); ++c) {
      counts[c] += block[c];
      total += block[c];
    }
  }

  /// Becomes what `part` leaves of `whole`.
  void subtract(const Side& whole, const Side& part) {
    for (std::size_t c = 0; c < counts.size(); ++c)
      counts[c] = whole.counts[c] - part.counts[c];
    total = whole.total - part.total;
  }

  double present() const {
    return static_cast<double>(
        std::count_if(counts.begin(), counts.end(), [](Count c) { return c > 0; }));
  }

  /// n · H in bits.
  template <class LogTerm>
  double information(const LogTerm& log_term) const {
    double sum = 0;
    for (const Count count : counts) sum += log_term(count);
    return log_term(total) - sum;
  }

  /// Bits to name the order of the classes, given their counts.
  double log2_orders() const {
    double result = log_factorial(static_cast<double>(total));
    for (const Count count : counts)
      result -= log_factorial(static_cast<double>(count));
    return result / std::log(2.0);
  }
};

/// Fayyad-Irani's or Kononenko's verdict on the best cut of a range.
template <class Side, class LogTerm>
bool worth_its_price(const Side& whole, const Side& left, const Side& right,
                     double possible_cuts, CutPrice price, const LogTerm& log_term) {
  const auto n = static_cast<double>(whole.total);
  const double k = whole.present();
  const double naming = std::log2(price == CutPrice::kBetter ? possible_cuts : n - 1.0);
  if (price == CutPrice::kKononenko) {
    // Of few rows both are often equal, and only rounding tells: added up as Weka does.
    const auto compositions = [&](const Side& side) {
      return log2_compositions(static_cast<double>(side.total), k);
    };
    return whole.log2_orders() + compositions(whole) >
           naming + compositions(left) + compositions(right) + left.log2_orders() +
               right.log2_orders();
  }
  const auto entropy = [&](const Side& side) {
    return side.information(log_term) / static_cast<double>(side.total);
  };
  const double whole_entropy = entropy(whole);
  const double gain =
      whole_entropy - (left.information(log_term) + right.information(log_term)) / n;
  if (gain <= kTie) return false;
  const double delta =
      log2_three_to(k) - (k * whole_entropy - left.present() * entropy(left) -
                          right.present() * entropy(right));
  return gain > (naming + delta) / n;
}

template <class Count, std::size_t kClasses, class LogTerm>
class CutSearch {
 public:
  CutSearch(const Blocks<Count>& blocks, CutPrice price, const LogTerm& log_term)
      : blocks_(blocks),
        price_(price),
        log_term_(log_term),
        whole_(blocks.n_classes()),
        left_(blocks.n_classes()),
        right_(blocks.n_classes()) {}

  std::vector<std::size_t> run() {
    std::vector<std::size_t> cuts;
    // An explicit stack: a chain of a million cuts must not overflow the real one.
    std::vector<std::pair<std::size_t, std::size_t>> open{{0, blocks_.size()}};
    while (!open.empty()) {
      const auto [begin, end] = open.back();
      open.pop_back();
      const std::size_t cut = best_cut(begin, end);
      if (cut == kNone) continue;
      cuts.push_back(cut);
      open.emplace_back(begin, cut + 1);
      open.emplace_back(cut + 1, end);
    }
    std::sort(cuts.begin(), cuts.end());
    return cuts;
  }

 private:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  /// The cut of [begin, end) with the least class information, if worth its price.
  std::size_t best_cut(std::size_t begin, std::size_t end) {
    if (end - begin < 2) return kNone;
    whole_.clear();
    for (std::size_t b = begin; b < end; ++b) whole_.add(blocks_[b]);
    if (whole_.present() < 2) return kNone;

    std::size_t best = kNone;
    double least = std::numeric_limits<double>::infinity();
    const double slack = kTie * static_cast<double>(whole_.total);
    left_.clear();
    for (std::size_t b = begin; b + 1 < end; ++b) {
      left_.add(blocks_[b]);
      right_.subtract(whole_, left_);
      const double information =
          left_.information(log_term_) + right_.information(log_term_);
      if (information < least - slack) {
        least = information;
        best = b;
      }
    }
    if (best == kNone) return kNone;
    left_.clear();
    right_.clear();
    for (std::size_t b = begin; b < end; ++b)
      (b <= best ? left_ : right_).add(blocks_[b]);
    const std::size_t groups = blocks_.end(end - 1) - blocks_.begin(begin);
    return worth_its_price(whole_, left_, right_, static_cast<double>(groups - 1),
                           price_, log_term_)
               ? best
               : kNone;
  }

  const Blocks<Count>& blocks_;
  CutPrice price_;
  const LogTerm& log_term_;
  Side<Count, kClasses> whole_;
  Side<Count, kClasses> left_;
  Side<Count, kClasses> right_;
};

template <class Count, class LogTerm>
std::vector<std::size_t> search_cuts(const Blocks<Count>& blocks, CutPrice price,
                                     const LogTerm& log_term) {
  switch (blocks.n_classes()) {
    case 2:
      return CutSearch<Count, 2, LogTerm>(blocks, price, log_term).run();
    case 3:
      return CutSearch<Count, 3, LogTerm>(blocks, price, log_term).run();
    case 4:
      return CutSearch<Count, 4, LogTerm>(blocks, price, log_term).run();
    default:
      return CutSearch<Count, 0, LogTerm>(blocks, price, log_term).run();
  }
}

/// Known values in ascending order; `row` is the position in the column.
std::vector<KeyedRow> sorted_rows(std::span<const double> values) {
  if (values.size() > std::numeric_limits<std::uint32_t>::max())
    throw std::invalid_argument("a column may have at most 2^32 - 1 rows");
  std::vector<KeyedRow> rows;
  rows.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isnan(values[i]))
      rows.push_back({ordered_key(values[i]), static_cast<std::uint32_t>(i)});
  std::vector<KeyedRow> scratch;
  radix_sort(rows, scratch);
  return rows;
}

template <class Count, class WeightOf>
std::vector<double> cuts_of_sorted(const std::vector<KeyedRow>& rows,
                                   std::span<const std::int32_t> classes,
                                   std::size_t n_classes, CutPrice price,
                                   const WeightOf& weight_of) {
  Blocks<Count> blocks(n_classes);
  std::vector<std::uint64_t> keys;
  std::vector<Count> group(n_classes, Count{0});
  for (std::size_t i = 0; i < rows.size();) {
    const std::uint64_t key = rows[i].key;
    keys.push_back(key);
    if (i + 1 == rows.size() || rows[i + 1].key != key) {
      // Most groups of a continuous column are one row.
      const Count weight = weight_of(rows[i].row);
      if (weight > Count{0}) {
        blocks.add_pure(static_cast<std::size_t>(classes[rows[i].row]), weight);
        ++i;
        continue;
      }
    }
    std::fill(group.begin(), group.end(), Count{0});
    for (; i < rows.size() && rows[i].key == key; ++i)
      group[static_cast<std::size_t>(classes[rows[i].row])] += weight_of(rows[i].row);
    blocks.add(group.data());
  }
  std::vector<std::size_t> found;
  if constexpr (std::is_integral_v<Count>)
    found = mdl_cut_blocks(blocks, price, LogTable(rows.size()));
  else
    found = mdl_cut_blocks(blocks, price);
  std::vector<double> cuts;
  for (const std::size_t block : found) {
    const std::size_t next = blocks.end(block);
    cuts.push_back(
        halfway(from_ordered_key(keys[next - 1]), from_ordered_key(keys[next])));
  }
  return cuts;
}

}  // namespace

std::vector<std::size_t> mdl_cut_blocks(const Blocks<std::int64_t>& blocks,
                                        CutPrice price, const LogTable& logs) {
  return search_cuts(blocks, price, logs);
}

std::vector<std::size_t> mdl_cut_blocks(const Blocks<double>& blocks, CutPrice price) {
  return search_cuts(blocks, price, [](double x) { return x_log2_x(x); });
}

std::vector<double> mdl_cuts(std::span<const double> values,
                             std::span<const std::int32_t> classes,
                             std::int32_t n_classes, std::span<const double> weights,
                             CutPrice price) {
  if (classes.size() != values.size())
    throw std::invalid_argument("one class per row is needed");
  if (n_classes < 1 && !classes.empty())
    throw std::invalid_argument("there must be at least one class");
  if (!weights.empty() && weights.size() != values.size())
    throw std::invalid_argument("one weight per row is needed");
  for (const std::int32_t c : classes)
    if (c < 0 || c >= n_classes)
      throw std::invalid_argument("class codes must lie in [0, n_classes)");
  const auto rows = sorted_rows(values);
  if (rows.empty()) return {};
  const auto n = static_cast<std::size_t>(n_classes);
  if (weights.empty())
    return cuts_of_sorted<std::int64_t>(rows, classes, n, price,
                                        [](std::size_t) { return std::int64_t{1}; });
  return cuts_of_sorted<double>(rows, classes, n, price,
                                [&](std::size_t row) { return weights[row]; });
}

std::vector<std::int64_t> tie_runs(std::span<const double> values) {
  std::vector<std::int64_t> runs;
  std::uint64_t previous = 0;
  for (const KeyedRow& row : sorted_rows(values)) {
    if (runs.empty() || row.key != previous) runs.push_back(0);
    ++runs.back();
    previous = row.key;
  }
  return runs;
}

std::vector<std::int32_t> apply_cuts(std::span<const double> values,
                                     std::span<const double> cuts) {
  std::vector<std::int32_t> codes(values.size(), -1);
  // Few cuts: counting those below is branch-free and faster than a search.
  const bool few = cuts.size() <= 16;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double value = values[i];
    if (std::isnan(value)) continue;
    if (few) {
      std::int32_t code = 0;
      for (const double cut : cuts) code += value > cut ? 1 : 0;
      codes[i] = code;
    } else {
      codes[i] = static_cast<std::int32_t>(
          std::lower_bound(cuts.begin(), cuts.end(), value) - cuts.begin());
    }
  }
  return codes;
}

}  // namespace featsieve
