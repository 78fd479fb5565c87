#include <nanobind/stl/optional.h>

#include <optional>

#include "bindings.hpp"
#include "featsieve/pair_uncertainty.hpp"
#include "numpy_views.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace featsieve;
using namespace featsieve::bindings;

namespace {

template <class Code>
void bind_constructor(nb::class_<UncertaintyScanner>& scanner) {
  scanner.def(
      "__init__",
      [](UncertaintyScanner* self, const Matrix<Code>& codes,
         const Vector<std::int32_t>& classes, Missing missing,
         std::optional<Instructions> instructions,
         const std::optional<Vector<double>>& weights) {
        const auto view = as_view(codes);
        const std::span<const double> row_weights =
            weights ? as_span(*weights) : std::span<const double>();
        nb::gil_scoped_release release;
        new (self)
            UncertaintyScanner(view, as_span(classes), missing,
                               instructions.value_or(best_instructions()), row_weights);
      },
      "codes"_a.noconvert(), "classes"_a.noconvert(), "missing"_a,
      "instructions"_a = nb::none(), "weights"_a.noconvert() = nb::none(),
      "Encode the codes for scanning.");
}

using SquareOutput =
    nb::ndarray<double, nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

}  // namespace

void bind_uncertainty(nb::module_& module) {
  nb::class_<UncertaintyScanner> scanner(
      module, "UncertaintyScanner",
      "Mutual information and symmetrical uncertainty of pairs of columns.");
  bind_constructor<std::uint8_t>(scanner);
  bind_constructor<std::uint16_t>(scanner);
  bind_constructor<std::int32_t>(scanner);
  scanner
      .def_prop_ro("n_features", &UncertaintyScanner::n_features,
                   "The number of features, the class not counted.")
      .def(
          "row",
          [](const UncertaintyScanner& self, std::size_t column, Measure measure) {
            std::vector<double> values;
            {
              nb::gil_scoped_release release;
              values = self.row(column, measure);
            }
            return to_numpy(std::move(values));
          },
          "column"_a, "measure"_a,
          "One column (the class is number n_features) against every feature.")
      .def(
          "fill",
          [](const UncertaintyScanner& self, std::size_t begin, std::size_t end,
             Measure measure, const SquareOutput& matrix) {
            const std::span<double> out(matrix.data(), matrix.size());
            nb::gil_scoped_release release;
            self.fill(begin, end, measure, out);
          },
          "begin"_a, "end"_a, "measure"_a, "matrix"_a.noconvert(),
          "Write entries (i, j) and (j, i), begin <= i < end and i <= j.");
}
