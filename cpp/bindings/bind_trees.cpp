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
      .def(
          "add_numeric",
          [](TreeColumns& self, const Vector<double>& values) {
            nb::gil_scoped_release release;
            self.add_numeric(as_span(values));
          },
          "values"_a.noconvert(), "NaN is missing.")
      .def(
          "add_nominal",
          [](TreeColumns& self, const Vector<std::int32_t>& levels,
             std::uint32_t n_levels) {
            nb::gil_scoped_release release;
            self.add_nominal(as_span(levels), n_levels);
          },
          "levels"_a.noconvert(), "n_levels"_a, "A negative level is missing.")
      .def(
          "select",
          [](const TreeColumns& self, const Vector<std::uint32_t>& columns) {
            nb::gil_scoped_release release;
            return self.select(as_span(columns));
          },
          "columns"_a.noconvert(), "These columns only, without coding them again.")
      .def_prop_ro("n_rows", &TreeColumns::n_rows)
      .def_prop_ro("n_columns", &TreeColumns::n_columns);

  module.def(
      "grow_tree",
      [](const TreeColumns& columns, const GrowthRules& rules,
         const std::optional<Vector<std::int32_t>>& classes, std::size_t n_classes,
         const std::optional<Vector<double>>& numbers,
         const std::optional<Vector<double>>& weights,
         const std::optional<Vector<double>>& chances,
         const std::optional<Rows>& row_chances, std::uint64_t seed,
         const std::optional<PruneRules>& prune, bool collapse,
         bool observe) -> std::pair<Arrays, std::optional<Arrays>> {
        const GrowthRules own = rules_with(rules, chances, row_chances, seed);
        const TreeTarget target = target_of(classes, n_classes, numbers);
        const std::span<const double> row_weights = optional_span(weights);
        FlatTree tree;
        TriedFeatures tried;
        {
          nb::gil_scoped_release release;
          tree = grow_tree(columns, target, row_weights, own,
                           {.tried = observe ? &tried : nullptr});
          if (collapse) collapse_tree(tree, own.j48);
          if (prune) prune_tree(tree, columns, target, row_weights, *prune);
          if (collapse || prune) tree = tree.compacted();
        }
        std::optional<Arrays> seen;
        if (observe) seen = tried_to_dict(std::move(tried));
        return {tree_to_dict(std::move(tree)), seen};
      },
      "columns"_a, "rules"_a, nb::kw_only(), "classes"_a.noconvert() = nb::none(),
      "n_classes"_a = 0, "numbers"_a.noconvert() = nb::none(),
      "weights"_a.noconvert() = nb::none(), "chances"_a.noconvert() = nb::none(),
      "row_chances"_a.noconvert() = nb::none(), "seed"_a = 0, "prune"_a = nb::none(),
      "collapse"_a = false, "observe"_a = false,
      "The arrays of a tree, and of the features tried if that is to be observed.");

  module.def("extra_errors", &extra_errors, "weight"_a, "errors"_a, "rules"_a,
             "Errors to add to those seen for C4.5's pessimistic estimate.");
}

void bind_prediction(nb::module_& module) {
  nb::class_<TreeRows>(module, "TreeRows", "Rows to send down trees.")
      .def(
          "__init__",
          [](TreeRows* self, const Rows& values) {
            new (self) TreeRows({values.data(), values.size()}, values.shape(1));
          },
          "values"_a.noconvert(), nb::keep_alive<1, 2>(),
          "NaN is missing; nominal levels are numbers.")
      .def_prop_ro("n_rows", &TreeRows::n_rows);

  nb::class_<TreeRouter>(module, "TreeRouter", "Leads rows through one tree.")
      .def(
          "__init__",
          [](TreeRouter* self, const Vector<std::int32_t>& feature,
             const Vector<double>& threshold, const Vector<std::int32_t>& first_child,
             const Vector<std::int32_t>& n_children, const Vector<std::int32_t>& level,
             const Vector<double>& weight, const Vector<std::int32_t>& n_levels,
             bool fractional) {
            new (self) TreeRouter({as_span(feature), as_span(threshold),
                                   as_span(first_child), as_span(n_children),
                                   as_span(level), as_span(weight), as_span(n_levels)},
                                  fractional);
          },
          "feature"_a.noconvert(), "threshold"_a.noconvert(),
          "first_child"_a.noconvert(), "n_children"_a.noconvert(),
          "level"_a.noconvert(), "weight"_a.noconvert(), "n_levels"_a.noconvert(),
          "fractional"_a, "Copies what it needs of the arrays.")
      .def(
          "predict",
          [](const TreeRouter& self, const TreeRows& rows, const Rows& answers) {
            const std::size_t n_outputs = answers.shape(1);
            std::vector<double> sums;
            {
              nb::gil_scoped_release release;
              const TreeAnswers tree{&self, {answers.data(), answers.size()}};
              sums = predict_trees({&tree, 1}, rows, n_outputs);
            }
            return to_numpy(std::move(sums), {rows.n_rows(), n_outputs});
          },
          "rows"_a, "answers"_a.noconvert(),
          "Answers of the leaves of every row, by their shares of it.")
      .def(
          "apply",
          [](const TreeRouter& self, const TreeRows& rows) {
            std::vector<std::int32_t> leaves(rows.n_rows(), 0);
            {
              nb::gil_scoped_release release;
              self.apply(rows, leaves);
            }
            return to_numpy(std::move(leaves));
          },
          "rows"_a, "The leaf that holds the greatest share of each row.")
      .def(
          "paths",
          [](const TreeRouter& self, const TreeRows& rows) {
            std::vector<std::int64_t> starts;
            std::vector<std::int32_t> nodes;
            {
              nb::gil_scoped_release release;
              self.paths(rows, starts, nodes);
            }
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
          trees.push_back({routers[t], {answers[t].data(), answers[t].size()}});
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
