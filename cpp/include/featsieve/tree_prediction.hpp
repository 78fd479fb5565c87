#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace featsieve {

/// Rows to send down trees: numbers row by row; nominal levels are numbers too, and NaN
/// is missing or a level nobody has seen.
class TreeRows {
 public:
  TreeRows(std::span<const double> values, std::size_t n_columns);

  std::size_t n_rows() const { return n_rows_; }
  std::size_t n_columns() const { return n_columns_; }
  const double* row(std::size_t i) const { return values_.data() + i * n_columns_; }
  bool is_complete(std::size_t i) const { return missing_[i] == 0; }

 private:
  std::span<const double> values_;
  std::size_t n_columns_;
  std::size_t n_rows_;
  std::vector<std::uint8_t> missing_;
};

/// The arrays of a FlatTree that lead a row to its leaf.
struct TreeArrays {
  std::span<const std::int32_t> feature;
  std::span<const double> threshold;
  std::span<const std::int32_t> first_child;
  std::span<const std::int32_t> n_children;
  std::span<const std::int32_t> level;
  std::span<const double> weight;
  /// Levels declared per feature; 0 if it is numeric.
  std::span<const std::int32_t> n_levels;
};

struct RowRange {
  std::size_t begin;
  std::size_t end;
};

/// Leads rows through one tree. A missing value goes to every branch in proportion to
/// its weight, or to the heaviest branch, the first of equals.
class TreeRouter {
 public:
  /// Copies what it needs, and throws if the arrays are not a tree.
  TreeRouter(const TreeArrays& tree, bool fractional);

  std::size_t n_nodes() const { return nodes_.size(); }

  /// Adds to `sums`, for the rows of a range, the `answers` of their leaves by their
  /// shares of the row: n_outputs numbers per node in, per row of all rows out.
  void predict(const TreeRows& rows, RowRange range, std::span<const double> answers,
               std::size_t n_outputs, std::span<double> sums) const;
  /// The leaf that holds the greatest share of each row, the first of equals.
  void apply(const TreeRows& rows, std::span<std::int32_t> leaves) const {
    apply(rows, {0, rows.n_rows()}, leaves);
  }
  /// Of the rows of a range, one after another.
  void apply(const TreeRows& rows, RowRange range,
             std::span<std::int32_t> leaves) const;
  /// The class of each row of a range: the one of its leaf, or if it is spread over
  /// several, the greatest of their `answers` by shares, the first of equals.
  void classify(const TreeRows& rows, RowRange range, std::span<const double> answers,
                std::size_t n_outputs, std::span<const std::int32_t> class_of_node,
                std::span<std::int32_t> classes) const;
  /// Calls task(row, feature, node, child, share) for every test that a wanted row of
  /// a range meets.
  template <class Wanted, class Task>
  void visit_tests(const TreeRows& rows, RowRange range, const Wanted& wanted,
                   Task&& task) const;
  /// Nodes each row passes, ascending: those of row i are at starts[i]..starts[i + 1].
  void paths(const TreeRows& rows, std::vector<std::int64_t>& starts,
             std::vector<std::int32_t>& nodes) const;

 private:
  struct Node {
    double threshold;      // +infinity at a leaf, so that it leads to itself
    std::int32_t feature;  // 0 at a leaf
    std::int32_t first;    // itself at a leaf
  };
  struct Visit {
    std::size_t node;
    double share;
  };
  static constexpr std::size_t kUnknown = static_cast<std::size_t>(-1);

  bool is_leaf(std::size_t node) const { return n_children_[node] == 0; }
  void check_rows(const TreeRows& rows) const;
  /// The child a row goes to, or kUnknown.
  std::size_t child(std::size_t node, const double* row) const;
  std::size_t heaviest(std::size_t node) const;
  template <class Task>
  void visit_leaves(const double* row, std::vector<Visit>& open, Task&& task,
                    std::vector<std::int32_t>* passed = nullptr) const;
  /// Where a row goes on from a node, with which part of it.
  template <class Task>
  void visit_children(const Visit& at, const double* row, Task&& task) const;
  /// Leaves of rows first..first + 8 of a tree of cuts, of which none misses a value.
  void follow_eight(const TreeRows& rows, std::size_t first,
                    std::int32_t* leaves) const;
  bool eight_are_complete(const TreeRows& rows, std::size_t first,
                          std::size_t end) const;

  bool fractional_;
  bool only_cuts_ = true;
  std::int32_t n_features_ = 0;
  std::vector<Node> nodes_;
  std::vector<std::int32_t> n_children_;
  std::vector<std::int32_t> level_;
  std::vector<double> weight_;
  std::vector<std::int32_t> n_levels_;
};

/// Rows of so many columns that go through one tree before the next one does.
std::size_t rows_together(std::size_t n_columns);

/// What each of many trees answers, to be added up.
struct TreeAnswers {
  const TreeRouter* router;
  std::span<const double> answers;
};

/// Sums over trees of their answers, n_outputs per row. A few rows at a time go through
/// all trees, so that they stay in the cache.
std::vector<double> predict_trees(std::span<const TreeAnswers> trees,
                                  const TreeRows& rows, std::size_t n_outputs);

template <class Task>
void TreeRouter::visit_children(const Visit& at, const double* row, Task&& task) const {
  const std::size_t next = child(at.node, row);
  if (next != kUnknown) {
    task(Visit{next, at.share});
    return;
  }
  if (!fractional_) {
    task(Visit{heaviest(at.node), at.share});
    return;
  }
  const auto first = static_cast<std::size_t>(nodes_[at.node].first);
  const auto count = static_cast<std::size_t>(n_children_[at.node]);
  double total = 0;
  for (std::size_t b = 0; b < count; ++b) total += weight_[first + b];
  for (std::size_t b = count; b-- > 0;) {
    const double part =
        total > 0 ? weight_[first + b] / total : 1.0 / static_cast<double>(count);
    if (part > 0) task(Visit{first + b, at.share * part});
  }
}

template <class Wanted, class Task>
void TreeRouter::visit_tests(const TreeRows& rows, RowRange range, const Wanted& wanted,
                             Task&& task) const {
  check_rows(rows);
  std::vector<Visit> open;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    if (!wanted(i)) continue;
    if (only_cuts_ && rows.is_complete(i)) {
      const double* row = rows.row(i);
      for (std::size_t at = 0; !is_leaf(at);) {
        const Node& node = nodes_[at];
        const auto feature = static_cast<std::size_t>(node.feature);
        const auto next = static_cast<std::size_t>(node.first) +
                          static_cast<std::size_t>(!(row[feature] <= node.threshold));
        task(i, feature, at, next, 1.0);
        at = next;
      }
      continue;
    }
    open.assign(1, {0, 1.0});
    while (!open.empty()) {
      const Visit at = open.back();
      open.pop_back();
      if (is_leaf(at.node)) continue;
      const auto feature = static_cast<std::size_t>(nodes_[at.node].feature);
      visit_children(at, rows.row(i), [&](const Visit& next) {
        task(i, feature, at.node, next.node, next.share);
        open.push_back(next);
      });
    }
  }
}

}  // namespace featsieve
