#include <nanobind/stl/vector.h>

#include <optional>

#include "bindings.hpp"
#include "numpy_views.hpp"
#include "pairs/level_pairs.hpp"
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
           "Mean rank of each row's value, from 1; NaN if missing.");

  module.def(
      "encode_few_levels",
      [](Span<double> values,
         int most) -> std::optional<nb::ndarray<nb::numpy, std::uint8_t>> {
        std::vector<std::uint8_t> codes;
        if (without_gil([&] { return encode_few_levels(values, most, 255, codes); }) <
            0)
          return std::nullopt;
        return to_numpy(std::move(codes));
      },
      "values"_a, "most"_a,
      "Codes by ascending value, 255 for NaN; None if there are more than `most`.");
}

void bind_concordance(nb::module_& module) {
  nb::enum_<ConcordanceMeasure>(module, "ConcordanceMeasure",
                                "What is made of concordant and discordant pairs.")
      .value("TAU_B", ConcordanceMeasure::kTauB)
      .value("GAMMA", ConcordanceMeasure::kGamma);

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
      "concordance_row",
      [](const RankedColumn& first, const std::vector<const RankedColumn*>& others,
         ConcordanceMeasure measure, std::int64_t min_untied) {
        std::vector<double> values;
        without_gil([&] {
          ConcordanceCounter counter;
          for (const RankedColumn* other : others)
            values.push_back(
                measure_of(counter.count(first, *other), measure, min_untied));
        });
        return to_numpy(std::move(values));
      },
      "first"_a, "others"_a, "measure"_a, "min_untied"_a = 1,
      "The measure of one column with each of the others.");

  module.def(
      "class_concordance",
      [](const RankedColumn& column, Span<std::int32_t> classes,
         std::int32_t n_classes) {
        const auto counts =
            without_gil([&] { return count_by_class(column, classes, n_classes); });
        std::vector<std::int64_t> rows;
        for (std::size_t c = 0; c < counts.sizes.size(); ++c)
          rows.insert(rows.end(),
                      {counts.sizes[c], counts.concordant[c], counts.discordant[c]});
        return to_numpy(std::move(rows), {static_cast<std::size_t>(n_classes), 3});
      },
      "column"_a, "classes"_a, "n_classes"_a,
      "Of each class against the rest: its known rows, concordant, discordant pairs.");
}

}  // namespace

void bind_associations(nb::module_& module) {
  bind_ranked_column(module);
  bind_concordance(module);
  nb::enum_<PairMeasure>(module, "PairMeasure",
                         "What is made of the table of two coded columns.")
      .value("SYMMETRICAL_UNCERTAINTY", PairMeasure::kSymmetricalUncertainty)
      .value("TAU_B", PairMeasure::kTauB)
      .value("GAMMA", PairMeasure::kGamma);
  nb::class_<LevelPairs>(module, "LevelPairs",
                         "Association of all pairs of coded columns.")
      .def(nb::init<const CodeMatrix&, PairMeasure, Missing, std::int64_t, Path>(),
           kNoGil, "codes"_a, "measure"_a, "missing"_a, "min_untied"_a = 1,
           "instructions"_a = nb::none(), "Encode the codes for scanning.")
      .def_prop_ro("n_features", &LevelPairs::n_features, "The number of columns.")
      .def(
          "scan",
          [](const LevelPairs& self, std::size_t begin, std::size_t end) {
            std::vector<double> values(self.n_pairs(begin, end));
            without_gil([&] { self.scan(begin, end, values); });
            return to_numpy(std::move(values));
          },
          "begin"_a, "end"_a,
          "The measure of all pairs (i, j), begin <= i < end and i < j, in order.")
      .def(
          "row",
          [](const LevelPairs& self, std::size_t i) {
            std::vector<double> values(self.n_features());
            without_gil([&] { self.row(i, values); });
            return to_numpy(std::move(values));
          },
          "i"_a, "The measure of column i with every column.");
}

}  // namespace featsieve::bindings
