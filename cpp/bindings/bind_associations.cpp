#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "numpy_views.hpp"
#include "pairs/pair_association.hpp"
#include "ranks/concordance.hpp"
#include "ranks/ranked_column.hpp"

namespace featsieve::bindings {

namespace {

constexpr std::size_t kCounts = 6;

void append(const Concordance& counts, std::vector<std::int64_t>& rows) {
  rows.insert(rows.end(), {counts.rows, counts.concordant, counts.discordant,
                           counts.tied_first, counts.tied_second, counts.tied_both});
}

void bind_ranked_column(nb::module_& module) {
  nb::class_<RankedColumn>(module, "RankedColumn",
                           "A numeric column sorted once, for statistics of order.")
      .def(nb::init<Span<double>>(), kNoGil, "values"_a, "Sort; NaN is missing.")
      .def_prop_ro("n_rows", &RankedColumn::n_rows, "Rows, missing ones too.")
      .def_prop_ro("n_known", &RankedColumn::n_known, "Rows that are not missing.")
      .def_prop_ro("n_levels", &RankedColumn::n_levels, "Different values.")
      .def_prop_ro("tied_pairs", &RankedColumn::tied_pairs,
                   "Pairs of known rows with the same value.")
      .def("mid_ranks", as_numpy(&RankedColumn::mid_ranks),
           "Mean rank of each row's value, from 1; NaN if missing.")
      .def("codes", as_numpy(&RankedColumn::codes),
           "Number of each row's value among the different ones; -1 if missing.");
}

void bind_concordance(nb::module_& module) {
  module.def(
      "concordance_counts",
      [](const std::vector<const RankedColumn*>& first,
         const std::vector<const RankedColumn*>& second) {
        if (first.size() != second.size())
          throw std::invalid_argument("as many first as second columns are needed");
        std::vector<std::int64_t> rows;
        without_gil([&] {
          ConcordanceCounter counter;
          for (std::size_t k = 0; k < first.size(); ++k)
            append(counter.count(*first[k], *second[k]), rows);
        });
        return to_numpy(std::move(rows), {first.size(), kCounts});
      },
      "first"_a, "second"_a,
      "Of each two columns: rows, concordant, discordant, tied in the first only, in "
      "the second only, in both.");

  module.def(
      "class_concordance",
      [](const RankedColumn& column, Span<std::int32_t> classes,
         std::int32_t n_classes) {
        std::vector<std::int64_t> rows;
        for (const Concordance& counts :
             without_gil([&] { return count_by_class(column, classes, n_classes); }))
          append(counts, rows);
        return to_numpy(std::move(rows),
                        {static_cast<std::size_t>(n_classes), kCounts});
      },
      "column"_a, "classes"_a, "n_classes"_a,
      "The same of each class against the rest.");
}

}  // namespace

void bind_associations(nb::module_& module) {
  bind_ranked_column(module);
  bind_concordance(module);
  nb::enum_<PairMeasure>(module, "PairMeasure",
                         "What is made of the table of two coded columns.")
      .value("MUTUAL_INFORMATION", PairMeasure::kMutualInformation)
      .value("SYMMETRICAL_UNCERTAINTY", PairMeasure::kSymmetricalUncertainty)
      .value("TAU_B", PairMeasure::kTauB)
      .value("GAMMA", PairMeasure::kGamma);
  nb::class_<AssociationScanner>(module, "AssociationScanner",
                                 "Association of pairs of coded columns.")
      .def(nb::init<const CodeMatrix&, Maybe<std::int32_t>, Missing, Path,
                    Maybe<double>, std::int64_t>(),
           kNoGil, "codes"_a, "classes"_a.none(), "missing"_a,
           "instructions"_a = nb::none(), "weights"_a = nb::none(), "min_untied"_a = 1,
           "Encode the codes for scanning.")
      .def_prop_ro("n_features", &AssociationScanner::n_features,
                   "The number of features, the class not counted.")
      .def("row", as_numpy(&AssociationScanner::row), "column"_a, "measure"_a,
           "One column (the class is number n_features) against every feature.")
      .def("fill", &AssociationScanner::fill, kNoGil, "begin"_a, "end"_a, "measure"_a,
           "matrix"_a, "Write entries (i, j) and (j, i), begin <= i < end and i <= j.");
}

}  // namespace featsieve::bindings
