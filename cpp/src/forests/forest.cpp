#include "forests/forest.hpp"

#include <algorithm>
#include <stdexcept>

namespace featsieve {

namespace {

/// Rows whose sums for every feature stay in the cache.
constexpr std::size_t kWalkTogether = 1024;

void check_left_out(LeftOut left_out, std::size_t n_trees, std::size_t n_rows) {
  if (!left_out.empty() && left_out.size() != n_trees * n_rows)
    throw std::invalid_argument("rows left out must be one flag per tree and row");
}

template <class Task>
void by_blocks(RowRange rows, std::size_t together, const Task& task) {
  for (std::size_t begin = rows.begin; begin < rows.end; begin += together)
    task(RowRange{begin, std::min(begin + together, rows.end)});
}

/// Calls task(tree, row, class) for every row that a tree is asked about.
template <class Task>
void classify_all(std::span<const ForestTree> trees, const TreeRows& rows,
                  std::size_t n_classes, LeftOut left_out, const Task& task) {
  const std::size_t n_rows = rows.n_rows();
  check_left_out(left_out, trees.size(), n_rows);
  const std::size_t together = rows_together(rows.n_columns());
  std::vector<std::int32_t> classes(std::min(together, n_rows));
  by_blocks({0, n_rows}, together, [&](RowRange range) {
    const std::span<std::int32_t> own(classes.data(), range.end - range.begin);
    for (std::size_t t = 0; t < trees.size(); ++t) {
      trees[t].router->classify(rows, range, trees[t].answers, n_classes,
                                trees[t].class_of_node, own);
      for (std::size_t i = range.begin; i < range.end; ++i)
        if (left_out.empty() || left_out[t * n_rows + i] == 0)
          task(t, i, own[i - range.begin]);
    }
  });
}

}  // namespace

std::vector<std::int32_t> classify_by_trees(std::span<const ForestTree> trees,
                                            const TreeRows& rows, std::size_t n_classes,
                                            LeftOut left_out) {
  const std::size_t n_rows = rows.n_rows();
  std::vector<std::int32_t> classes(trees.size() * n_rows, -1);
  classify_all(trees, rows, n_classes, left_out,
               [&](std::size_t tree, std::size_t row, std::int32_t label) {
                 classes[tree * n_rows + row] = label;
               });
  return classes;
}

std::vector<double> count_votes(std::span<const ForestTree> trees, const TreeRows& rows,
                                std::size_t n_classes, LeftOut left_out) {
  std::vector<double> votes(rows.n_rows() * n_classes, 0.0);
  classify_all(trees, rows, n_classes, left_out,
               [&](std::size_t, std::size_t row, std::int32_t label) {
                 votes[row * n_classes + static_cast<std::size_t>(label)] += 1;
               });
  return votes;
}

std::vector<std::int32_t> leaves_of_trees(std::span<const ForestTree> trees,
                                          const TreeRows& rows) {
  const std::size_t n_trees = trees.size();
  std::vector<std::int32_t> all(rows.n_rows() * n_trees);
  const std::size_t together = rows_together(rows.n_columns());
  std::vector<std::int32_t> leaves(std::min(together, rows.n_rows()));
  by_blocks({0, rows.n_rows()}, together, [&](RowRange range) {
    const std::span<std::int32_t> own(leaves.data(), range.end - range.begin);
    for (std::size_t t = 0; t < n_trees; ++t) {
      trees[t].router->apply(rows, range, own);
      for (std::size_t i = range.begin; i < range.end; ++i)
        all[i * n_trees + t] = own[i - range.begin];
    }
  });
  return all;
}

std::vector<double> local_relevance(
    std::span<const TreeRouter* const> routers,
    std::span<const std::span<const double>> information, const TreeRows& rows,
    RowRange range, const LocalTarget& target, LeftOut left_out, bool mean) {
  const std::size_t n_rows = rows.n_rows();
  const std::size_t n_features = rows.n_columns();
  check_left_out(left_out, routers.size(), n_rows);
  const bool is_number = target.classes.empty();
  const std::size_t n_known = is_number ? target.numbers.size() : target.classes.size();
  if (range.begin > range.end || range.end > n_rows || n_known != n_rows ||
      information.size() != routers.size())
    throw std::invalid_argument(
        "targets must be one per row, information one per tree");

  std::vector<double> sums((range.end - range.begin) * n_features, 0.0);
  std::vector<double> shares(mean ? sums.size() : 0, 0.0);
  by_blocks(range, kWalkTogether, [&](RowRange block) {
    for (std::size_t t = 0; t < routers.size(); ++t) {
      const std::span<const double> known = information[t];
      const std::size_t n_outputs = known.size() / routers[t]->n_nodes();
      const std::uint8_t* left =
          left_out.empty() ? nullptr : left_out.data() + t * n_rows;
      const auto wanted = [&](std::size_t i) {
        return left == nullptr || left[i] == 0;
      };
      const auto gain = [&](std::size_t i, std::size_t node, std::size_t child) {
        if (is_number) {
          const double before = target.numbers[i] - known[node];
          const double after = target.numbers[i] - known[child];
          return before * before - after * after;
        }
        const auto label = static_cast<std::size_t>(target.classes[i]);
        return known[child * n_outputs + label] - known[node * n_outputs + label];
      };
      routers[t]->visit_tests(rows, block, wanted,
                              [&](std::size_t i, std::size_t feature, std::size_t node,
                                  std::size_t child, double share) {
                                const std::size_t cell =
                                    (i - range.begin) * n_features + feature;
                                sums[cell] += share * gain(i, node, child);
                                if (mean) shares[cell] += share;
                              });
    }
  });
  for (std::size_t cell = 0; cell < shares.size(); ++cell)
    if (shares[cell] > 0) sums[cell] /= shares[cell];
  return sums;
}

}  // namespace featsieve
