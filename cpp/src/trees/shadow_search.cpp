#include "trees/shadow_search.hpp"

#include <algorithm>
#include <limits>

namespace featsieve {

namespace {

/// Up to so many codes of a numeric column are counted, not sorted.
constexpr std::size_t kFewCodes = 64;
/// Up to so many cases are sorted by insertion alone.
constexpr std::size_t kFewCases = 24;

// A score knows how orderly sets of rows are: `part` of the sums of a set is the
// higher, the more orderly, and what a test gains is the parts of its branches less the
// part of all. It also follows a cut that moves rows from the right to the left.

/// Two classes: counts, and c log2 c in exact units.
class TwoClasses {
 public:
  using Sum = std::uint32_t;
  using Value = std::int64_t;

  explicit TwoClasses(const ExactLogTable& logs) : logs_(&logs) {}

  static constexpr std::size_t n_sums() { return 2; }
  static void add(std::uint32_t payload, Sum* sums) { ++sums[payload]; }
  Value part(const Sum* sums) const {
    const ExactLogTable& logs = *logs_;
    return logs(sums[0]) + logs(sums[1]) - logs(sums[0] + std::size_t{sums[1]});
  }
  void start(const Sum* known) {
    total_ = known[0] + std::size_t{known[1]};
    ones_ = known[1];
    left_ = left_ones_ = 0;
  }
  void move(std::uint32_t payload) {
    ++left_;
    left_ones_ += payload;
  }
  void move(const Sum* sums) {
    left_ += sums[0] + std::size_t{sums[1]};
    left_ones_ += sums[1];
  }
  Value value() const {
    const ExactLogTable& logs = *logs_;
    const std::size_t right = total_ - left_;
    const std::size_t right_ones = ones_ - left_ones_;
    return logs(left_ones_) + logs(left_ - left_ones_) + logs(right_ones) +
           logs(right - right_ones) - logs(left_) - logs(right);
  }
  double gain(Value gained, std::size_t n_rows) const {
    return static_cast<double>(gained) * logs_->unit() / static_cast<double>(n_rows);
  }

 private:
  const ExactLogTable* logs_;
  std::size_t total_ = 0, ones_ = 0, left_ = 0, left_ones_ = 0;
};

/// Any number of classes.
class ManyClasses {
 public:
  using Sum = std::uint32_t;
  using Value = std::int64_t;

  /// `scratch` is room for the counts of both sides.
  ManyClasses(const ExactLogTable& logs, std::size_t n_classes,
              std::vector<std::uint32_t>& scratch)
      : logs_(&logs), n_classes_(n_classes) {
    scratch.resize(2 * n_classes);
    sides_ = scratch.data();
  }

  std::size_t n_sums() const { return n_classes_; }
  static void add(std::uint32_t payload, Sum* sums) { ++sums[payload]; }
  Value part(const Sum* sums) const {
    Value cells = 0;
    std::size_t total = 0;
    for (std::size_t c = 0; c < n_classes_; ++c) {
      cells += (*logs_)(sums[c]);
      total += sums[c];
    }
    return cells - (*logs_)(total);
  }
  void start(const Sum* known) {
    left_ = right_ = 0;
    cells_ = 0;
    for (std::size_t c = 0; c < n_classes_; ++c) {
      sides_[2 * c] = 0;
      sides_[2 * c + 1] = known[c];
      right_ += known[c];
      cells_ += (*logs_)(known[c]);
    }
  }
  void move(std::uint32_t payload) { move_some(payload, 1); }
  void move(const Sum* sums) {
    for (std::uint32_t c = 0; c < n_classes_; ++c)
      if (sums[c] > 0) move_some(c, sums[c]);
  }
  Value value() const { return cells_ - (*logs_)(left_) - (*logs_)(right_); }
  double gain(Value gained, std::size_t n_rows) const {
    return static_cast<double>(gained) * logs_->unit() / static_cast<double>(n_rows);
  }

 private:
  void move_some(std::uint32_t label, std::uint32_t count) {
    const ExactLogTable& logs = *logs_;
    std::uint32_t& here = sides_[2 * std::size_t{label}];
    std::uint32_t& there = sides_[2 * std::size_t{label} + 1];
    cells_ += logs(here + std::size_t{count}) - logs(here) + logs(there - count) -
              logs(there);
    here += count;
    there -= count;
    left_ += count;
    right_ -= count;
  }

  const ExactLogTable* logs_;
  std::size_t n_classes_;
  std::uint32_t* sides_;
  std::size_t left_ = 0, right_ = 0;
  Value cells_ = 0;
};

/// Numbers, less their mean in the node.
class Numbers {
 public:
  using Sum = double;
  using Value = double;

  Numbers(std::span<const double> responses, double squares)
      : responses_(responses.data()), squares_(squares) {}

  static constexpr std::size_t n_sums() { return 2; }
  void add(std::uint32_t payload, Sum* sums) const {
    sums[0] += 1;
    sums[1] += responses_[payload];
  }
  static Value part(const Sum* sums) {
    return sums[0] > 0 ? sums[1] * sums[1] / sums[0] : 0.0;
  }
  void start(const Sum* known) {
    right_ = known[0];
    right_sum_ = known[1];
    left_ = left_sum_ = 0;
  }
  void move(std::uint32_t payload) { move_some(1, responses_[payload]); }
  void move(const Sum* sums) { move_some(sums[0], sums[1]); }
  Value value() const {
    return left_sum_ * left_sum_ / left_ + right_sum_ * right_sum_ / right_;
  }
  double gain(Value gained, std::size_t) const {
    return squares_ > 0 ? std::min(1.0, gained / squares_) : 0.0;
  }

 private:
  void move_some(double count, double sum) {
    left_ += count;
    left_sum_ += sum;
    right_ -= count;
    right_sum_ -= sum;
  }

  const double* responses_;
  double squares_;
  double left_ = 0, left_sum_ = 0, right_ = 0, right_sum_ = 0;
};

}  // namespace

ShadowSearch::ShadowSearch(const Shadows& shadows, const TreeTarget& target)
    : shadows_(&shadows),
      columns_(&shadows.columns()),
      target_(&target),
      looked_up_(shadows.n_orders()) {}

void ShadowSearch::begin(std::span<const std::uint32_t> rows) {
  rows_.assign(rows.begin(), rows.end());
  std::fill(looked_up_.begin(), looked_up_.end(), std::uint8_t{0});
  // Never less, since what is added is written first.
  shadow_rows_.resize(
      std::max(shadow_rows_.size(), rows_.size() * shadows_->n_orders()));
  payloads_.resize(rows_.size());
  if (!target_->is_number()) {
    for (std::size_t i = 0; i < rows_.size(); ++i)
      payloads_[i] = static_cast<std::uint32_t>(target_->classes[rows_[i]]);
    return;
  }
  double mean = 0;
  for (const std::uint32_t row : rows_) mean += target_->numbers[row];
  mean /= static_cast<double>(rows_.size());
  responses_.resize(rows_.size());
  squares_ = 0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    payloads_[i] = static_cast<std::uint32_t>(i);
    responses_[i] = target_->numbers[rows_[i]] - mean;
    squares_ += responses_[i] * responses_[i];
  }
}

std::span<const std::uint32_t> ShadowSearch::shadow_rows(std::size_t order) {
  std::uint32_t* rows = shadow_rows_.data() + order * rows_.size();
  if (looked_up_[order] == 0) {
    const auto own = shadows_->order(order);
    for (std::size_t i = 0; i < rows_.size(); ++i) rows[i] = own[rows_[i]];
    looked_up_[order] = 1;
  }
  return {rows, rows_.size()};
}

void ShadowSearch::gains(std::size_t feature, std::span<double> best) {
  const ExactLogTable& logs = shadows_->logs();
  for (std::size_t shadow = 0; shadow < best.size(); ++shadow) {
    const auto rows = shadow_rows(shadows_->order_of(feature, shadow));
    if (target_->is_number())
      best[shadow] = gain(feature, rows, Numbers(responses_, squares_));
    else if (target_->n_classes == 2)
      best[shadow] = has_places(feature) && logs.is_whole()
                         ? gain_of_two_classes(feature, rows)
                         : gain(feature, rows, TwoClasses(logs));
    else
      best[shadow] =
          gain(feature, rows, ManyClasses(logs, target_->n_classes, known_counts_));
  }
}

bool ShadowSearch::has_places(std::size_t feature) const {
  return !columns_->is_nominal(feature) && columns_->n_codes(feature) > kFewCodes;
}

template <class Score>
double ShadowSearch::gain(std::size_t feature, std::span<const std::uint32_t> rows,
                          Score score) {
  return has_places(feature) ? gain_of_places(feature, rows, score)
                             : gain_of_levels(feature, rows, score);
}

/// By the sums of each level: all levels apart if nominal, else the best cut.
template <class Score>
double ShadowSearch::gain_of_levels(std::size_t feature,
                                    std::span<const std::uint32_t> rows, Score& score) {
  using Sum = typename Score::Sum;
  using Value = typename Score::Value;
  std::vector<Sum>* cells = nullptr;
  if constexpr (std::is_same_v<Sum, double>)
    cells = &sums_;
  else
    cells = &counts_;
  const std::uint32_t* codes = columns_->codes(feature);
  const std::size_t n_sums = score.n_sums();
  const std::size_t n_levels = columns_->n_codes(feature);
  cells->assign((n_levels + 1) * n_sums, Sum{0});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::uint32_t code = codes[rows[i]];
    if (code != kMissingCode) score.add(payloads_[i], &(*cells)[code * n_sums]);
  }
  Sum* known = &(*cells)[n_levels * n_sums];
  const auto is_empty = [&](const Sum* sums) {
    if constexpr (std::is_same_v<Sum, double>)
      return sums[0] == 0;
    else
      return std::all_of(sums, sums + n_sums, [](Sum sum) { return sum == 0; });
  };
  std::size_t n_present = 0;
  Value parts = 0;
  for (std::size_t level = 0; level < n_levels; ++level) {
    const Sum* sums = &(*cells)[level * n_sums];
    if (is_empty(sums)) continue;
    ++n_present;
    parts += score.part(sums);
    for (std::size_t s = 0; s < n_sums; ++s) known[s] += sums[s];
  }
  if (n_present < 2) return 0;
  const Value base = score.part(known);
  if (columns_->is_nominal(feature)) {
    return std::max(0.0, score.gain(parts - base, rows.size()));
  }
  Value best = base;
  score.start(known);
  for (std::size_t level = 0; n_present > 1; ++level) {
    const Sum* sums = &(*cells)[level * n_sums];
    if (is_empty(sums)) continue;
    score.move(sums);
    --n_present;
    best = std::max(best, score.value());
  }
  return score.gain(best - base, rows.size());
}

/// By sorting the rows.
template <class Score>
double ShadowSearch::gain_of_places(std::size_t feature,
                                    std::span<const std::uint32_t> rows, Score& score) {
  using Sum = typename Score::Sum;
  using Value = typename Score::Value;
  const std::uint32_t* codes = columns_->codes(feature);
  const auto places = shadows_->places(feature);
  keys_.resize(rows.size());
  std::size_t n_known = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::uint32_t code = codes[rows[i]];
    if (code == kMissingCode) continue;
    keys_[n_known++] = {places.empty() ? code : places[code], payloads_[i]};
  }
  keys_.resize(n_known);
  if (n_known < 2) return 0;
  sort_keys(keys_, scratch_, [](const Keyed& key) { return key.place; });
  if (keys_.front().place == keys_.back().place) return 0;

  std::vector<Sum>* known = nullptr;
  if constexpr (std::is_same_v<Sum, double>)
    known = &sums_;
  else
    known = &counts_;
  known->assign(score.n_sums(), Sum{0});
  for (const Keyed& key : keys_) score.add(key.payload, known->data());
  const Value base = score.part(known->data());
  Value best = base;
  score.start(known->data());
  for (std::size_t i = 0; i + 1 < n_known; ++i) {
    score.move(keys_[i].payload);
    if (keys_[i].place != keys_[i + 1].place) best = std::max(best, score.value());
  }
  return score.gain(best - base, rows.size());
}

/// As `gain_of_places`, where most of the time of a forest goes. A key is twice the
/// place, and one more in the second class: rows of a place may come in any order.
double ShadowSearch::gain_of_two_classes(std::size_t feature,
                                         std::span<const std::uint32_t> rows) {
  const std::uint32_t* codes = columns_->codes(feature);
  const auto places = shadows_->places(feature);
  small_keys_.resize(rows.size());
  std::uint32_t* keys = small_keys_.data();
  std::size_t n_known = 0;
  std::size_t n_ones = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::uint32_t code = codes[rows[i]];
    const bool known = code != kMissingCode;
    const std::uint32_t place = places.empty() || !known ? code : places[code];
    keys[n_known] = 2 * place + payloads_[i];
    n_known += known ? 1 : 0;
    n_ones += known ? payloads_[i] : 0;
  }
  small_keys_.resize(n_known);
  if (n_known < 2) return 0;
  sort_keys(small_keys_, small_scratch_, [](std::uint32_t key) { return key / 2; });
  keys = small_keys_.data();
  if (keys[0] / 2 == keys[n_known - 1] / 2) return 0;

  const std::int64_t* logs = shadows_->logs().values();
  const std::int64_t base = logs[n_ones] + logs[n_known - n_ones] - logs[n_known];
  std::int64_t best = base;
  std::size_t ones = 0;
  for (std::size_t left = 1; left < n_known; ++left) {
    ones += keys[left - 1] % 2;
    if (keys[left - 1] / 2 == keys[left] / 2) continue;
    const std::size_t right = n_known - left;
    const std::int64_t value = logs[ones] + logs[left - ones] + logs[n_ones - ones] +
                               logs[right - (n_ones - ones)] - logs[left] - logs[right];
    best = std::max(best, value);
  }
  return static_cast<double>(best - base) * shadows_->logs().unit() /
         static_cast<double>(rows.size());
}

/// In a shadow the places of a node's rows are spread evenly, so that as many buckets
/// as rows hold hardly more than one row each and insertion has little left to do.
template <class Key, class Place>
void ShadowSearch::sort_keys(std::vector<Key>& keys, std::vector<Key>& scratch,
                             const Place& place) {
  const std::size_t size = keys.size();
  unsigned shift = 0;
  if (size > kFewCases) {
    while ((columns_->n_rows() >> shift) > 2 * size) ++shift;
    starts_.assign((columns_->n_rows() >> shift) + 1, 0);
    for (const Key& key : keys) ++starts_[place(key) >> shift];
    std::uint32_t next = 0;
    for (auto& start : starts_) {
      const std::uint32_t count = start;
      start = next;
      next += count;
    }
    scratch.resize(size);
    for (const Key& key : keys) scratch[starts_[place(key) >> shift]++] = key;
    keys.swap(scratch);
    if (shift == 0) return;
  }
  for (std::size_t i = 1; i < size; ++i) {
    const Key own = keys[i];
    std::size_t j = i;
    for (; j > 0 && place(keys[j - 1]) > place(own); --j) keys[j] = keys[j - 1];
    keys[j] = own;
  }
}

}  // namespace featsieve
