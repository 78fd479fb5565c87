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
      [](const MatrixView<Value>& values)
          -> std::optional<nb::ndarray<nb::numpy, std::uint8_t>> {
        std::vector<std::uint8_t> codes;
        if (!without_gil([&] { return encode_bytes(values, codes); }))
          return std::nullopt;
        return to_numpy(std::move(codes), {values.n_columns, values.n_rows});
      },
      "values"_a,
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
      [](Span<double> values, Span<std::int32_t> classes, std::int32_t n_classes,
         Maybe<double> weights, CutPrice price) {
        return to_numpy(without_gil(
            [&] { return mdl_cuts(values, classes, n_classes, weights, price); }));
      },
      "values"_a, "classes"_a, "n_classes"_a, "weights"_a.none(), "price"_a,
      "Ascending cut points of one numeric column.");
  module.def("tie_runs", as_numpy(&tie_runs), "values"_a,
             "Lengths of the runs of equal values, ascending.");
  module.def("apply_cuts", as_numpy(&apply_cuts), "values"_a, "cuts"_a,
             "Number of cuts below each value; -1 for NaN.");

  bind_encode_bytes<double>(module);
  bind_encode_bytes<float>(module);
  bind_encode_bytes<std::int64_t>(module);
  bind_encode_bytes<std::int32_t>(module);
}

}  // namespace featsieve::bindings
