#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>
#include <utility>

#include "bindings.hpp"
#include "featsieve/trees.hpp"
#include "forests/forest.hpp"
#include "forests/leaf_index.hpp"
#include "numpy_views.hpp"
#include "random/bag.hpp"
#include "tree_arrays.hpp"
#include "trees/relevance_sums.hpp"

namespace featsieve::bindings {

namespace {

using Routers = std::vector<const TreeRouter*>;
using Flags = std::optional<RowMajor<std::uint8_t>>;

LeftOut flags_of(const Flags& flags) {
  return flags ? LeftOut{flags->data(), flags->size()} : LeftOut{};
}

std::vector<ForestTree> trees_of(const Routers& routers,
                                 const std::vector<Rows>& answers,
                                 const std::vector<Vector<std::int32_t>>& classes) {
  if (routers.empty() || routers.size() != answers.size() ||
      routers.size() != classes.size())
    throw std::invalid_argument("answers and classes must be one array per tree");
  std::vector<ForestTree> trees;
  for (std::size_t t = 0; t < routers.size(); ++t)
    trees.push_back({routers[t], all_of(answers[t]), all_of(classes[t])});
  return trees;
}

void bind_member(nb::module_& module) {
  module.def(
      "draw_bag",
      [](std::size_t n_rows, std::uint64_t seed, Maybe<double> chances, bool distinct) {
        return to_numpy(
            without_gil([&] { return draw_bag(n_rows, chances, seed, distinct); }));
      },
      "n_rows"_a, "seed"_a, nb::kw_only(), "chances"_a = nb::none(),
      "distinct"_a = false, "How often each row is drawn, with replacement.");

  module.def(
      "grow_member",
      [](const TreeColumns& columns, const GrowthRules& rules,
         Maybe<std::int32_t> classes, std::size_t n_classes, Maybe<double> numbers,
         std::optional<Span<std::int32_t>> value_codes, Maybe<double> weights,
         Maybe<double> chances, const std::optional<Rows>& row_chances,
         std::uint64_t seed, bool relevance) -> std::pair<Arrays, nb::object> {
        const GrowthRules own = rules_with(rules, chances, row_chances, seed);
        const TreeTarget target{classes, n_classes, numbers};
        if (relevance && target.is_number() != value_codes.has_value())
          throw std::invalid_argument("numbers come with their value_codes");
        std::vector<double> sums;
        FlatTree tree = without_gil([&] {
          if (!relevance) return grow_tree(columns, target, weights, own);
          RelevanceSums all(columns.n_columns(), columns.n_rows(),
                            value_codes.value_or(Span<std::int32_t>{}));
          FlatTree grown =
              grow_tree(columns, target, weights, own, {.relevance = &all});
          sums = std::move(all.values());
          return grown;
        });
        nb::object seen = nb::none();
        if (relevance)
          seen = nb::cast(to_numpy(std::move(sums),
                                   {columns.n_columns(), RelevanceSums::kEntries}));
        return {tree_to_dict(std::move(tree)), seen};
      },
      "columns"_a, "rules"_a, nb::kw_only(), "classes"_a = nb::none(),
      "n_classes"_a = 0, "numbers"_a = nb::none(), "value_codes"_a = nb::none(),
      "weights"_a = nb::none(), "chances"_a = nb::none(),
      "row_chances"_a.noconvert() = nb::none(), "seed"_a = 0, "relevance"_a = false,
      "The arrays of a tree, and sums of what each feature gained, if wanted.");
}

void bind_votes(nb::module_& module) {
  module.def(
      "classify_by_trees",
      [](const Routers& routers, const std::vector<Rows>& answers,
         const std::vector<Vector<std::int32_t>>& classes, const TreeRows& rows,
         const Flags& left_out) {
        const auto trees = trees_of(routers, answers, classes);
        return to_numpy(without_gil([&] {
                          return classify_by_trees(trees, rows,
                                                   answers.front().shape(1),
                                                   flags_of(left_out));
                        }),
                        {routers.size(), rows.n_rows()});
      },
      "routers"_a, "answers"_a, "classes"_a, "rows"_a,
      "left_out"_a.noconvert() = nb::none(),
      "The class each tree gives each row; -1 for rows left out.");
  module.def(
      "count_votes",
      [](const Routers& routers, const std::vector<Rows>& answers,
         const std::vector<Vector<std::int32_t>>& classes, const TreeRows& rows,
         const Flags& left_out) {
        const auto trees = trees_of(routers, answers, classes);
        const std::size_t n_classes = answers.front().shape(1);
        return to_numpy(without_gil([&] {
                          return count_votes(trees, rows, n_classes,
                                             flags_of(left_out));
                        }),
                        {rows.n_rows(), n_classes});
      },
      "routers"_a, "answers"_a, "classes"_a, "rows"_a,
      "left_out"_a.noconvert() = nb::none(),
      "How many trees vote for each class of each row.");
  module.def(
      "leaves_of_trees",
      [](const Routers& routers, const TreeRows& rows) {
        std::vector<ForestTree> trees;
        for (const TreeRouter* router : routers) trees.push_back({router, {}, {}});
        return to_numpy(without_gil([&] { return leaves_of_trees(trees, rows); }),
                        {rows.n_rows(), routers.size()});
      },
      "routers"_a, "rows"_a, "The leaf of each row in each tree.");
}

void bind_local(nb::module_& module) {
  module.def(
      "local_relevance",
      [](const Routers& routers, const std::vector<Rows>& information,
         const TreeRows& rows, std::size_t begin, std::size_t end,
         Maybe<std::int32_t> classes, Maybe<double> numbers, const Flags& left_out,
         bool mean) {
        std::vector<std::span<const double>> known;
        for (std::size_t t = 0; t < information.size(); ++t) {
          if (t < routers.size() && information[t].shape(0) != routers[t]->n_nodes())
            throw std::invalid_argument("information must be one row per node");
          known.emplace_back(all_of(information[t]));
        }
        LocalTarget target;
        target.classes = classes;
        target.numbers = numbers;
        const std::size_t n_outputs = information.empty() ? 0 : information[0].shape(1);
        for (const std::int32_t label : target.classes)
          if (label < 0 || static_cast<std::size_t>(label) >= n_outputs)
            throw std::invalid_argument("classes must be below their number");
        auto values = without_gil([&] {
          return local_relevance(routers, known, rows, {begin, end}, target,
                                 flags_of(left_out), mean);
        });
        const std::size_t n_features = end > begin ? values.size() / (end - begin) : 0;
        return to_numpy(std::move(values), {end - begin, n_features});
      },
      "routers"_a, "information"_a, "rows"_a, "begin"_a, "end"_a, nb::kw_only(),
      "classes"_a = nb::none(), "numbers"_a = nb::none(),
      "left_out"_a.noconvert() = nb::none(), "mean"_a = true,
      "How much tests of each feature tell about the target of each row of a range.");

  nb::class_<LeafIndex>(module, "LeafIndex", "Which rows are in which leaf.")
      .def(
          "__init__",
          [](LeafIndex* self, const RowMajor<std::int32_t>& leaves) {
            new (self) LeafIndex(all_of(leaves), leaves.shape(1));
          },
          "leaves"_a.noconvert(), "Of each row in each tree.")
      .def_prop_ro("n_rows", &LeafIndex::n_rows)
      .def(
          "shared",
          [](const LeafIndex& self, const RowMajor<std::int32_t>& leaves) {
            if (leaves.shape(1) != self.n_trees())
              throw std::invalid_argument("leaves must be one per row and tree");
            return to_numpy(without_gil([&] { return self.shared(all_of(leaves)); }),
                            {leaves.shape(0), self.n_rows()});
          },
          "leaves"_a.noconvert(), "In how many trees rows are together.")
      .def(
          "outcome_means",
          [](const LeafIndex& self, const RowMajor<std::int32_t>& leaves,
             const RowMajor<std::int8_t>& outcomes, std::int64_t own_row) {
            if (leaves.shape(1) != self.n_trees())
              throw std::invalid_argument("leaves must be one per row and tree");
            return to_numpy(without_gil([&] {
                              return self.outcome_means(all_of(leaves),
                                                        all_of(outcomes), own_row);
                            }),
                            {leaves.shape(0), self.n_trees()});
          },
          "leaves"_a.noconvert(), "outcomes"_a.noconvert(), "own_row"_a = -1,
          "How well each tree does on rows that share leaves with these.");
}

}  // namespace

void bind_forests(nb::module_& module) {
  bind_member(module);
  bind_votes(module);
  bind_local(module);
}

}  // namespace featsieve::bindings
