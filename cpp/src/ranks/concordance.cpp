#include "ranks/concordance.hpp"

#include <cmath>
#include <stdexcept>

namespace featsieve {
namespace {

std::int64_t pairs_of(std::int64_t n) { return n * (n - 1) / 2; }

}  // namespace

double tau_b(const Concordance& counts) {
  const std::int64_t untied = counts.concordant + counts.discordant;
  if (untied == 0) return 0;
  // Untied in one column: untied in both, or tied in the other only.
  const auto first = static_cast<double>(untied + counts.tied_second);
  const auto second = static_cast<double>(untied + counts.tied_first);
  return static_cast<double>(counts.concordant - counts.discordant) /
         std::sqrt(first * second);
}

double gamma(const Concordance& counts, std::int64_t min_untied) {
  const std::int64_t untied = counts.concordant + counts.discordant;
  if (untied == 0 || untied < min_untied) return 0;
  return static_cast<double>(counts.concordant - counts.discordant) /
         static_cast<double>(untied);
}

Concordance ConcordanceCounter::count(const RankedColumn& first,
                                      const RankedColumn& second) {
  if (first.n_rows() != second.n_rows())
    throw std::invalid_argument("both columns must have the same number of rows");
  const bool complete = !first.has_missing() && !second.has_missing();
  if (!complete || (first.has_ties() && second.has_ties()))
    return count_tied(first, second);
  Concordance counts;
  counts.rows = static_cast<std::int64_t>(first.n_known());
  counts.tied_first = first.tied_pairs();
  counts.tied_second = second.tied_pairs();
  // No pair is tied in both; the column without ties shows the way.
  counts.concordant =
      first.has_ties() ? count_untied(second, first) : count_untied(first, second);
  counts.discordant =
      counts.pairs() - counts.concordant - counts.tied_first - counts.tied_second;
  return counts;
}

std::int64_t ConcordanceCounter::count_untied(const RankedColumn& walked,
                                              const RankedColumn& other) {
  seen_.reset(other.n_known());
  std::int64_t concordant = 0;
  const auto place = other.place();
  const auto below = other.below();
  for (const std::uint32_t row : walked.order()) {
    concordant += static_cast<std::int64_t>(
        seen_.count_below(static_cast<std::size_t>(below[row])));
    seen_.add(static_cast<std::size_t>(place[row]));
  }
  return concordant;
}

Concordance ConcordanceCounter::count_tied(const RankedColumn& first,
                                           const RankedColumn& second) {
  seen_.reset(second.n_known());
  group_sizes_.assign(second.n_known(), 0);
  Concordance counts;
  const auto order = first.order();
  const auto first_below = first.below();
  const auto place = second.place();
  const auto below = second.below();
  const bool ties = second.has_ties();
  std::int64_t tied_first = 0;  // whether tied in the second or not
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    std::int64_t known = 0;
    for (; end < order.size() && first_below[order[end]] == first_below[order[begin]];
         ++end) {
      const std::uint32_t row = order[end];
      if (place[row] < 0) continue;
      ++known;
      const auto least = static_cast<std::size_t>(below[row]);
      const std::size_t most =
          ties ? static_cast<std::size_t>(second.up_to()[row]) : least + 1;
      ++group_sizes_[least];
      counts.concordant += static_cast<std::int64_t>(seen_.count_below(least));
      counts.discordant +=
          counts.rows - static_cast<std::int64_t>(seen_.count_below(most));
    }
    for (; begin < end; ++begin)
      if (place[order[begin]] >= 0)
        seen_.add(static_cast<std::size_t>(place[order[begin]]));
    counts.rows += known;
    tied_first += pairs_of(known);
  }
  std::int64_t tied_second = 0;
  for (const std::uint32_t size : group_sizes_) tied_second += pairs_of(size);
  counts.tied_both =
      counts.concordant + counts.discordant + tied_first + tied_second - counts.pairs();
  counts.tied_first = tied_first - counts.tied_both;
  counts.tied_second = tied_second - counts.tied_both;
  return counts;
}

Concordance concordance_of_table(std::span<const std::int64_t> table,
                                 std::size_t n_first, std::size_t n_second) {
  Concordance counts;
  std::int64_t tied_first = 0;
  std::vector<std::int64_t> above(n_second, 0);  // totals of the rows so far
  for (std::size_t a = 0; a < n_first; ++a) {
    const std::int64_t* row = table.data() + a * n_second;
    std::int64_t smaller = 0;
    std::int64_t total = 0;
    for (std::size_t b = 0; b < n_second; ++b) {
      counts.concordant += row[b] * smaller;
      counts.discordant += row[b] * (counts.rows - smaller - above[b]);
      counts.tied_both += pairs_of(row[b]);
      smaller += above[b];
      total += row[b];
    }
    for (std::size_t b = 0; b < n_second; ++b) above[b] += row[b];
    counts.rows += total;
    tied_first += pairs_of(total);
  }
  std::int64_t tied_second = 0;
  for (const std::int64_t total : above) tied_second += pairs_of(total);
  counts.tied_first = tied_first - counts.tied_both;
  counts.tied_second = tied_second - counts.tied_both;
  return counts;
}

std::vector<Concordance> count_by_class(const RankedColumn& column,
                                        std::span<const std::int32_t> classes,
                                        std::int32_t n_classes) {
  if (classes.size() != column.n_rows())
    throw std::invalid_argument("one class per row is needed");
  if (n_classes < 0) throw std::invalid_argument("n_classes must not be negative");
  for (const std::int32_t c : classes)
    if (c < 0 || c >= n_classes)
      throw std::invalid_argument("class codes must lie in [0, n_classes)");
  const auto n = static_cast<std::size_t>(n_classes);
  std::vector<Concordance> counts(n);
  std::vector<std::int64_t> sizes(n, 0);
  // A member of a class is concordant with every row of other classes below it; those
  // with which it is tied are found at the end of each run of equal values, and the
  // other pairs are discordant.
  std::vector<std::int64_t> in_run(n, 0);
  const auto order = column.order();
  const auto below = column.below();
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    const std::int32_t start = below[order[begin]];
    while (end < order.size() && below[order[end]] == start) ++end;
    if (end == begin + 1) {
      const auto c = static_cast<std::size_t>(classes[order[begin]]);
      counts[c].concordant += static_cast<std::int64_t>(begin) - sizes[c]++;
      begin = end;
      continue;
    }
    for (std::size_t at = begin; at < end; ++at)
      ++in_run[static_cast<std::size_t>(classes[order[at]])];
    const auto size = static_cast<std::int64_t>(end - begin);
    for (std::size_t at = begin; at < end; ++at) {
      const auto c = static_cast<std::size_t>(classes[order[at]]);
      const std::int64_t members = in_run[c];
      if (members == 0) continue;  // counted with the first of them
      counts[c].concordant += members * (static_cast<std::int64_t>(begin) - sizes[c]);
      counts[c].tied_first += members * (size - members);
      sizes[c] += members;
      in_run[c] = 0;
    }
    begin = end;
  }
  for (std::size_t c = 0; c < n; ++c) {
    Concordance& own = counts[c];
    own.rows = static_cast<std::int64_t>(column.n_known());
    own.discordant = sizes[c] * (own.rows - sizes[c]) - own.concordant - own.tied_first;
    own.tied_both = column.tied_pairs() - own.tied_first;
    own.tied_second =
        own.pairs() - own.concordant - own.discordant - column.tied_pairs();
  }
  return counts;
}

}  // namespace featsieve
