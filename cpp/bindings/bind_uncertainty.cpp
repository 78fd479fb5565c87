#include <nanobind/stl/optional.h>

#include <optional>

#include "bindings.hpp"
#include "numpy_views.hpp"
#include "pairs/pair_uncertainty.hpp"

namespace featsieve::bindings {

void bind_uncertainty(nb::module_& module) {
  nb::class_<UncertaintyScanner>(
      module, "UncertaintyScanner",
      "Mutual information and symmetrical uncertainty of pairs of columns.")
      .def(
          "__init__",
          [](UncertaintyScanner* self, const Codes& codes,
             const Vector<std::int32_t>& classes, Missing missing,
             std::optional<Instructions> instructions,
             const std::optional<Vector<double>>& weights) {
            nb::gil_scoped_release release;
            new (self)
                UncertaintyScanner(as_view(codes), as_span(classes), missing,
                                   instructions ? *instructions : best_instructions(),
                                   optional_span(weights));
          },
          "codes"_a.noconvert(), "classes"_a.noconvert(), "missing"_a,
          "instructions"_a = nb::none(), "weights"_a.noconvert() = nb::none(),
          "Encode the codes for scanning.")
      .def_prop_ro("n_features", &UncertaintyScanner::n_features,
                   "The number of features, the class not counted.")
      .def(
          "row",
          [](const UncertaintyScanner& self, std::size_t column, Measure measure) {
            return to_numpy(without_gil([&] { return self.row(column, measure); }));
          },
          "column"_a, "measure"_a,
          "One column (the class is number n_features) against every feature.")
      .def(
          "fill",
          [](const UncertaintyScanner& self, std::size_t begin, std::size_t end,
             Measure measure, const Written<double, 2>& matrix) {
            nb::gil_scoped_release release;
            self.fill(begin, end, measure, all_of(matrix));
          },
          "begin"_a, "end"_a, "measure"_a, "matrix"_a.noconvert(),
          "Write entries (i, j) and (j, i), begin <= i < end and i <= j.");
}

}  // namespace featsieve::bindings
