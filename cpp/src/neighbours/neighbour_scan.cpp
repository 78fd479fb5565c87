#include "neighbours/neighbour_scan.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace featsieve {
namespace {

constexpr std::size_t kNobody = static_cast<std::size_t>(-1);

/// |n⁺ − n⁻| / (n⁺ + n⁻) for one class against the others, description by description.
std::vector<double> agreement_of(std::span<const std::int32_t> counts,
                                 std::size_t n_classes) {
  std::vector<double> agreement(counts.size());
  for (std::size_t begin = 0; begin < counts.size(); begin += n_classes) {
    const auto some = counts.subspan(begin, n_classes);
    const auto total = std::accumulate(some.begin(), some.end(), 0.0);
    for (std::size_t c = 0; c < n_classes; ++c)
      agreement[begin + c] = std::abs(2.0 * some[c] - total) / total;
  }
  return agreement;
}

/// Counts classes by description, descriptions × classes.
std::vector<std::int32_t> count_classes(std::span<const std::int32_t> numbers,
                                        std::span<const std::int32_t> classes,
                                        std::size_t n_descriptions,
                                        std::size_t n_classes) {
  std::vector<std::int32_t> counts(n_descriptions * n_classes, 0);
  for (std::size_t i = 0; i < classes.size(); ++i)
    ++counts[static_cast<std::size_t>(numbers[i]) * n_classes +
             static_cast<std::size_t>(classes[i])];
  return counts;
}

void check_classes(std::span<const std::int32_t> classes, std::size_t n_classes) {
  for (const std::int32_t code : classes)
    if (code < 0 || static_cast<std::size_t>(code) >= n_classes)
      throw std::invalid_argument("classes must be codes from 0 to n_classes - 1");
}

}  // namespace

NeighbourScanner::NeighbourScanner(const ScannedRows& rows, Instructions instructions)
    : rows_(rows), instructions_(instructions) {
  const std::size_t n = rows.classes.size();
  if (rows.n_classes == 0) throw std::invalid_argument("there must be a class");
  check_classes(rows.classes, rows.n_classes);
  if (rows.descriptions.n_rows != n ||
      rows.descriptions.n_columns() != rows.kinds.size())
    throw std::invalid_argument("values and codes must have the same shape");
  check_codes(rows.descriptions);
  row_counts_.assign(n * rows.n_classes, 0);
  for (std::size_t i = 0; i < n; ++i)
    row_counts_[i * rows.n_classes + static_cast<std::size_t>(rows.classes[i])] = 1;
  if (rows.left_out.empty() && rows.leave_one_out)
    for (std::size_t i = 0; i < n; ++i)
      itself_.push_back(
          {static_cast<std::int32_t>(i), static_cast<std::int32_t>(i + 1)});
  // The searches check the rest; one is made now so that errors come early.
  NeighbourSearch({rows.values, rows.values, rows.kinds, n, n}, rows.left_out,
                  instructions);
}

DescribedRows NeighbourScanner::described(const Evaluated& evaluated) const {
  const bool alone = evaluated.numbers.empty();
  return {alone ? std::span<const std::int32_t>(row_counts_) : evaluated.counts,
          rows_.n_classes, &evaluated.lists, rows_.leave_one_out && !alone,
          evaluated.agreement};
}

void NeighbourScanner::look_at_descriptions(std::span<const std::int32_t> subset,
                                            std::size_t k, Conflict conflict,
                                            const Descriptions& found,
                                            Evaluated& out) const {
  const std::size_t n = rows_.classes.size();
  const std::size_t size = found.size();
  const auto numbers = found.of_rows();
  out.numbers.assign(numbers.begin(), numbers.end());
  out.counts = count_classes(numbers, rows_.classes, size, rows_.n_classes);
  if (conflict != Conflict::kNone)
    out.agreement = agreement_of(out.counts, rows_.n_classes);
  std::vector<double> values(subset.size() * size);
  std::vector<Difference> kinds(subset.size());
  std::vector<std::int32_t> columns(subset.size());
  for (std::size_t j = 0; j < subset.size(); ++j) {
    const auto column = static_cast<std::size_t>(subset[j]);
    kinds[j] = rows_.kinds[column];
    columns[j] = static_cast<std::int32_t>(j);
    for (std::size_t a = 0; a < size; ++a)
      values[j * size + a] =
          rows_.values[column * n + static_cast<std::size_t>(found.first_rows()[a])];
  }
  std::vector<std::int32_t> totals(size, 0);
  for (const std::int32_t number : numbers) ++totals[static_cast<std::size_t>(number)];
  std::vector<LeftOut> left_out(size);
  if (rows_.leave_one_out)
    for (std::size_t a = 0; a < size; ++a) {
      const auto begin = static_cast<std::int32_t>(a);
      left_out[a] = {begin, begin + (totals[a] == 1 ? 1 : 0)};
    }
  const NeighbourSearch search({values, values, kinds, size, size}, left_out,
                               instructions_);
  const std::vector<std::int64_t> begins{0, static_cast<std::int64_t>(subset.size())};
  NearestWithTies nearest(k, totals);
  search.each({columns, begins}, k, {},
              [&](std::size_t, std::size_t query, const Nearby& nearby) {
                nearest.append(nearby, rows_.leave_one_out ? query : kNobody,
                               out.lists);
              });
}

template <class Use>
void NeighbourScanner::each(const SubsetList& subsets, std::size_t k, Conflict conflict,
                            const Use& use) const {
  check_subsets(subsets, rows_.kinds.size());
  const std::size_t n = rows_.classes.size();
  Descriptions descriptions(rows_.descriptions);
  std::vector<std::int32_t> columns;
  std::vector<std::int64_t> begins{0};
  std::vector<std::size_t> row_by_row;
  std::vector<Evaluated> waiting;
  for (std::size_t s = 0; s < subsets.size(); ++s) {
    const auto subset = subsets[s];
    const std::size_t few = rows_.left_out.empty() ? n / 2 : 0;
    const bool found = descriptions.find(subset, conflict == Conflict::kNone ? few : n);
    Evaluated evaluated;
    if (found && descriptions.size() <= few) {
      look_at_descriptions(subset, k, conflict, descriptions, evaluated);
      use(s, evaluated);
      continue;
    }
    if (conflict != Conflict::kNone) {
      const auto numbers = descriptions.of_rows();
      const auto shares = agreement_of(
          count_classes(numbers, rows_.classes, descriptions.size(), rows_.n_classes),
          rows_.n_classes);
      for (const std::int32_t number : numbers) {
        const auto begin = static_cast<std::size_t>(number) * rows_.n_classes;
        const auto at = shares.begin() + static_cast<std::ptrdiff_t>(begin);
        evaluated.agreement.insert(evaluated.agreement.end(), at,
                                   at + static_cast<std::ptrdiff_t>(rows_.n_classes));
      }
    }
    columns.insert(columns.end(), subset.begin(), subset.end());
    begins.push_back(static_cast<std::int64_t>(columns.size()));
    row_by_row.push_back(s);
    waiting.push_back(std::move(evaluated));
  }
  const NeighbourSearch search(
      {rows_.values, rows_.values, rows_.kinds, n, n},
      rows_.left_out.empty() ? std::span<const LeftOut>(itself_) : rows_.left_out,
      instructions_);
  NearestWithTies nearest(k, {});
  search.each({columns, begins}, k, {},
              [&](std::size_t s, std::size_t, const Nearby& nearby) {
                nearest.append(nearby, kNobody, waiting[s].lists);
              });
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    use(row_by_row[i], waiting[i]);
    waiting[i] = {};
  }
}

std::vector<std::int64_t> NeighbourScanner::right(const SubsetList& subsets,
                                                  std::size_t k) const {
  std::vector<std::int64_t> result(subsets.size());
  each(subsets, k, Conflict::kNone, [&](std::size_t s, const Evaluated& evaluated) {
    result[s] = count_right(described(evaluated));
  });
  return result;
}

std::vector<double> NeighbourScanner::boosting(const SubsetList& subsets, std::size_t k,
                                               const BoostingRules& rules) const {
  std::vector<double> result(subsets.size() * rules.n_rounds);
  each(subsets, k, rules.conflict, [&](std::size_t s, const Evaluated& evaluated) {
    const auto curve = boosting_curve(described(evaluated), rules);
    std::copy(curve.begin(), curve.end(),
              result.begin() + static_cast<std::ptrdiff_t>(s * rules.n_rounds));
  });
  return result;
}

BoostingRounds NeighbourScanner::rounds(std::span<const std::int32_t> subset,
                                        std::size_t k, std::size_t positive,
                                        const BoostingRules& rules) const {
  if (positive >= rows_.n_classes) throw std::out_of_range("there is no such class");
  BoostingRounds result;
  const std::vector<std::int64_t> begins{0, static_cast<std::int64_t>(subset.size())};
  each({subset, begins}, k, rules.conflict,
       [&](std::size_t, const Evaluated& evaluated) {
         result = boost(described(evaluated), positive, rules);
         std::vector<double> weights(rows_.classes.size());
         std::vector<double> margins(rows_.classes.size());
         for (std::size_t i = 0; i < weights.size(); ++i) {
           const std::size_t a = evaluated.numbers.empty()
                                     ? i
                                     : static_cast<std::size_t>(evaluated.numbers[i]);
           const bool own = static_cast<std::size_t>(rows_.classes[i]) == positive;
           weights[i] = result.weights[2 * a + (own ? 0 : 1)];
           margins[i] = result.margins[2 * a + (own ? 0 : 1)];
         }
         result.weights = std::move(weights);
         result.margins = std::move(margins);
       });
  return result;
}

namespace {

/// Counts of classes among rows that are surely near, and among those that may be.
struct CloseVotes {
  std::vector<std::int32_t> sure;
  std::vector<std::int32_t> open;
};

std::int32_t decide(const CloseVotes& votes, std::int32_t k) {
  const std::int32_t sure =
      std::accumulate(votes.sure.begin(), votes.sure.end(), std::int32_t{0});
  const std::int32_t open =
      std::accumulate(votes.open.begin(), votes.open.end(), std::int32_t{0});
  const std::int32_t seats = std::min(k - sure, open);
  // The class with most votes if its own open ones come last must beat all others if
  // theirs come first.
  const auto least = [&](std::size_t c) {
    return votes.sure[c] + std::max(0, seats - (open - votes.open[c]));
  };
  std::size_t best = 0;
  for (std::size_t c = 1; c < votes.sure.size(); ++c)
    if (least(c) > least(best)) best = c;
  for (std::size_t c = 0; c < votes.sure.size(); ++c) {
    const std::int32_t most = votes.sure[c] + std::min(seats, votes.open[c]);
    if (c < best && most >= least(best)) return kUndecided;
    if (c > best && most > least(best)) return kUndecided;
  }
  return static_cast<std::int32_t>(best);
}

}  // namespace

std::vector<std::int32_t> votes_of_exactly(const NeighbourSearch& search,
                                           const SubsetList& subsets, std::size_t k,
                                           std::span<const std::int32_t> classes,
                                           std::size_t n_classes,
                                           std::span<const double> slack) {
  check_classes(classes, n_classes);
  const NeighbourTable& table = search.table();
  if (classes.size() != table.n_rows || k > table.n_rows)
    throw std::invalid_argument("there must be a class per row, and k rows");
  std::vector<std::int32_t> result(subsets.size() * table.n_queries);
  CloseVotes votes{std::vector<std::int32_t>(n_classes),
                   std::vector<std::int32_t>(n_classes)};
  std::vector<double> near;
  search.each(
      subsets, k, slack, [&](std::size_t s, std::size_t query, const Nearby& nearby) {
        std::fill(votes.sure.begin(), votes.sure.end(), 0);
        std::fill(votes.open.begin(), votes.open.end(), 0);
        std::int32_t& answer = result[s * table.n_queries + query];
        if (nearby.nearest.size() == k) {  // mostly: nobody else is as near
          for (const std::int32_t row : nearby.nearest)
            ++votes.sure[static_cast<std::size_t>(
                classes[static_cast<std::size_t>(row)])];
          answer = decide(votes, static_cast<std::int32_t>(k));
          return;
        }
        near.clear();
        for (const std::int32_t row : nearby.nearest)
          near.push_back(nearby.distances[static_cast<std::size_t>(row)]);
        const auto nth = near.begin() + static_cast<std::ptrdiff_t>(k - 1);
        std::nth_element(near.begin(), nth, near.end());
        const double margin = *nth * kSameDistance + (slack.empty() ? 0.0 : slack[s]);
        const double low = *nth - margin;
        const double high = *nth + margin;
        for (const std::int32_t row : nearby.nearest) {
          const double distance = nearby.distances[static_cast<std::size_t>(row)];
          const auto c =
              static_cast<std::size_t>(classes[static_cast<std::size_t>(row)]);
          if (distance < low) {
            ++votes.sure[c];
          } else if (distance <= high) {
            ++votes.open[c];
          }
        }
        answer = decide(votes, static_cast<std::int32_t>(k));
      });
  return result;
}

std::vector<std::int32_t> votes_with_ties(const NeighbourSearch& search,
                                          const SubsetList& subsets, std::size_t k,
                                          std::span<const std::int32_t> classes,
                                          std::span<const std::int32_t> order) {
  check_classes(classes, order.size());
  check_classes(order, order.size());
  const NeighbourTable& table = search.table();
  if (classes.size() != table.n_rows || order.empty())
    throw std::invalid_argument("there must be a class per row");
  std::vector<std::int32_t> result(subsets.size() * table.n_queries, order[0]);
  std::vector<std::int32_t> votes(order.size());
  NearestWithTies nearest(k, {});
  NeighbourLists lists;
  search.each(
      subsets, k, {}, [&](std::size_t s, std::size_t query, const Nearby& nearby) {
        lists.rows.clear();
        lists.begins.assign(1, 0);
        nearest.append(nearby, kNobody, lists);
        std::fill(votes.begin(), votes.end(), 0);
        for (const std::int32_t row : lists.rows)
          ++votes[static_cast<std::size_t>(classes[static_cast<std::size_t>(row)])];
        std::int32_t best = order[0];
        for (const std::int32_t c : order)
          if (votes[static_cast<std::size_t>(c)] >
              votes[static_cast<std::size_t>(best)])
            best = c;
        result[s * table.n_queries + query] = best;
      });
  return result;
}

}  // namespace featsieve
