#include "featsieve/tree_prediction.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace featsieve {

namespace {

constexpr std::size_t kTogether = 8;
/// Rows that go through one tree before the next one: many while they are short,
/// because a tree is worth fetching for many rows only; few if each row fills several
/// pages, because then it is the rows that must stay in the cache.
constexpr std::size_t kShortRows = 4096;
constexpr std::size_t kLongRows = 32;
constexpr std::size_t kLongRow = 256;

}  // namespace

TreeRows::TreeRows(std::span<const double> values, std::size_t n_columns)
    : values_(values),
      n_columns_(n_columns),
      n_rows_(n_columns > 0 ? values.size() / n_columns : 0),
      missing_(n_rows_, 0) {
  for (std::size_t i = 0; i < n_rows_; ++i)
    for (std::size_t j = 0; j < n_columns; ++j)
      if (std::isnan(row(i)[j])) missing_[i] = 1;
}

TreeRouter::TreeRouter(const TreeArrays& tree, bool fractional)
    : fractional_(fractional),
      n_features_(static_cast<std::int32_t>(tree.n_levels.size())),
      n_children_(tree.n_children.begin(), tree.n_children.end()),
      level_(tree.level.begin(), tree.level.end()),
      weight_(tree.weight.begin(), tree.weight.end()),
      n_levels_(tree.n_levels.begin(), tree.n_levels.end()) {
  const std::size_t size = tree.feature.size();
  if (size == 0 || tree.threshold.size() != size || tree.first_child.size() != size ||
      tree.n_children.size() != size || tree.level.size() != size ||
      tree.weight.size() != size)
    throw std::invalid_argument("arrays of a tree must have one entry per node");
  nodes_.reserve(size);
  for (std::size_t i = 0; i < size; ++i) {
    const std::int32_t feature = tree.feature[i];
    if (feature < 0) {
      n_children_[i] = 0;
      nodes_.push_back(
          {std::numeric_limits<double>::infinity(), 0, static_cast<std::int32_t>(i)});
      continue;
    }
    const auto first = static_cast<std::int64_t>(tree.first_child[i]);
    const std::int64_t end = first + tree.n_children[i];
    const bool inside =
        first > static_cast<std::int64_t>(i) && end <= static_cast<std::int64_t>(size);
    if (feature >= n_features_ || !inside || tree.n_children[i] < 1)
      throw std::invalid_argument("a node of the tree leads outside of it");
    const bool nominal = n_levels_[static_cast<std::size_t>(feature)] > 0;
    if (!nominal && tree.n_children[i] != 2)
      throw std::invalid_argument("a numeric test must have two branches");
    only_cuts_ = only_cuts_ && !nominal;
    nodes_.push_back({tree.threshold[i], feature, tree.first_child[i]});
  }
}

void TreeRouter::check_rows(const TreeRows& rows) const {
  if (rows.n_columns() != n_levels_.size())
    throw std::invalid_argument("rows must have one value per feature of the tree");
}

std::size_t TreeRouter::child(std::size_t node, const double* row) const {
  const Node& at = nodes_[node];
  const auto feature = static_cast<std::size_t>(at.feature);
  const double value = row[feature];
  if (std::isnan(value)) return kUnknown;
  const auto first = static_cast<std::size_t>(at.first);
  const std::int32_t n_levels = n_levels_[feature];
  if (n_levels == 0) return first + static_cast<std::size_t>(!(value <= at.threshold));
  if (!(value >= 0 && value < n_levels)) return kUnknown;
  const auto wanted = static_cast<std::int32_t>(value);
  const std::int32_t count = n_children_[node];
  if (count == n_levels) return first + static_cast<std::size_t>(wanted);
  const auto begin = level_.begin() + static_cast<std::ptrdiff_t>(first);
  const auto end = begin + count;
  const auto found = std::lower_bound(begin, end, wanted);
  if (found == end || *found != wanted) return kUnknown;
  return first + static_cast<std::size_t>(found - begin);
}

std::size_t TreeRouter::heaviest(std::size_t node) const {
  const auto begin = weight_.begin() + nodes_[node].first;
  const auto best = std::max_element(begin, begin + n_children_[node]);
  return static_cast<std::size_t>(best - weight_.begin());
}

template <class Task>
void TreeRouter::visit_leaves(const double* row, std::vector<Visit>& open, Task&& task,
                              std::vector<std::int32_t>* passed) const {
  open.clear();
  open.push_back({0, 1.0});
  while (!open.empty()) {
    const Visit at = open.back();
    open.pop_back();
    if (passed != nullptr) passed->push_back(static_cast<std::int32_t>(at.node));
    if (is_leaf(at.node)) {
      task(at.node, at.share);
      continue;
    }
    visit_children(at, row, [&](const Visit& next) { open.push_back(next); });
  }
}

bool TreeRouter::eight_are_complete(const TreeRows& rows, std::size_t first,
                                    std::size_t end) const {
  if (!only_cuts_ || first + kTogether > end) return false;
  for (std::size_t k = 0; k < kTogether; ++k)
    if (!rows.is_complete(first + k)) return false;
  return true;
}

void TreeRouter::follow_eight(const TreeRows& rows, std::size_t first,
                              std::int32_t* leaves) const {
  // Eight rows at once hide the wait for memory; leaves lead to themselves.
  std::array<const double*, kTogether> row{};
  std::array<std::int32_t, kTogether> at{};
  for (std::size_t k = 0; k < kTogether; ++k) row[k] = rows.row(first + k);
  bool moved = true;
  while (moved) {
    moved = false;
    for (std::size_t k = 0; k < kTogether; ++k) {
      const Node& node = nodes_[static_cast<std::size_t>(at[k])];
      const bool right = !(row[k][node.feature] <= node.threshold);
      const std::int32_t next = node.first + static_cast<std::int32_t>(right);
      moved = moved || next != at[k];
      at[k] = next;
    }
  }
  std::copy(at.begin(), at.end(), leaves);
}

void TreeRouter::predict(const TreeRows& rows, RowRange range,
                         std::span<const double> answers, std::size_t n_outputs,
                         std::span<double> sums) const {
  check_rows(rows);
  if (answers.size() != nodes_.size() * n_outputs || range.end > rows.n_rows() ||
      sums.size() != rows.n_rows() * n_outputs)
    throw std::invalid_argument("answers must be one per node, sums one per row");
  std::vector<Visit> open;
  std::array<std::int32_t, kTogether> leaves{};
  for (std::size_t i = range.begin; i < range.end;) {
    if (eight_are_complete(rows, i, range.end)) {
      follow_eight(rows, i, leaves.data());
      for (std::size_t k = 0; k < kTogether; ++k, ++i) {
        const double* answer =
            &answers[static_cast<std::size_t>(leaves[k]) * n_outputs];
        for (std::size_t c = 0; c < n_outputs; ++c)
          sums[i * n_outputs + c] += answer[c];
      }
      continue;
    }
    visit_leaves(rows.row(i), open, [&](std::size_t leaf, double share) {
      for (std::size_t c = 0; c < n_outputs; ++c)
        sums[i * n_outputs + c] += share * answers[leaf * n_outputs + c];
    });
    ++i;
  }
}

void TreeRouter::apply(const TreeRows& rows, RowRange range,
                       std::span<std::int32_t> leaves) const {
  check_rows(rows);
  if (range.end > rows.n_rows() || leaves.size() != range.end - range.begin)
    throw std::invalid_argument("leaves must be one per row");
  std::vector<Visit> open;
  for (std::size_t i = range.begin; i < range.end;) {
    std::int32_t* own = &leaves[i - range.begin];
    if (eight_are_complete(rows, i, range.end)) {
      follow_eight(rows, i, own);
      i += kTogether;
      continue;
    }
    double most = -1;
    visit_leaves(rows.row(i), open, [&](std::size_t leaf, double share) {
      const auto number = static_cast<std::int32_t>(leaf);
      if (share < most || (share == most && number > *own)) return;
      *own = number;
      most = share;
    });
    ++i;
  }
}

void TreeRouter::classify(const TreeRows& rows, RowRange range,
                          std::span<const double> answers, std::size_t n_outputs,
                          std::span<const std::int32_t> class_of_node,
                          std::span<std::int32_t> classes) const {
  check_rows(rows);
  if (answers.size() != nodes_.size() * n_outputs ||
      class_of_node.size() != nodes_.size() || range.end > rows.n_rows() ||
      classes.size() != range.end - range.begin)
    throw std::invalid_argument("answers must be one per node, classes one per row");
  std::vector<Visit> open;
  std::vector<double> sums(n_outputs);
  for (std::size_t i = range.begin; i < range.end;) {
    std::int32_t* own = &classes[i - range.begin];
    if (eight_are_complete(rows, i, range.end)) {
      follow_eight(rows, i, own);
      for (std::size_t k = 0; k < kTogether; ++k)
        own[k] = class_of_node[static_cast<std::size_t>(own[k])];
      i += kTogether;
      continue;
    }
    std::size_t n_leaves = 0;
    std::fill(sums.begin(), sums.end(), 0.0);
    visit_leaves(rows.row(i), open, [&](std::size_t leaf, double share) {
      ++n_leaves;
      *own = class_of_node[leaf];
      for (std::size_t c = 0; c < n_outputs; ++c)
        sums[c] += share * answers[leaf * n_outputs + c];
    });
    if (n_leaves > 1)
      *own = static_cast<std::int32_t>(std::max_element(sums.begin(), sums.end()) -
                                       sums.begin());
    ++i;
  }
}

void TreeRouter::paths(const TreeRows& rows, std::vector<std::int64_t>& starts,
                       std::vector<std::int32_t>& nodes) const {
  check_rows(rows);
  std::vector<Visit> open;
  starts.assign(1, 0);
  nodes.clear();
  for (std::size_t i = 0; i < rows.n_rows(); ++i) {
    const std::size_t begin = nodes.size();
    visit_leaves(rows.row(i), open, [](std::size_t, double) {}, &nodes);
    std::sort(nodes.begin() + static_cast<std::ptrdiff_t>(begin), nodes.end());
    starts.push_back(static_cast<std::int64_t>(nodes.size()));
  }
}

std::size_t rows_together(std::size_t n_columns) {
  return n_columns < kLongRow ? kShortRows : kLongRows;
}

std::vector<double> predict_trees(std::span<const TreeAnswers> trees,
                                  const TreeRows& rows, std::size_t n_outputs) {
  std::vector<double> sums(rows.n_rows() * n_outputs, 0.0);
  const std::size_t block = rows_together(rows.n_columns());
  for (std::size_t begin = 0; begin < rows.n_rows(); begin += block) {
    const RowRange range{begin, std::min(begin + block, rows.n_rows())};
    for (const TreeAnswers& tree : trees)
      tree.router->predict(rows, range, tree.answers, n_outputs, sums);
  }
  return sums;
}

}  // namespace featsieve
