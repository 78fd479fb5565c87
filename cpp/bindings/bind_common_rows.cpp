#include <nanobind/stl/optional.h>

#include <optional>
#include <utility>

#include "bindings.hpp"
#include "featsieve/common_rows.hpp"
#include "numpy_views.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace featsieve;
using namespace featsieve::bindings;

namespace {

using Flags = nb::ndarray<const std::uint8_t, nb::numpy, nb::ndim<2>, nb::c_contig,
                          nb::device::cpu>;

}  // namespace

void bind_common_rows(nb::module_& module) {
  nb::class_<CommonRows>(module, "CommonRows",
                         "Rows that any two of many sets of rows have in common.")
      .def(
          "__init__",
          [](CommonRows* self, const Flags& flags,
             std::optional<Instructions> instructions) {
            nb::gil_scoped_release release;
            new (self)
                CommonRows({flags.data(), flags.size()}, flags.shape(0), flags.shape(1),
                           instructions.value_or(best_instructions()));
          },
          "flags"_a.noconvert(), "instructions"_a = nb::none(),
          "One row of bytes per set: 1 where a row is in it.")
      .def_prop_ro("n_sets", &CommonRows::n_sets)
      .def_prop_ro("n_blocks", &CommonRows::n_blocks)
      .def_prop_ro_static("block", [](nb::handle) { return CommonRows::kBlock; })
      .def(
          "count",
          [](const CommonRows& self, std::size_t block) {
            std::vector<std::uint32_t> counts;
            {
              nb::gil_scoped_release release;
              counts = self.count(block);
            }
            const std::size_t size = self.block_size(block);
            const std::size_t width = self.n_sets() - block * CommonRows::kBlock;
            return to_numpy(std::move(counts), {size, width});
          },
          "block"_a, "The sets of a block against all from its first one on.");
}
