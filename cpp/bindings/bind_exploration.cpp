#include <nanobind/stl/optional.h>

#include <optional>
#include <utility>

#include "bindings.hpp"
#include "forests/exploration.hpp"
#include "numpy_views.hpp"
#include "tree_arrays.hpp"

namespace featsieve::bindings {

void bind_exploration(nb::module_& module) {
  nb::class_<Exploration>(module, "Exploration",
                          "Shallow random trees that ask every feature at every node.")
      .def(
          "__init__",
          [](Exploration* self, const Codes& codes, const Vector<std::int32_t>& classes,
             std::int32_t n_classes, const Vector<std::uint8_t>& is_nominal,
             std::optional<Instructions> instructions) {
            const nb::gil_scoped_release release;
            new (self) Exploration(as_view(codes), as_span(classes), n_classes,
                                   as_span(is_nominal),
                                   instructions ? *instructions : best_instructions());
          },
          "codes"_a.noconvert(), "classes"_a.noconvert(), "n_classes"_a,
          "is_nominal"_a.noconvert(), "instructions"_a = nb::none())
      .def(
          "grow",
          [](const Exploration& self, const Vector<std::uint32_t>& roots,
             const Vector<std::uint64_t>& seeds, const Vector<double>& chances,
             std::size_t depth, std::size_t least_rows) -> Arrays {
            auto sums = without_gil([&] {
              return self.grow(as_span(roots), as_span(seeds), as_span(chances),
                               {depth, least_rows});
            });
            Arrays arrays;
            arrays["surprise"] =
                to_numpy(std::move(sums.surprise), {depth, self.n_features()});
            arrays["n_nodes"] = to_numpy(std::move(sums.n_nodes));
            return arrays;
          },
          "roots"_a.noconvert(), "seeds"_a.noconvert(), "chances"_a.noconvert(),
          "depth"_a, "least_rows"_a,
          "Sums of the surprise of every feature over the nodes of each level, and the "
          "numbers of these nodes.");
}

}  // namespace featsieve::bindings
