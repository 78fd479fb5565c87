#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "forests/leaf_index.hpp"

using namespace featsieve;

namespace {

CASE("rows share leaves") {
  // Three rows, two trees.
  const std::vector<std::int32_t> leaves{1, 4, 1, 5, 2, 4};
  const LeafIndex index(leaves, 2);
  const std::vector<std::int32_t> asked{1, 4, 9, 9};
  const auto counts = index.shared(asked);
  const std::vector<float> expected{2, 1, 1, 0, 0, 0};
  check::that(counts == expected, "counts");
}

CASE("outcomes are weighted by cubes") {
  const std::vector<std::int32_t> leaves{1, 4, 1, 5, 2, 4};
  const LeafIndex index(leaves, 2);
  const std::vector<std::int8_t> outcomes{1, 0, -1, 1, 0, -1};
  const std::vector<std::int32_t> asked{1, 4};
  const auto means = index.outcome_means(asked, outcomes, -1);
  check::equal(means[0], (1 - 0.125) / (1 + 0.125), "first tree", 1e-12);
  check::equal(means[1], 0, "second tree: one right, one wrong", 1e-12);
  const auto without = index.outcome_means(asked, outcomes, 0);
  check::equal(without[0], -1, "none counts for itself", 1e-12);
  const std::vector<std::int32_t> alone{9, 9};
  check::equal(index.outcome_means(alone, outcomes, -1)[0], 0, "nobody near");
}

CASE("what does not fit is refused") {
  const std::vector<std::int32_t> leaves{1, 4, 1};
  check::refuses([&] { LeafIndex(leaves, 2); }, "half a row");
  check::refuses([&] { LeafIndex(leaves, 0); }, "no tree");
  const std::vector<std::int32_t> negative{-1};
  check::refuses([&] { LeafIndex(negative, 1); }, "negative");
  const LeafIndex index(leaves, 1);
  const std::vector<std::int8_t> outcomes{1};
  check::refuses([&] { index.outcome_means(leaves, outcomes, -1); },
                 "too few outcomes");
}

}  // namespace
