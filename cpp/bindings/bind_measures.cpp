#include "bindings.hpp"
#include "featsieve/contingency.hpp"
#include "numpy_views.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace featsieve;
using namespace featsieve::bindings;

namespace {

template <class Code>
void bind_for_codes(nb::module_& module) {
  module.def(
      "count_levels",
      [](const Matrix<Code>& codes) {
        std::vector<std::int32_t> levels;
        {
          nb::gil_scoped_release release;
          levels = count_levels(as_view(codes));
        }
        return to_numpy(std::move(levels));
      },
      "codes"_a.noconvert(), "Largest code + 1 of every column.");
}

}  // namespace

void bind_measures(nb::module_& module) {
  bind_for_codes<std::uint8_t>(module);
  bind_for_codes<std::uint16_t>(module);
  bind_for_codes<std::int32_t>(module);
}
