#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>

#include "bindings.hpp"
#include "cuts/permutation_null.hpp"
#include "featsieve/counting.hpp"
#include "numpy_views.hpp"

namespace featsieve::bindings {

namespace {

constexpr std::size_t kFields = 8;

void append(const TableEntropies& e, std::vector<double>& rows) {
  rows.insert(rows.end(), {e.total, e.known, e.feature, e.target, e.joint, e.levels,
                           e.classes, e.cells});
}

nb::ndarray<nb::numpy, std::int64_t> to_rows(const std::vector<Exceedances>& results) {
  std::vector<std::int64_t> rows;
  for (const Exceedances& result : results)
    rows.insert(rows.end(), {result.at_least, result.draws});
  return to_numpy(std::move(rows), {results.size(), 2});
}

void bind_codes(nb::module_& module) {
  module.def(
      "count_levels",
      [](const Codes& codes) {
        return to_numpy(without_gil([&] { return count_levels(as_view(codes)); }));
      },
      "codes"_a.noconvert(), "Largest code + 1 of every column.");

  module.def(
      "class_entropies",
      [](const Codes& codes, const Vector<std::int32_t>& classes,
         std::int32_t n_classes, const std::optional<Vector<double>>& weights,
         Missing missing) {
        std::vector<double> rows;
        {
          nb::gil_scoped_release release;
          const auto n = static_cast<std::size_t>(n_classes);
          rows.reserve(columns_of(as_view(codes)) * kFields);
          if (weights) {
            visit_weights(
                as_view(codes), as_span(classes), n_classes, {}, as_span(*weights),
                [&](std::size_t, std::int32_t, std::span<const double> cells) {
                  append(table_entropies(cells, n, missing), rows);
                });
          } else {
            const LogTable logs(rows_of(as_view(codes)));
            visit_counts(
                as_view(codes), as_span(classes), n_classes, {},
                [&](std::size_t, std::int32_t, std::span<const std::int64_t> cells) {
                  append(table_entropies(cells, n, missing, logs), rows);
                });
          }
        }
        return to_numpy(std::move(rows), {columns_of(as_view(codes)), kFields});
      },
      "codes"_a.noconvert(), "classes"_a.noconvert(), "n_classes"_a,
      "weights"_a.noconvert().none(), "missing"_a,
      "Per column: total, known, H(x), H(y), H(x, y), levels, classes, cells.");

  module.def(
      "class_tables",
      [](const Codes& codes, const Vector<std::int32_t>& classes,
         std::int32_t n_classes, const Vector<std::int32_t>& levels) {
        return to_numpy(without_gil([&] {
          return count_by_class(as_view(codes), as_span(classes), n_classes,
                                as_span(levels));
        }));
      },
      "codes"_a.noconvert(), "classes"_a.noconvert(), "n_classes"_a,
      "levels"_a.noconvert(),
      "The tables of all columns, flat: (levels + 1) × classes each, the last row of "
      "each for missing values.");
}

}  // namespace

void bind_measures(nb::module_& module) {
  nb::enum_<Missing>(module, "Missing", "What becomes of rows with a missing value.")
      .value("LEVEL", Missing::kLevel)
      .value("IGNORE", Missing::kIgnore)
      .value("SPREAD", Missing::kSpread);
  nb::enum_<Measure>(module, "Measure", "What is computed from a table.")
      .value("INFORMATION_GAIN", Measure::kInformationGain)
      .value("GAIN_RATIO", Measure::kGainRatio)
      .value("SYMMETRICAL_UNCERTAINTY", Measure::kSymmetricalUncertainty);

  bind_codes(module);

  module.def(
      "expected_information",
      [](const Vector<std::int64_t>& rows, const Vector<std::int64_t>& columns) {
        nb::gil_scoped_release release;
        return expected_information(as_span(rows), as_span(columns));
      },
      "row_totals"_a.noconvert(), "column_totals"_a.noconvert(),
      "Mean mutual information, in bits, over all tables with these margins.");

  module.def(
      "table_null",
      [](const Vector<std::int64_t>& levels, const Vector<std::int64_t>& classes,
         const Vector<double>& observed, Measure measure, Missing missing,
         std::int64_t max_draws, std::int64_t stop_after, std::uint64_t seed) {
        std::vector<Exceedances> results;
        {
          nb::gil_scoped_release release;
          results = table_null(as_span(levels), as_span(classes), as_span(observed),
                               {measure, missing}, {max_draws, stop_after}, seed);
        }
        return to_rows(results);
      },
      "level_totals"_a.noconvert(), "class_totals"_a.noconvert(),
      "observed"_a.noconvert(), "measure"_a, "missing"_a, "max_draws"_a, "stop_after"_a,
      "seed"_a,
      "Per observed score: permutations that reached it, permutations drawn.");

  module.def(
      "mdl_null",
      [](const Vector<std::int64_t>& runs, std::int64_t n_missing,
         const Vector<std::int64_t>& classes, const Vector<double>& observed,
         CutPrice price, Measure measure, Missing missing, std::int64_t max_draws,
         std::int64_t stop_after, std::uint64_t seed) {
        std::vector<Exceedances> results;
        {
          nb::gil_scoped_release release;
          results =
              mdl_null(as_span(runs), n_missing, as_span(classes), as_span(observed),
                       price, {measure, missing}, {max_draws, stop_after}, seed);
        }
        return to_rows(results);
      },
      "runs"_a.noconvert(), "n_missing"_a, "class_totals"_a.noconvert(),
      "observed"_a.noconvert(), "price"_a, "measure"_a, "missing"_a, "max_draws"_a,
      "stop_after"_a, "seed"_a,
      "Per observed score: permutations that reached it, permutations drawn.");

  module.def(
      "mdl_null_together",
      [](const std::vector<Vector<std::int64_t>>& runs,
         const std::vector<Vector<double>>& observed,
         const Vector<std::int64_t>& classes, CutPrice price, Measure measure,
         Missing missing, std::int64_t max_draws, std::int64_t stop_after,
         std::uint64_t seed) {
        if (runs.size() != observed.size())
          throw std::invalid_argument("scores are needed for every feature");
        std::vector<TiedScores> features;
        for (std::size_t f = 0; f < runs.size(); ++f)
          features.push_back({as_span(runs[f]), as_span(observed[f])});
        std::vector<Exceedances> results;
        {
          nb::gil_scoped_release release;
          results =
              mdl_null_together(features, as_span(classes), price, {measure, missing},
                                {max_draws, stop_after}, seed);
        }
        return to_rows(results);
      },
      "runs"_a, "observed"_a, "class_totals"_a.noconvert(), "price"_a, "measure"_a,
      "missing"_a, "max_draws"_a, "stop_after"_a, "seed"_a,
      "mdl_null of many features on the same permutations; results one after another.");
}

}  // namespace featsieve::bindings
