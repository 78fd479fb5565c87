#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>
#include <utility>

#include "bindings.hpp"
#include "featsieve/tree_prediction.hpp"
#include "featsieve/trees.hpp"
#include "numpy_views.hpp"
#include "tree_arrays.hpp"

namespace featsieve::bindings {

namespace {

Arrays tried_to_dict(TriedFeatures&& tried) {
  Arrays arrays;
  arrays["node"] = to_numpy(std::move(tried.node));
  arrays["feature"] = to_numpy(std::move(tried.feature));
  arrays["gain"] = to_numpy(std::move(tried.gain));
  arrays["passes"] = to_numpy(std::move(tried.passes));
  return arrays;
}

void bind_rules(nb::module_& module) {
  nb::enum_<SplitScore>(module, "SplitScore", "What a split is scored by.")
      .value("INFORMATION_GAIN", SplitScore::kInformationGain)
      .value("GAIN_RATIO", SplitScore::kGainRatio)
      .value("GINI", SplitScore::kGini)
      .value("VARIANCE", SplitScore::kVariance);
  nb::enum_<MissingCases>(module, "MissingCases",
                          "Where a case goes whose value is missing.")
      .value("FRACTIONAL", MissingCases::kFractional)
      .value("LARGEST", MissingCases::kLargest);
  nb::enum_<FailedDraw>(module, "FailedDraw",
                        "What becomes of a node whose drawn features are constant.")
      .value("REDRAW", FailedDraw::kRedraw)
      .value("LEAF", FailedDraw::kLeaf);
  nb::enum_<FeatureCost>(module, "FeatureCost",
                         "Price of naming a feature in the MDL rule.")
      .value("NONE", FeatureCost::kNone)
      .value("WITHOUT_KEY", FeatureCost::kWithoutKey)
      .value("FULL", FeatureCost::kFull);

  nb::class_<GrowthRules> rules(module, "GrowthRules",
                                "All that sets one kind of tree apart from another.");
  rules.def(nb::init<>())
      .def_rw("score", &GrowthRules::score)
      .def_rw("missing", &GrowthRules::missing)
      .def_rw("all_levels", &GrowthRules::all_levels)
      .def_rw("j48", &GrowthRules::j48)
      .def_rw("use_ratio", &GrowthRules::use_ratio)
      .def_rw("n_all_rows", &GrowthRules::n_all_rows);
  // Fields of the groups of rules, as if they were fields of the rules.
  const auto bind = [&](const char* name, auto group, auto field) {
    rules.def_prop_rw(
        name, [=](const GrowthRules& all) { return all.*group.*field; },
        [=](GrowthRules& all, std::remove_cvref_t<decltype(all.*group.*field)> value) {
          all.*group.*field = value;
        });
  };
  bind("minimum_share", &GrowthRules::cut, &CutRule::minimum_share);
  bind("min_cases", &GrowthRules::cut, &CutRule::min_cases);
  bind("min_gap", &GrowthRules::cut, &CutRule::min_gap);
  bind("penalty", &GrowthRules::cut, &CutRule::penalty);
  bind("actual_value", &GrowthRules::cut, &CutRule::actual_value);
  bind("n_thresholds", &GrowthRules::cut, &CutRule::n_thresholds);
  bind("min_weight", &GrowthRules::stop, &StopRule::min_weight);
  bind("max_depth", &GrowthRules::stop, &StopRule::max_depth);
  bind("description_length", &GrowthRules::stop, &StopRule::description_length);
  bind("feature_cost", &GrowthRules::stop, &StopRule::feature_cost);
  bind("n_drawn", &GrowthRules::features, &FeatureRule::n_drawn);
  bind("failed_draw", &GrowthRules::features, &FeatureRule::failed_draw);

  nb::class_<PruneRules>(module, "PruneRules", "How C4.5 cuts a tree back.")
      .def(nb::init<>())
      .def_rw("confidence", &PruneRules::confidence)
      .def_rw("deviate", &PruneRules::deviate)
      .def_rw("subtree_raising", &PruneRules::subtree_raising)
      .def_rw("j48", &PruneRules::j48);
}

void bind_growth(nb::module_& module) {
  nb::class_<TreeColumns>(module, "TreeColumns",
                          "Training columns, coded once for all trees grown on them.")
      .def(nb::init<std::size_t>(), "n_rows"_a)
      .def("add_numeric", &TreeColumns::add_numeric, kNoGil, "values"_a,
           "NaN is missing.")
      .def("add_nominal", &TreeColumns::add_nominal, kNoGil, "levels"_a, "n_levels"_a,
           "A negative level is missing.")
      .def("select", &TreeColumns::select, kNoGil, "columns"_a,
           "These columns only, without coding them again.")
      .def_prop_ro("n_rows", &TreeColumns::n_rows)
      .def_prop_ro("n_columns", &TreeColumns::n_columns);

  module.def(
      "grow_tree",
      [](const TreeColumns& columns, const GrowthRules& rules,
         Maybe<std::int32_t> classes, std::size_t n_classes, Maybe<double> numbers,
         Maybe<double> weights, Maybe<double> chances,
         const std::optional<Rows>& row_chances, std::uint64_t seed,
         const std::optional<PruneRules>& prune, bool collapse,
         bool observe) -> std::pair<Arrays, std::optional<Arrays>> {
        const GrowthRules own = rules_with(rules, chances, row_chances, seed);
        const TreeTarget target{classes, n_classes, numbers};
        FlatTree tree;
        TriedFeatures tried;
        without_gil([&] {
          tree = grow_tree(columns, target, weights, own,
                           {.tried = observe ? &tried : nullptr});
          if (collapse) collapse_tree(tree, own.j48);
          if (prune) prune_tree(tree, columns, target, weights, *prune);
          if (collapse || prune) tree = tree.compacted();
        });
        std::optional<Arrays> seen;
        if (observe) seen = tried_to_dict(std::move(tried));
        return {tree_to_dict(std::move(tree)), seen};
      },
      "columns"_a, "rules"_a, nb::kw_only(), "classes"_a = nb::none(),
      "n_classes"_a = 0, "numbers"_a = nb::none(), "weights"_a = nb::none(),
      "chances"_a = nb::none(), "row_chances"_a.noconvert() = nb::none(), "seed"_a = 0,
      "prune"_a = nb::none(), "collapse"_a = false, "observe"_a = false,
      "The arrays of a tree, and of the features tried if that is to be observed.");

  module.def("extra_errors", &extra_errors, "weight"_a, "errors"_a, "rules"_a,
             "Errors to add to those seen for C4.5's pessimistic estimate.");
}

void bind_prediction(nb::module_& module) {
  nb::class_<TreeRows>(module, "TreeRows", "Rows to send down trees.")
      .def(
          "__init__",
          [](TreeRows* self, const Rows& values) {
            new (self) TreeRows(all_of(values), values.shape(1));
          },
          "values"_a.noconvert(), nb::keep_alive<1, 2>(),
          "NaN is missing; nominal levels are numbers.")
      .def_prop_ro("n_rows", &TreeRows::n_rows);

  nb::class_<TreeRouter>(module, "TreeRouter", "Leads rows through one tree.")
      .def(
          "__init__",
          [](TreeRouter* self, Span<std::int32_t> feature, Span<double> threshold,
             Span<std::int32_t> first_child, Span<std::int32_t> n_children,
             Span<std::int32_t> level, Span<double> weight, Span<std::int32_t> n_levels,
             bool fractional) {
            new (self) TreeRouter(
                {feature, threshold, first_child, n_children, level, weight, n_levels},
                fractional);
          },
          "feature"_a, "threshold"_a, "first_child"_a, "n_children"_a, "level"_a,
          "weight"_a, "n_levels"_a, "fractional"_a,
          "Copies what it needs of the arrays.")
      .def(
          "predict",
          [](const TreeRouter& self, const TreeRows& rows, const Rows& answers) {
            const std::size_t n_outputs = answers.shape(1);
            const TreeAnswers tree{&self, all_of(answers)};
            return to_numpy(
                without_gil([&] { return predict_trees({&tree, 1}, rows, n_outputs); }),
                {rows.n_rows(), n_outputs});
          },
          "rows"_a, "answers"_a.noconvert(),
          "Answers of the leaves of every row, by their shares of it.")
      .def(
          "apply",
          [](const TreeRouter& self, const TreeRows& rows) {
            std::vector<std::int32_t> leaves(rows.n_rows(), 0);
            without_gil([&] { self.apply(rows, leaves); });
            return to_numpy(std::move(leaves));
          },
          "rows"_a, "The leaf that holds the greatest share of each row.")
      .def(
          "paths",
          [](const TreeRouter& self, const TreeRows& rows) {
            std::vector<std::int64_t> starts;
            std::vector<std::int32_t> nodes;
            without_gil([&] { self.paths(rows, starts, nodes); });
            return std::make_pair(to_numpy(std::move(starts)),
                                  to_numpy(std::move(nodes)));
          },
          "rows"_a, "Where the nodes of each row begin, and the nodes.");
}

void bind_forest(nb::module_& module) {
  module.def(
      "predict_trees",
      [](const std::vector<const TreeRouter*>& routers,
         const std::vector<Rows>& answers, const TreeRows& rows) {
        if (routers.empty() || routers.size() != answers.size())
          throw std::invalid_argument("answers must be one array per tree");
        const std::size_t n_outputs = answers.front().shape(1);
        std::vector<TreeAnswers> trees;
        for (std::size_t t = 0; t < routers.size(); ++t)
          trees.push_back({routers[t], all_of(answers[t])});
        return to_numpy(
            without_gil([&] { return predict_trees(trees, rows, n_outputs); }),
            {rows.n_rows(), n_outputs});
      },
      "routers"_a, "answers"_a, "rows"_a, "Sums over trees of what they answer.");
}

}  // namespace

void bind_trees(nb::module_& module) {
  bind_rules(module);
  bind_growth(module);
  bind_prediction(module);
  bind_forest(module);
}

}  // namespace featsieve::bindings
