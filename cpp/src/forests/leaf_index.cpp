#include "forests/leaf_index.hpp"

#include <algorithm>
#include <stdexcept>

namespace featsieve {

LeafIndex::LeafIndex(std::span<const std::int32_t> leaves, std::size_t n_trees)
    : n_rows_(n_trees > 0 ? leaves.size() / n_trees : 0), trees_(n_trees) {
  if (n_trees == 0 || leaves.size() != n_rows_ * n_trees)
    throw std::invalid_argument("leaves must be one per row and tree");
  if (std::any_of(leaves.begin(), leaves.end(), [](auto leaf) { return leaf < 0; }))
    throw std::invalid_argument("leaves must not be negative");
  for (std::size_t t = 0; t < n_trees; ++t) {
    TreeLeaves& tree = trees_[t];
    std::int32_t most = -1;
    for (std::size_t i = 0; i < n_rows_; ++i)
      most = std::max(most, leaves[i * n_trees + t]);
    tree.starts.assign(static_cast<std::size_t>(most + 2), 0);
    for (std::size_t i = 0; i < n_rows_; ++i)
      ++tree.starts[static_cast<std::size_t>(leaves[i * n_trees + t]) + 1];
    for (std::size_t leaf = 1; leaf < tree.starts.size(); ++leaf)
      tree.starts[leaf] += tree.starts[leaf - 1];
    tree.rows.resize(n_rows_);
    std::vector<std::uint32_t> next = tree.starts;
    for (std::size_t i = 0; i < n_rows_; ++i)
      tree.rows[next[static_cast<std::size_t>(leaves[i * n_trees + t])]++] =
          static_cast<std::uint32_t>(i);
  }
}

template <class Count>
void LeafIndex::count_shared(const std::int32_t* leaves, Count* counts,
                             std::vector<std::uint32_t>* seen) const {
  for (std::size_t t = 0; t < trees_.size(); ++t) {
    const TreeLeaves& tree = trees_[t];
    const auto leaf = static_cast<std::size_t>(leaves[t]);
    if (leaves[t] < 0 || leaf + 1 >= tree.starts.size()) continue;  // nobody there
    for (std::uint32_t at = tree.starts[leaf]; at < tree.starts[leaf + 1]; ++at) {
      Count& count = counts[tree.rows[at]];
      if (seen != nullptr && count == 0) seen->push_back(tree.rows[at]);
      count += 1;
    }
  }
}

std::size_t LeafIndex::count_rows(std::span<const std::int32_t> leaves) const {
  if (leaves.size() % trees_.size() != 0)
    throw std::invalid_argument("leaves must be one per row and tree");
  return leaves.size() / trees_.size();
}

std::vector<float> LeafIndex::shared(std::span<const std::int32_t> leaves) const {
  const std::size_t n_asked = count_rows(leaves);
  std::vector<float> counts(n_asked * n_rows_, 0.0F);
  for (std::size_t i = 0; i < n_asked; ++i)
    count_shared(&leaves[i * trees_.size()], &counts[i * n_rows_], nullptr);
  return counts;
}

std::vector<double> LeafIndex::outcome_means(std::span<const std::int32_t> leaves,
                                             std::span<const std::int8_t> outcomes,
                                             std::int64_t own_row) const {
  const std::size_t n_trees = trees_.size();
  const std::size_t n_asked = count_rows(leaves);
  if (outcomes.size() != n_rows_ * n_trees)
    throw std::invalid_argument("outcomes must be one per row and tree");
  std::vector<double> means(n_asked * n_trees, 0.0);
  std::vector<std::uint32_t> counts(n_rows_, 0);
  std::vector<std::uint32_t> seen;
  std::vector<double> totals(n_trees);
  for (std::size_t i = 0; i < n_asked; ++i) {
    seen.clear();
    count_shared(&leaves[i * n_trees], counts.data(), &seen);
    // In the order of rows, so that sums do not depend on the order of trees.
    std::sort(seen.begin(), seen.end());
    std::fill(totals.begin(), totals.end(), 0.0);
    double* own = &means[i * n_trees];
    for (const std::uint32_t row : seen) {
      const double share =
          static_cast<double>(counts[row]) / static_cast<double>(n_trees);
      counts[row] = 0;
      if (own_row >= 0 && static_cast<std::uint64_t>(own_row) + i == row) continue;
      const double weight = share * share * share;
      const std::int8_t* outcome = &outcomes[row * n_trees];
      for (std::size_t t = 0; t < n_trees; ++t) {
        own[t] += weight * outcome[t];
        totals[t] += weight * (outcome[t] != 0 ? 1 : 0);
      }
    }
    for (std::size_t t = 0; t < n_trees; ++t)
      if (totals[t] > 0) own[t] /= totals[t];
  }
  return means;
}

}  // namespace featsieve
