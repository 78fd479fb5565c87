#pragma once

#include <nanobind/stl/optional.h>

#include <optional>

#include "featsieve/missing.hpp"
#include "featsieve/popcount.hpp"
#include "numpy_views.hpp"

namespace featsieve::bindings {

using namespace nb::literals;

/// Of a scanner that counts with planes.
template <class Code, class Scanner>
void bind_plane_constructor(nb::class_<Scanner>& scanner) {
  scanner.def(
      "__init__",
      [](Scanner* self, const Matrix<Code>& codes, const Vector<std::int32_t>& classes,
         std::int32_t n_classes, Missing missing,
         std::optional<Instructions> instructions,
         const std::optional<Vector<double>>& weights) {
        const auto view = as_view(codes);
        const std::span<const double> row_weights =
            weights ? as_span(*weights) : std::span<const double>();
        nb::gil_scoped_release release;
        new (self) Scanner(view, as_span(classes), n_classes, missing,
                           instructions.value_or(best_instructions()), row_weights);
      },
      "codes"_a.noconvert(), "classes"_a.noconvert(), "n_classes"_a, "missing"_a,
      "instructions"_a = nb::none(), "weights"_a.noconvert() = nb::none(),
      "Encode the codes for scanning; a new permutation of the classes is a new "
      "scanner, which costs O(n p), far less than a scan.");
}

}  // namespace featsieve::bindings
