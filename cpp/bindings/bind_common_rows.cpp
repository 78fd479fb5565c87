#include <utility>

#include "bindings.hpp"
#include "numpy_views.hpp"
#include "pairs/common_rows.hpp"

namespace featsieve::bindings {

void bind_common_rows(nb::module_& module) {
  nb::class_<CommonRows>(module, "CommonRows",
                         "Rows that any two of many sets of rows have in common.")
      .def(
          "__init__",
          [](CommonRows* self, const RowMajor<std::uint8_t>& flags, Path path) {
            nb::gil_scoped_release release;
            new (self) CommonRows(all_of(flags), flags.shape(0), flags.shape(1), path);
          },
          "flags"_a.noconvert(), "instructions"_a = nb::none(),
          "One row of bytes per set: 1 where a row is in it.")
      .def_prop_ro("n_blocks", &CommonRows::n_blocks)
      .def_prop_ro_static("block", [](nb::handle) { return CommonRows::kBlock; })
      .def(
          "count",
          [](const CommonRows& self, std::size_t block) {
            const std::size_t size = self.block_size(block);
            const std::size_t width = self.n_sets() - block * CommonRows::kBlock;
            return to_numpy(without_gil([&] { return self.count(block); }),
                            {size, width});
          },
          "block"_a, "The sets of a block against all from its first one on.");
}

}  // namespace featsieve::bindings
