#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "featsieve/trees.hpp"
#include "numpy_views.hpp"

namespace featsieve::bindings {

/// Rows of numbers in C order.
using Rows = RowMajor<double>;

using Arrays = nb::typed<nb::dict, nb::str, nb::any>;

/// The rules with what is drawn for one tree.
inline GrowthRules rules_with(GrowthRules rules, Span<double> chances,
                              const std::optional<Rows>& row_chances,
                              std::uint64_t seed) {
  rules.features.chances = chances;
  if (row_chances) rules.features.row_chances = all_of(*row_chances);
  rules.features.seed = seed;
  return rules;
}

inline Arrays tree_to_dict(FlatTree&& tree) {
  const std::size_t size = tree.size();
  Arrays arrays;
  arrays["feature"] = to_numpy(std::move(tree.feature));
  arrays["threshold"] = to_numpy(std::move(tree.threshold));
  arrays["first_child"] = to_numpy(std::move(tree.first_child));
  arrays["n_children"] = to_numpy(std::move(tree.n_children));
  arrays["level"] = to_numpy(std::move(tree.level));
  arrays["weight"] = to_numpy(std::move(tree.weight));
  arrays["value"] = to_numpy(std::move(tree.value), {size, tree.n_outputs});
  arrays["prediction"] = to_numpy(std::move(tree.prediction));
  arrays["gain"] = to_numpy(std::move(tree.gain));
  return arrays;
}

}  // namespace featsieve::bindings
