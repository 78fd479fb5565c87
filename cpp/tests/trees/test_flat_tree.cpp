#include <cstdint>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "featsieve/trees.hpp"

using namespace featsieve;

namespace {

/// 0 tests feature 0 and leads to 1 and 2; 2 tests feature 1 and leads to 3 and 4.
FlatTree chain_of_two() {
  FlatTree tree;
  tree.n_outputs = 2;
  tree.add(1);
  for (const std::size_t node : {std::size_t{0}, std::size_t{2}}) {
    const std::size_t first = tree.add(2);
    tree.feature[node] = node == 0 ? 0 : 1;
    tree.threshold[node] = 0.5;
    tree.first_child[node] = static_cast<std::int32_t>(first);
    tree.n_children[node] = 2;
    tree.gain[node] = 1.0 + static_cast<double>(node);
  }
  for (std::size_t node = 0; node < tree.size(); ++node) {
    tree.weight[node] = 10.0 + static_cast<double>(node);
    tree.value[2 * node] = static_cast<double>(node);
    tree.prediction[node] = static_cast<std::int32_t>(node % 2);
  }
  return tree;
}

CASE("what cannot be reached goes") {
  FlatTree tree = chain_of_two();
  tree.make_leaf(2);
  check::that(tree.is_leaf(2) && tree.n_children[2] == 0, "a leaf");
  check::equal(tree.gain[2], 0, "no gain at a leaf");
  const FlatTree rest = tree.compacted();
  check::that(rest.size() == 3, "three nodes left");
  check::equal(rest.weight[2], 12, "weight");
  check::equal(rest.value[4], 2, "value");
}

CASE("a raised branch takes the place") {
  FlatTree tree = chain_of_two();
  tree.replace(0, 2);
  const FlatTree rest = tree.compacted();
  check::that(rest.size() == 3 && rest.feature[0] == 1, "the test of the branch");
  check::equal(rest.weight[0], 10, "the weight stays");
  check::equal(rest.weight[1], 13, "first child");
  check::equal(rest.weight[2], 14, "second child");
  check::equal(rest.gain[0], 3, "gain");
}

CASE("a whole tree stays") {
  const FlatTree tree = chain_of_two();
  const FlatTree same = tree.compacted();
  check::that(same.feature == tree.feature && same.weight == tree.weight, "the same");
  check::that(same.first_child == tree.first_child, "numbered alike");
}

CASE("more nodes than numbers are refused") {
  FlatTree tree;
  check::throws<std::length_error>([&] { tree.add(0x80000000U); }, "too many");
}

}  // namespace
