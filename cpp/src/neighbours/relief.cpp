#include "neighbours/relief.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <queue>
#include <stdexcept>
#include <utility>

#include "neighbours/weka_order.hpp"

namespace featsieve {
namespace {

/// Coarse distances that are kept at a time; anchors are taken together while their
/// lines fit, because they share the reading of the rows.
constexpr std::size_t kCoarseAtOnce = std::size_t{1} << 19U;
constexpr std::size_t kMostAnchorsAtOnce = 64;
constexpr std::size_t kFewestAnchorsAtOnce = 4;

/// Rows that are skipped together when none of them is near enough.
constexpr std::size_t kGlance = 32;

constexpr std::int32_t kNever = std::numeric_limits<std::int32_t>::max();

/// Rows must be nearer than the bound by more than what rounding does to it.
constexpr double kSlackOfBound = 1e-9;

/// Weight per place by rank, and what places up to a (fractional) rank weigh.
class RankWeights {
 public:
  RankWeights(std::size_t n, double sigma) : sums_(n + 1, 0.0) {
    for (std::size_t r = 0; r < n; ++r) {
      const double scaled = sigma > 0 ? static_cast<double>(r) / sigma : 0;
      sums_[r + 1] = sums_[r] + std::exp(-scaled * scaled);
    }
  }

  double up_to(double rank) const {
    const auto most = static_cast<double>(sums_.size() - 1);
    if (rank >= most) return sums_.back();
    const auto whole = static_cast<std::size_t>(rank);
    return sums_[whole] +
           (rank - static_cast<double>(whole)) * (sums_[whole + 1] - sums_[whole]);
  }

 private:
  std::vector<double> sums_;
};

/// Calls found(row) for rows in [begin, end) whose line is at most limit(), which may
/// fall meanwhile.
template <class Limit, class Found>
void each_within(const std::int32_t* line, std::size_t begin, std::size_t end,
                 const Limit& limit, const Found& found) {
  for (std::size_t from = begin; from < end; from += kGlance) {
    const std::size_t to = std::min(end, from + kGlance);
    // One pass without branches over rows of which hardly any is near.
    const std::int32_t most = limit();
    unsigned some = 0;
    for (std::size_t row = from; row < to; ++row) some |= line[row] <= most ? 1U : 0U;
    if (some == 0) continue;
    for (std::size_t row = from; row < to; ++row)
      if (line[row] <= limit()) found(row);
  }
}

/// Writes the least of every kSize values, and of the rest.
template <std::size_t kSize>
void least_of_each(std::span<const std::int32_t> line,
                   std::vector<std::int32_t>& minima) {
  const std::size_t whole = line.size() / kSize;
  minima.resize(whole + (whole * kSize < line.size() ? 1 : 0));
  for (std::size_t i = 0; i < whole; ++i) {
    std::int32_t least = kNever;
    for (std::size_t j = 0; j < kSize; ++j)
      least = std::min(least, line[i * kSize + j]);
    minima[i] = least;
  }
  if (whole < minima.size())
    minima.back() = *std::min_element(
        line.begin() + static_cast<std::ptrdiff_t>(whole * kSize), line.end());
}

/// A distance within which there are k rows, and not many more: the k-th least of the
/// least of small groups of rows. Several groups for each of the k keep it tight.
std::int32_t bound_by_minima(std::span<const std::int32_t> line, std::size_t k,
                             std::vector<std::int32_t>& minima) {
  if (line.size() <= k) return kNever;
  const std::size_t fitting = line.size() / (4 * k);
  if (fitting >= 32) {
    least_of_each<32>(line, minima);
  } else if (fitting >= 8) {
    least_of_each<8>(line, minima);
  } else {
    least_of_each<1>(line, minima);
  }
  const auto place = minima.begin() + static_cast<std::ptrdiff_t>(k - 1);
  std::nth_element(minima.begin(), place, minima.end());
  return *place;
}

}  // namespace

struct ReliefScanner::Scratch {
  explicit Scratch(const NeighbourRule& rule) : ranks(rule.n_neighbours, rule.sigma) {}

  RankWeights ranks;
  std::vector<std::int32_t> minima;
  std::vector<Neighbour> found;  // with weights that add up to 1
};

ReliefScanner::ReliefScanner(const MixedRows& rows, const ReliefTarget& target,
                             std::span<const double> weights, Instructions instructions)
    : distances_(rows, instructions),
      coarse_(rows, instructions),
      target_(target),
      weights_(weights) {
  const std::size_t n_classes = target.begins.size() - 1;
  const auto n = static_cast<std::int32_t>(rows.n_rows);
  if (target.begins.size() < 2 || target.begins.front() != 0 ||
      target.begins.back() != n || !std::ranges::is_sorted(target.begins))
    throw std::invalid_argument("begins must ascend from 0 to the number of rows");
  const bool classes = target.quantities.empty();
  if (classes ? target.factors.size() != n_classes * n_classes
              : target.quantities.size() != rows.n_rows || n_classes != 1)
    throw std::invalid_argument("factors or quantities do not fit the classes or rows");
  if (!weights.empty() && weights.size() != rows.n_rows)
    throw std::invalid_argument("weights must have one number per row");
}

std::size_t ReliefScanner::class_of(std::size_t row) const {
  const auto after =
      std::ranges::upper_bound(target_.begins, static_cast<std::int32_t>(row));
  return static_cast<std::size_t>(after - target_.begins.begin()) - 1;
}

void ReliefScanner::check_anchors(std::span<const std::int32_t> anchors) const {
  for (const std::int32_t anchor : anchors)
    if (anchor < 0 || static_cast<std::size_t>(anchor) >= n_rows())
      throw std::out_of_range("anchors must be rows");
}

ReliefTerms ReliefScanner::empty_terms(std::size_t n_anchors, std::size_t lines) const {
  ReliefTerms result;
  result.terms.assign(n_anchors * lines * n_features(), 0.0);
  if (lines == 2) result.target_differences.assign(n_anchors, 0.0);
  result.counts.assign(n_anchors, 0);
  return result;
}

ReliefTerms ReliefScanner::nearest(std::span<const std::int32_t> anchors,
                                   const NeighbourRule& rule) const {
  check_anchors(anchors);
  if (rule.n_neighbours == 0) throw std::invalid_argument("neighbours are needed");
  ReliefTerms result = empty_terms(anchors.size(), target_.quantities.empty() ? 1 : 2);
  Scratch scratch(rule);
  const std::size_t fitting =
      kCoarseAtOnce / std::max<std::size_t>(coarse_.stride(), 1);
  const std::size_t at_once =
      std::clamp(fitting, kFewestAnchorsAtOnce, kMostAnchorsAtOnce);
  std::vector<std::int32_t> lines(std::min(at_once, anchors.size()) * coarse_.stride());
  for (std::size_t from = 0; from < anchors.size(); from += at_once) {
    const auto some = anchors.subspan(from, std::min(at_once, anchors.size() - from));
    coarse_.from(some, lines);
    for (std::size_t k = 0; k < some.size(); ++k) {
      std::int32_t* line = lines.data() + k * coarse_.stride();
      const auto anchor = static_cast<std::size_t>(some[k]);
      if (weight(anchor, anchor) <= 0) line[anchor] = kNever;
      explain(anchor, from + k, line, rule, scratch, result);
    }
  }
  return result;
}

void ReliefScanner::explain(std::size_t anchor, std::size_t line,
                            const std::int32_t* coarse, const NeighbourRule& rule,
                            Scratch& scratch, ReliefTerms& result) const {
  const std::size_t p = n_features();
  const std::size_t own = class_of(anchor);
  const std::size_t n_classes = target_.begins.size() - 1;
  const bool file_order = !rule.file_order.empty();
  const auto find = [&](std::size_t group) {
    if (file_order) {
      find_in_file_order(anchor, group, coarse, rule, scratch);
    } else {
      find_shared(anchor, group, coarse, rule, scratch);
    }
    return !scratch.found.empty();
  };
  if (!target_.quantities.empty()) {
    const std::span<double> plain(result.terms.data() + 2 * line * p, p);
    const std::span<double> both(result.terms.data() + (2 * line + 1) * p, p);
    if (!find(0)) return;
    result.counts[line] = 1;
    for (const Neighbour& other : scratch.found) {
      const auto row = static_cast<std::size_t>(other.row);
      const double apart =
          std::abs(target_.quantities[anchor] - target_.quantities[row]);
      result.target_differences[line] += other.weight * apart;
      distances_.add_differences(anchor, row, other.weight, plain);
      distances_.add_differences(anchor, row, other.weight * apart, both);
    }
    return;
  }
  const std::span<double> sums(result.terms.data() + line * p, p);
  bool hits = false;
  bool misses = false;
  for (std::size_t group = 0; group < n_classes; ++group) {
    if (!find(group)) continue;
    (group == own ? hits : misses) = true;
    const double factor = target_.factors[own * n_classes + group];
    for (const Neighbour& other : scratch.found)
      distances_.add_differences(anchor, static_cast<std::size_t>(other.row),
                                 factor * other.weight, sums);
  }
  if (file_order || (hits && misses)) {
    result.counts[line] = 1;
  } else {
    std::ranges::fill(sums, 0.0);
  }
}

std::int32_t ReliefScanner::bound_by_weight(std::size_t anchor, std::size_t begin,
                                            std::size_t end, const std::int32_t* coarse,
                                            double wanted) const {
  std::vector<std::pair<std::int32_t, double>> heap;  // the nearest, farthest first
  double mass = 0;
  const auto limit = [&] {
    return mass < wanted ? kNever - 1 : heap.front().first - 1;
  };
  each_within(coarse, begin, end, limit, [&](std::size_t row) {
    heap.emplace_back(coarse[row], weight(row, anchor));
    mass += heap.back().second;
    std::ranges::push_heap(heap);
    while (mass - heap.front().second >= wanted) {
      mass -= heap.front().second;
      std::ranges::pop_heap(heap);
      heap.pop_back();
    }
  });
  return mass < wanted ? kNever : heap.front().first;
}

void ReliefScanner::find_shared(std::size_t anchor, std::size_t group,
                                const std::int32_t* coarse, const NeighbourRule& rule,
                                Scratch& scratch) const {
  const auto begin = static_cast<std::size_t>(target_.begins[group]);
  const auto end = static_cast<std::size_t>(target_.begins[group + 1]);
  const auto wanted = static_cast<double>(rule.n_neighbours);

  const std::int64_t enough = weights_.empty()
                                  ? bound_by_minima({coarse + begin, end - begin},
                                                    rule.n_neighbours, scratch.minima)
                                  : bound_by_weight(anchor, begin, end, coarse, wanted);
  const auto reach = static_cast<std::int32_t>(std::min<std::int64_t>(
      enough + 2 * std::int64_t{coarse_.error(anchor)}, kNever - 1));

  // All that may belong to the nearest, by exact distance.
  auto& found = scratch.found;
  found.clear();
  each_within(
      coarse, begin, end, [reach] { return reach; },
      [&](std::size_t row) {
        found.push_back({distances_.between(anchor, row), weight(row, anchor),
                         static_cast<std::int32_t>(row)});
      });
  std::ranges::sort(found, [](const Neighbour& a, const Neighbour& b) {
    return a.distance < b.distance || (a.distance == b.distance && a.row < b.row);
  });

  // Equally far rows share their places by weight.
  double before = 0;
  std::size_t from = 0;
  while (from < found.size() && before < wanted) {
    std::size_t to = from;
    double together = 0;
    for (; to < found.size() && found[to].distance == found[from].distance; ++to)
      together += found[to].weight;
    const double share =
        scratch.ranks.up_to(before + together) - scratch.ranks.up_to(before);
    for (std::size_t i = from; i < to; ++i) found[i].weight *= share / together;
    before += together;
    from = to;
  }
  found.resize(from);
  const double total = scratch.ranks.up_to(before);
  for (Neighbour& other : found) other.weight /= total;
}

double ReliefScanner::distance_in_order(std::size_t a, std::size_t b,
                                        std::span<const std::int32_t> order) const {
  double sum = 0;
  for (const std::int32_t position : order)
    sum +=
        column_difference(distances_.rows(), a, b, static_cast<std::size_t>(position));
  return sum;
}

void ReliefScanner::find_in_file_order(std::size_t anchor, std::size_t group,
                                       const std::int32_t* coarse,
                                       const NeighbourRule& rule,
                                       Scratch& scratch) const {
  auto& kept = scratch.found;
  kept.clear();
  const auto begin = static_cast<std::size_t>(target_.begins[group]);
  const auto end = static_cast<std::size_t>(target_.begins[group + 1]);
  std::size_t worst = 0;
  std::int32_t reach = kNever - 1;
  const auto find_worst = [&] {
    worst = 0;
    for (std::size_t i = 1; i < kept.size(); ++i)
      if (kept[i].distance > kept[worst].distance) worst = i;
    const double bound =
        kept[worst].distance * coarse_.units() + coarse_.error(anchor) + 1;
    reach = static_cast<std::int32_t>(std::min(bound, double{kNever - 1}));
  };
  each_within(
      coarse, begin, end, [&] { return reach; },
      [&](std::size_t row) {
        const double distance = distance_in_order(anchor, row, rule.file_order);
        const Neighbour other{distance, 1.0, static_cast<std::int32_t>(row)};
        if (kept.size() < rule.n_neighbours) {
          kept.push_back(other);
          if (kept.size() == rule.n_neighbours) find_worst();
        } else if (distance < kept[worst].distance) {
          kept[worst] = other;
          find_worst();
        }
      });
  if (rule.sigma > 0)
    weka_sort(std::span(kept), [](const Neighbour& a) { return a.distance; });
  double total = 0;
  for (std::size_t r = 0; r < kept.size(); ++r) {
    const auto rank = static_cast<double>(r);
    kept[r].weight = scratch.ranks.up_to(rank + 1) - scratch.ranks.up_to(rank);
    total += kept[r].weight;
  }
  for (Neighbour& other : kept) other.weight /= total;
}

ReliefTerms ReliefScanner::near(std::span<const std::int32_t> anchors,
                                double same) const {
  check_anchors(anchors);
  const std::size_t p = n_features();
  ReliefTerms result = empty_terms(anchors.size(), 1);
  std::vector<double> distances(n_rows());
  std::vector<double> sums(p);
  for (std::size_t line = 0; line < anchors.size(); ++line) {
    const auto anchor = static_cast<std::size_t>(anchors[line]);
    distances_.from(anchor, distances);
    const std::span<double> out(result.terms.data() + line * p, p);
    add_near(anchor, same, distances, sums, out);
    result.counts[line] = 1;
  }
  return result;
}

double ReliefScanner::near_bound(std::size_t anchor,
                                 std::span<const double> distances) const {
  double mass = 0;
  double sum = 0;
  for (std::size_t row = 0; row < distances.size(); ++row) {
    mass += weight(row, anchor);
    sum += weight(row, anchor) * distances[row];
  }
  if (mass <= 0) return 0;
  const double mean = sum / mass;
  double squares = 0;
  for (std::size_t row = 0; row < distances.size(); ++row) {
    const double off = distances[row] - mean;
    squares += weight(row, anchor) * off * off;
  }
  const double bound = mean - std::sqrt(squares / mass) / 2;
  return bound - kSlackOfBound * std::max(1.0, mean);
}

void ReliefScanner::add_near(std::size_t anchor, double same,
                             std::span<const double> distances, std::span<double> sums,
                             std::span<double> out) const {
  const double bound = near_bound(anchor, distances);
  const std::size_t own = class_of(anchor);
  const std::size_t n_classes = target_.begins.size() - 1;
  // Adds factor × mean difference over the near rows that are wanted.
  const auto add = [&](std::size_t begin, std::size_t end, double factor,
                       const auto& wanted) {
    std::ranges::fill(sums, 0.0);
    double mass = 0;
    for (std::size_t row = begin; row < end; ++row) {
      const double copies = weight(row, anchor);
      if (distances[row] >= bound || copies <= 0 || !wanted(row)) continue;
      mass += copies;
      distances_.add_differences(anchor, row, copies, sums);
    }
    if (mass <= 0) return;
    for (std::size_t j = 0; j < sums.size(); ++j) out[j] += factor * sums[j] / mass;
  };
  if (!target_.quantities.empty()) {
    const auto is_hit = [&](std::size_t row) {
      return std::abs(target_.quantities[row] - target_.quantities[anchor]) < same;
    };
    add(0, n_rows(), -1, is_hit);
    add(0, n_rows(), 1, [&](std::size_t row) { return !is_hit(row); });
    return;
  }
  for (std::size_t group = 0; group < n_classes; ++group) {
    const auto begin = static_cast<std::size_t>(target_.begins[group]);
    const auto end = static_cast<std::size_t>(target_.begins[group + 1]);
    add(begin, end, target_.factors[own * n_classes + group],
        [](std::size_t) { return true; });
  }
}

}  // namespace featsieve
