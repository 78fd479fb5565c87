#pragma once

#include "featsieve/counting.hpp"
#include "featsieve/instructions.hpp"
#include "numpy_views.hpp"

namespace featsieve::bindings {

/// Of a scanner that counts with planes.
template <class Scanner>
void bind_plane_constructor(nb::class_<Scanner>& scanner) {
  scanner.def(
      "__init__",
      [](Scanner* self, const Codes& codes, const Vector<std::int32_t>& classes,
         std::int32_t n_classes, Missing missing,
         std::optional<Instructions> instructions,
         const std::optional<Vector<double>>& weights) {
        nb::gil_scoped_release release;
        new (self) Scanner(as_view(codes), as_span(classes), n_classes, missing,
                           instructions ? *instructions : best_instructions(),
                           optional_span(weights));
      },
      "codes"_a.noconvert(), "classes"_a.noconvert(), "n_classes"_a, "missing"_a,
      "instructions"_a = nb::none(), "weights"_a.noconvert() = nb::none(),
      "Encode the codes for scanning; a new permutation of the classes is a new "
      "scanner, which costs O(n p), far less than a scan.");
}

}  // namespace featsieve::bindings
