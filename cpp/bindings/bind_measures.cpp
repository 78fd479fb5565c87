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

/// What a null found, as rows of two numbers.
template <class Null>
nb::ndarray<nb::numpy, std::int64_t> as_rows(const Null& null) {
  std::vector<std::int64_t> rows;
  for (const Exceedances& result : without_gil(null))
    rows.insert(rows.end(), {result.at_least, result.draws});
  const std::size_t n_rows = rows.size() / 2;
  return to_numpy(std::move(rows), {n_rows, 2});
}

auto class_entropies(const CodeMatrix& codes, Span<std::int32_t> classes,
                     std::int32_t n_classes, std::optional<Span<double>> weights,
                     Missing missing) {
  std::vector<double> rows;
  rows.reserve(columns_of(codes) * kFields);
  without_gil([&] {
    const auto n = static_cast<std::size_t>(n_classes);
    if (weights)
      return visit_weights(codes, classes, n_classes, {}, *weights,
                           [&](std::size_t, std::int32_t, Span<double> cells) {
                             append(table_entropies(cells, n, missing), rows);
                           });
    const LogTable logs(rows_of(codes));
    visit_counts(codes, classes, n_classes, {},
                 [&](std::size_t, std::int32_t, Span<std::int64_t> cells) {
                   append(table_entropies(cells, n, missing, logs), rows);
                 });
  });
  return to_numpy(std::move(rows), {columns_of(codes), kFields});
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

  module.def("class_entropies", &class_entropies, "codes"_a, "classes"_a, "n_classes"_a,
             "weights"_a.none(), "missing"_a,
             "Per column: total, known, H(x), H(y), H(x, y), levels, classes, cells.");
  module.def("class_tables", as_numpy(&count_by_class), "codes"_a, "classes"_a,
             "n_classes"_a, "levels"_a,
             "The tables of all columns, flat: (levels + 1) × classes each, the last "
             "row of each for missing values.");
  module.def("expected_information", &expected_information, kNoGil, "row_totals"_a,
             "column_totals"_a,
             "Mean mutual information, in bits, over all tables with these margins.");

  module.def(
      "table_null",
      [](Span<std::int64_t> levels, Span<std::int64_t> classes, Span<double> observed,
         Measure measure, Missing missing, std::int64_t max_draws,
         std::int64_t stop_after, std::uint64_t seed) {
        return as_rows([&] {
          return table_null(levels, classes, observed, {measure, missing},
                            {max_draws, stop_after}, seed);
        });
      },
      "level_totals"_a, "class_totals"_a, "observed"_a, "measure"_a, "missing"_a,
      "max_draws"_a, "stop_after"_a, "seed"_a,
      "Per observed score: permutations that reached it, permutations drawn.");

  module.def(
      "mdl_null",
      [](Span<std::int64_t> runs, std::int64_t n_missing, Span<std::int64_t> classes,
         Span<double> observed, CutPrice price, Measure measure, Missing missing,
         std::int64_t max_draws, std::int64_t stop_after, std::uint64_t seed) {
        return as_rows([&] {
          return mdl_null(runs, n_missing, classes, observed, price, {measure, missing},
                          {max_draws, stop_after}, seed);
        });
      },
      "runs"_a, "n_missing"_a, "class_totals"_a, "observed"_a, "price"_a, "measure"_a,
      "missing"_a, "max_draws"_a, "stop_after"_a, "seed"_a,
      "Per observed score: permutations that reached it, permutations drawn.");

  module.def(
      "mdl_null_together",
      [](const std::vector<Vector<std::int64_t>>& runs,
         const std::vector<Vector<double>>& observed, Span<std::int64_t> classes,
         CutPrice price, Measure measure, Missing missing, std::int64_t max_draws,
         std::int64_t stop_after, std::uint64_t seed) {
        if (runs.size() != observed.size())
          throw std::invalid_argument("scores are needed for every feature");
        std::vector<TiedScores> features;
        for (std::size_t f = 0; f < runs.size(); ++f)
          features.push_back({all_of(runs[f]), all_of(observed[f])});
        return as_rows([&] {
          return mdl_null_together(features, classes, price, {measure, missing},
                                   {max_draws, stop_after}, seed);
        });
      },
      "runs"_a, "observed"_a, "class_totals"_a, "price"_a, "measure"_a, "missing"_a,
      "max_draws"_a, "stop_after"_a, "seed"_a,
      "mdl_null of many features on the same permutations; results one after another.");
}

}  // namespace featsieve::bindings
