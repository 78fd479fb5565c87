#include <limits>
#include <stdexcept>
#include <utility>

#include "featsieve/trees.hpp"

namespace featsieve {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

}  // namespace

std::size_t FlatTree::add(std::size_t count) {
  const std::size_t first = size();
  const std::size_t total = first + count;
  if (total > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    throw std::length_error("a tree of more than 2^31 nodes");
  feature.resize(total, -1);
  threshold.resize(total, kNaN);
  first_child.resize(total, -1);
  n_children.resize(total, 0);
  level.resize(total, -1);
  weight.resize(total, 0.0);
  value.resize(total * n_outputs, 0.0);
  prediction.resize(total, 0);
  gain.resize(total, 0.0);
  return first;
}

void FlatTree::make_leaf(std::size_t node) {
  feature[node] = -1;
  threshold[node] = kNaN;
  first_child[node] = -1;
  n_children[node] = 0;
  gain[node] = 0;
}

void FlatTree::replace(std::size_t node, std::size_t other) {
  feature[node] = feature[other];
  threshold[node] = threshold[other];
  first_child[node] = first_child[other];
  n_children[node] = n_children[other];
  gain[node] = gain[other];
  prediction[node] = prediction[other];
}

FlatTree FlatTree::compacted() const {
  FlatTree tree;
  tree.n_outputs = n_outputs;
  std::vector<std::pair<std::size_t, std::size_t>> open;  // old, new
  tree.add(1);
  open.emplace_back(0, 0);
  while (!open.empty()) {
    const auto [from, to] = open.back();
    open.pop_back();
    tree.feature[to] = feature[from];
    tree.threshold[to] = threshold[from];
    tree.n_children[to] = n_children[from];
    tree.level[to] = level[from];
    tree.weight[to] = weight[from];
    for (std::size_t k = 0; k < n_outputs; ++k)
      tree.value[to * n_outputs + k] = value[from * n_outputs + k];
    tree.prediction[to] = prediction[from];
    tree.gain[to] = gain[from];
    if (is_leaf(from)) continue;
    const auto count = static_cast<std::size_t>(n_children[from]);
    const std::size_t first = tree.add(count);
    tree.first_child[to] = static_cast<std::int32_t>(first);
    const auto old_first = static_cast<std::size_t>(first_child[from]);
    for (std::size_t k = count; k-- > 0;) open.emplace_back(old_first + k, first + k);
  }
  return tree;
}

}  // namespace featsieve
