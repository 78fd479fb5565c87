#include "trees/case_lists.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace featsieve {

namespace {

/// Whole weights beyond would not fit the counts; such sums are kept as doubles.
constexpr double kMostWhole = 1073741824.0;

std::uint32_t number_of(std::uint32_t item) { return item; }
std::uint32_t number_of(const CodedCase& item) { return item.number(); }
std::uint32_t renumbered(std::uint32_t, std::uint32_t number) { return number; }
CodedCase renumbered(const CodedCase& item, std::uint32_t number) {
  return {item.code(), number};
}

void check_target(const TreeColumns& columns, const TreeTarget& target,
                  std::span<const double> weights) {
  const std::size_t length =
      target.is_number() ? target.numbers.size() : target.classes.size();
  if (length != columns.n_rows())
    throw std::invalid_argument("the target must have one value per row");
  if (!weights.empty() && weights.size() != columns.n_rows())
    throw std::invalid_argument("weights must be one per row");
  for (const std::int32_t c : target.classes)
    if (c >= 0 && static_cast<std::size_t>(c) >= target.n_classes)
      throw std::out_of_range("a class is not below the number of classes");
}

}  // namespace

CaseLists::CaseLists(const TreeColumns& columns, const TreeTarget& target,
                     std::span<const double> weights, bool sort_columns)
    : columns_(&columns),
      n_rows_(columns.n_rows()),
      n_sums_(target.n_sums()),
      sort_columns_(sort_columns) {
  check_target(columns, target, weights);
  data_.label.assign(n_rows_, 0);
  data_.weight.assign(n_rows_, 1.0);
  data_.count.assign(n_rows_, 0);
  data_.mark.assign(n_rows_, 0);
  branch_.assign(n_rows_, kNowhere);
  bool whole = true;
  double total = 0;
  for (std::uint32_t row = 0; row < n_rows_; ++row) {
    const double weight = weights.empty() ? 1.0 : weights[row];
    data_.weight[row] = weight;
    const bool in_bag = weight > 0 && (target.is_number() || target.classes[row] >= 0);
    if (!in_bag) continue;
    if (!target.is_number())
      data_.label[row] = static_cast<std::uint32_t>(target.classes[row]);
    total += weight;
    whole = whole && weight == std::floor(weight) && total < kMostWhole;
    data_.count[row] = whole ? static_cast<std::uint32_t>(weight) : 0;
    data_.mark[row] = 2 * data_.count[row] + (data_.label[row] & 1U);
    members_.push_back(row);
  }
  if (target.is_number()) {
    double sum = 0;
    for (const std::uint32_t row : members_)
      sum += data_.weight[row] * target.numbers[row];
    const double mean = total > 0 ? sum / total : 0.0;
    data_.response.assign(n_rows_, 0.0);
    for (const std::uint32_t row : members_)
      data_.response[row] = target.numbers[row] - mean;
  }
  whole_total_ = whole ? static_cast<std::size_t>(total) : 0;
  root_ = {0, members_.size(), 0, whole};
  if (!sort_columns_) return;
  sorted_.resize(columns.n_columns());
  for (std::size_t column = 0; column < columns.n_columns(); ++column)
    if (!columns.is_nominal(column)) sort_column(columns, column);
}

void CaseLists::sort_column(const TreeColumns& columns, std::size_t column) {
  const std::uint32_t* codes = columns.codes(column);
  const std::size_t missing = columns.n_codes(column);
  std::vector<std::size_t>& starts = cursors_;
  starts.assign(missing + 2, 0);
  const auto bucket = [&](std::uint32_t row) {
    return codes[row] == kMissingCode ? missing : std::size_t{codes[row]};
  };
  for (const std::uint32_t row : members_) ++starts[bucket(row) + 1];
  for (std::size_t code = 0; code <= missing; ++code) starts[code + 1] += starts[code];
  std::vector<CodedCase>& list = sorted_[column];
  list.resize(members_.size());
  for (const std::uint32_t row : members_)
    list[starts[bucket(row)]++] = {codes[row], row};
}

void CaseLists::forget_copies(const Segment& segment) {
  copied_.resize(segment.n_copies);
  const std::size_t size = n_rows_ + segment.n_copies;
  if (branch_.size() == size) return;
  branch_.resize(size);
  data_.label.resize(size);
  data_.weight.resize(size);
  data_.count.resize(size);
  if (!data_.response.empty()) data_.response.resize(size);
}

void CaseLists::begin_split(std::size_t n_branches) {
  n_branches_ = n_branches;
  known_weights_.assign(n_branches, 0.0);
  unassigned_.clear();
  copy_shares_.assign(n_branches, 0.0);
}

void CaseLists::assign_cut(const Segment& segment, std::size_t column,
                           std::uint32_t cut) {
  begin_split(2);
  const std::uint32_t* codes = columns_->codes(column);
  const bool missing = columns_->has_missing(column);
  for (const std::uint32_t number : members(segment)) {
    const std::uint32_t code = codes[row(number)];
    if (missing && code == kMissingCode) {
      branch_[number] = kNowhere;
      unassigned_.push_back(number);
      continue;
    }
    const std::uint32_t side = code > cut ? 1 : 0;
    branch_[number] = side;
    if (missing) known_weights_[side] += data_.weight[number];
  }
}

void CaseLists::assign_levels(const Segment& segment, std::size_t column,
                              std::span<const std::uint32_t> branch_of_level,
                              std::size_t n_branches) {
  begin_split(n_branches);
  const std::uint32_t* codes = columns_->codes(column);
  for (const std::uint32_t number : members(segment)) {
    const std::uint32_t code = codes[row(number)];
    if (code == kMissingCode) {
      branch_[number] = kNowhere;
      unassigned_.push_back(number);
      continue;
    }
    branch_[number] = branch_of_level[code];
    known_weights_[branch_of_level[code]] += data_.weight[number];
  }
}

std::uint32_t CaseLists::heaviest() const {
  const auto best = std::max_element(known_weights_.begin(), known_weights_.end());
  return static_cast<std::uint32_t>(best - known_weights_.begin());
}

void CaseLists::send_to(std::uint32_t branch) {
  for (const std::uint32_t number : unassigned_) branch_[number] = branch;
  unassigned_.clear();
}

void CaseLists::send_copies(double least_share, double least_part) {
  double known = 0;
  for (const double weight : known_weights_) known += weight;
  double smallest = 1;
  for (std::size_t b = 0; b < n_branches_; ++b) {
    const double share =
        known > 0 ? known_weights_[b] / known : 1.0 / static_cast<double>(n_branches_);
    copy_shares_[b] = share > least_share ? share : 0.0;
    if (share > least_share) smallest = std::min(smallest, share);
  }
  const std::uint32_t heaviest_branch = heaviest();
  std::vector<std::uint32_t> copying;
  for (const std::uint32_t number : unassigned_) {
    if (data_.weight[number] * smallest < least_part * data_.weight[row(number)])
      branch_[number] = heaviest_branch;
    else
      copying.push_back(number);
  }
  unassigned_.swap(copying);
}

void CaseLists::make_copies(std::span<const std::uint8_t> open) {
  copy_slot_.assign(n_branches_, kNowhere);
  copy_branches_.clear();
  if (unassigned_.empty()) return;
  for (std::uint32_t b = 0; b < n_branches_; ++b) {
    if (open[b] == 0 || !(copy_shares_[b] > 0)) continue;
    copy_slot_[b] = static_cast<std::uint32_t>(copy_branches_.size());
    copy_branches_.push_back(b);
  }
  if (first_copy_.size() < branch_.size()) first_copy_.resize(branch_.size());
  const std::size_t copies = copy_branches_.size() * unassigned_.size();
  if (n_rows_ + copied_.size() + copies >= kNowhere)
    throw std::length_error("too many copies of cases with missing values");
  for (const std::uint32_t number : unassigned_) {
    first_copy_[number] = static_cast<std::uint32_t>(branch_.size());
    const std::uint32_t own_row = row(number);
    for (const std::uint32_t b : copy_branches_) {
      copied_.push_back(own_row);
      branch_.push_back(kNowhere);
      data_.label.push_back(data_.label[number]);
      data_.weight.push_back(data_.weight[number] * copy_shares_[b]);
      data_.count.push_back(0);
      if (!data_.response.empty()) data_.response.push_back(data_.response[number]);
    }
  }
}

void CaseLists::branch_sums(const Segment& segment, std::vector<double>& sums) const {
  sums.assign(n_branches_ * n_sums_, 0.0);
  for (const std::uint32_t number : members(segment))
    if (branch_[number] != kNowhere) add(number, &sums[branch_[number] * n_sums_]);
  for (const std::uint32_t number : unassigned_)
    for (std::size_t b = 0; b < n_branches_; ++b)
      if (copy_shares_[b] > 0)
        add(number, data_.weight[number] * copy_shares_[b], &sums[b * n_sums_]);
}

template <class Item>
void CaseLists::filter(std::vector<Item>& list, const Segment& segment,
                       std::span<const std::uint8_t> open,
                       std::span<const Segment> segments) {
  std::vector<Item>* scratch = nullptr;
  if constexpr (std::is_same_v<Item, CodedCase>)
    scratch = &sorted_scratch_;
  else
    scratch = &member_scratch_;
  std::size_t total = 0;
  cursors_.resize(n_branches_);
  for (std::size_t b = 0; b < n_branches_; ++b) {
    cursors_[b] = segments[b].begin - segment.begin;
    total += open[b] != 0 ? segments[b].size() : 0;
  }
  if (scratch->size() < total) scratch->resize(total);
  for (std::size_t i = segment.begin; i < segment.end; ++i) {
    const Item item = list[i];
    const std::uint32_t branch = branch_[number_of(item)];
    if (branch != kNowhere) {
      if (open[branch] != 0) (*scratch)[cursors_[branch]++] = item;
      continue;
    }
    for (const std::uint32_t b : copy_branches_)
      (*scratch)[cursors_[b]++] =
          renumbered(item, first_copy_[number_of(item)] + copy_slot_[b]);
  }
  if (list.size() < segment.begin + total) list.resize(segment.begin + total);
  std::copy_n(scratch->begin(), total,
              list.begin() + static_cast<std::ptrdiff_t>(segment.begin));
}

/// The same for two branches without copies, where it pays to write in place.
template <class Item>
void CaseLists::filter_two(std::vector<Item>& list, const Segment& segment,
                           std::span<const std::uint8_t> open) {
  Item* items = list.data() + segment.begin;
  const std::size_t size = segment.size();
  const std::uint32_t* branch = branch_.data();
  if (open[0] != 0 && open[1] != 0) {
    std::vector<Item>* scratch = nullptr;
    if constexpr (std::is_same_v<Item, CodedCase>)
      scratch = &sorted_scratch_;
    else
      scratch = &member_scratch_;
    if (scratch->size() < size) scratch->resize(size);
    Item* left = scratch->data();
    std::size_t n_left = 0;
    std::size_t n_right = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const Item item = items[i];
      const std::uint32_t side = branch[number_of(item)];
      left[n_left] = item;
      items[n_right] = item;
      n_left += 1 - side;
      n_right += side;
    }
    std::copy_n(left, n_left, items + n_right);
    return;
  }
  const std::uint32_t kept = open[0] != 0 ? 0 : 1;
  std::size_t n_kept = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const Item item = items[i];
    items[n_kept] = item;
    n_kept += static_cast<std::size_t>(branch[number_of(item)] == kept);
  }
}

void CaseLists::divide(const Segment& segment, std::span<const std::uint8_t> open,
                       std::vector<Segment>& segments) {
  segments.assign(n_branches_, Segment{});
  make_copies(open);
  std::vector<std::size_t> sizes(n_branches_, 0);
  for (const std::uint32_t number : members(segment))
    if (branch_[number] != kNowhere) ++sizes[branch_[number]];
  std::size_t next = segment.begin;
  bool any = false;
  for (std::size_t b = n_branches_; b-- > 0;) {
    if (open[b] == 0) continue;
    any = true;
    const bool copied = copy_slot_[b] != kNowhere;
    if (copied) sizes[b] += unassigned_.size();
    const bool whole = segment.whole && !copied;
    segments[b] = {next, next + sizes[b], copied_.size(), whole};
    next += sizes[b];
  }
  if (!any) return;
  const bool plain = n_branches_ == 2 && unassigned_.empty();
  const auto apply = [&](auto& list) {
    if (plain)
      filter_two(list, segment, open);
    else
      filter(list, segment, open, segments);
  };
  apply(members_);
  for (auto& list : sorted_)
    if (!list.empty()) apply(list);
}

}  // namespace featsieve
