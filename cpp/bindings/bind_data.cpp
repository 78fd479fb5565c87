#include <nanobind/stl/optional.h>

#include <optional>

#include "bindings.hpp"
#include "counting/encode.hpp"
#include "cuts/mdl.hpp"
#include "numpy_views.hpp"

namespace featsieve::bindings {

namespace {

template <class Value>
void bind_encode_bytes(nb::module_& module) {
  module.def(
      "encode_bytes",
      [](const Matrix<Value>& values)
          -> std::optional<nb::ndarray<nb::numpy, std::uint8_t>> {
        std::vector<std::uint8_t> codes;
        bool good = false;
        {
          nb::gil_scoped_release release;
          good = encode_bytes(as_view(values), codes);
        }
        if (!good) return std::nullopt;
        return to_numpy(std::move(codes), {values.shape(1), values.shape(0)});
      },
      "values"_a.noconvert(),
      "Whole numbers 0..255 as bytes, one row of the result per column of the input; "
      "None if any value is something else.");
}

}  // namespace

void bind_data(nb::module_& module) {
  nb::enum_<CutPrice>(module, "CutPrice", "How the price of a cut is reckoned.")
      .value("FAYYAD_IRANI", CutPrice::kFayyadIrani)
      .value("BETTER", CutPrice::kBetter)
      .value("KONONENKO", CutPrice::kKononenko);

  module.def(
      "mdl_cuts",
      [](const Vector<double>& values, const Vector<std::int32_t>& classes,
         std::int32_t n_classes, const std::optional<Vector<double>>& weights,
         CutPrice price) {
        return to_numpy(without_gil([&] {
          return mdl_cuts(as_span(values), as_span(classes), n_classes,
                          optional_span(weights), price);
        }));
      },
      "values"_a.noconvert(), "classes"_a.noconvert(), "n_classes"_a,
      "weights"_a.noconvert().none(), "price"_a,
      "Ascending cut points of one numeric column.");

  module.def(
      "tie_runs",
      [](const Vector<double>& values) {
        return to_numpy(without_gil([&] { return tie_runs(as_span(values)); }));
      },
      "values"_a.noconvert(), "Lengths of the runs of equal values, ascending.");

  module.def(
      "apply_cuts",
      [](const Vector<double>& values, const Vector<double>& cuts) {
        return to_numpy(
            without_gil([&] { return apply_cuts(as_span(values), as_span(cuts)); }));
      },
      "values"_a.noconvert(), "cuts"_a.noconvert(),
      "Number of cuts below each value; -1 for NaN.");

  bind_encode_bytes<double>(module);
  bind_encode_bytes<float>(module);
  bind_encode_bytes<std::int64_t>(module);
  bind_encode_bytes<std::int32_t>(module);
}

}  // namespace featsieve::bindings
