#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace featsieve {

/// The first class whose weight is the greatest, or less by no more than `slack`.
inline std::size_t heaviest_class(std::span<const double> weights, double slack) {
  const double most = *std::max_element(weights.begin(), weights.end());
  return static_cast<std::size_t>(
      std::find_if(weights.begin(), weights.end(),
                   [=](double weight) { return weight >= most - slack; }) -
      weights.begin());
}

/// A tree in flat arrays. The root is node 0, children have consecutive numbers, and
/// these are greater than their parent's.
struct FlatTree {
  std::size_t n_outputs = 0;              // classes, or 1 for a number
  std::vector<std::int32_t> feature;      // -1 at a leaf
  std::vector<double> threshold;          // x <= threshold: first child; else NaN
  std::vector<std::int32_t> first_child;  // -1 at a leaf
  std::vector<std::int32_t> n_children;
  std::vector<std::int32_t> level;  // of the parent's nominal test; else -1
  std::vector<double> weight;
  std::vector<double> value;             // n_outputs per node: class weights, or mean
  std::vector<std::int32_t> prediction;  // class
  std::vector<double> gain;              // of the test

  std::size_t size() const { return feature.size(); }
  bool is_leaf(std::size_t node) const { return feature[node] < 0; }

  /// Appends `count` leaves and returns the number of the first.
  std::size_t add(std::size_t count);
  void make_leaf(std::size_t node);
  /// Gives `node` the test and the children of `other`, which is below it.
  void replace(std::size_t node, std::size_t other);
  /// The nodes that can be reached from the root, numbered anew.
  FlatTree compacted() const;
};

}  // namespace featsieve
