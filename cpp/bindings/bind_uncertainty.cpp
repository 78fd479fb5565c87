#include "bindings.hpp"
#include "numpy_views.hpp"
#include "pairs/pair_uncertainty.hpp"

namespace featsieve::bindings {

void bind_uncertainty(nb::module_& module) {
  nb::class_<UncertaintyScanner>(
      module, "UncertaintyScanner",
      "Mutual information and symmetrical uncertainty of pairs of columns.")
      .def(nb::init<const CodeMatrix&, Span<std::int32_t>, Missing, Path,
                    Maybe<double>>(),
           kNoGil, "codes"_a, "classes"_a, "missing"_a, "instructions"_a = nb::none(),
           "weights"_a = nb::none(), "Encode the codes for scanning.")
      .def_prop_ro("n_features", &UncertaintyScanner::n_features,
                   "The number of features, the class not counted.")
      .def("row", as_numpy(&UncertaintyScanner::row), "column"_a, "measure"_a,
           "One column (the class is number n_features) against every feature.")
      .def("fill", &UncertaintyScanner::fill, kNoGil, "begin"_a, "end"_a, "measure"_a,
           "matrix"_a, "Write entries (i, j) and (j, i), begin <= i < end and i <= j.");
}

}  // namespace featsieve::bindings
