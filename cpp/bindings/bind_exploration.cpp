#include <utility>

#include "bindings.hpp"
#include "forests/exploration.hpp"
#include "numpy_views.hpp"
#include "tree_arrays.hpp"

namespace featsieve::bindings {

void bind_exploration(nb::module_& module) {
  nb::class_<Exploration>(module, "Exploration",
                          "Shallow random trees that ask every feature at every node.")
      .def(nb::init<const CodeMatrix&, Span<std::int32_t>, std::int32_t,
                    Span<std::uint8_t>, Path>(),
           "codes"_a, "classes"_a, "n_classes"_a, "is_nominal"_a,
           "instructions"_a = nb::none(), kNoGil)
      .def(
          "grow",
          [](const Exploration& self, Span<std::uint32_t> roots,
             Span<std::uint64_t> seeds, Span<double> chances, std::size_t depth,
             std::size_t least_rows) -> Arrays {
            auto sums = without_gil(
                [&] { return self.grow(roots, seeds, chances, {depth, least_rows}); });
            Arrays arrays;
            arrays["surprise"] =
                to_numpy(std::move(sums.surprise), {depth, self.n_features()});
            arrays["n_nodes"] = to_numpy(std::move(sums.n_nodes));
            return arrays;
          },
          "roots"_a, "seeds"_a, "chances"_a, "depth"_a, "least_rows"_a,
          "Sums of the surprise of every feature over the nodes of each level, and the "
          "numbers of these nodes.");
}

}  // namespace featsieve::bindings
