#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "bindings.hpp"
#include "numpy_views.hpp"
#include "text/column_passes.hpp"
#include "text/text_coder.hpp"

namespace featsieve::bindings {

void bind_files(nb::module_& module) {
  nb::class_<TextCoder>(module, "TextCoder",
                        "Numbers texts of Arrow columns in order of appearance; -1 for "
                        "missing ones.")
      .def(nb::init<>())
      .def(
          "code_offsets",
          [](TextCoder& coder, Span<std::int64_t> offsets, Span<std::uint8_t> text,
             std::optional<Span<std::uint8_t>> validity, std::size_t offset,
             std::span<std::int32_t> codes) {
            const std::size_t n_held = offsets.empty() ? 0 : offsets.size() - 1;
            const std::size_t end = offset + codes.size();
            if (end < offset || end > n_held ||
                (validity && (end + 7) / 8 > validity->size()))
              throw std::invalid_argument("the buffers of a column are too short");
            coder.code({offset,
                        validity ? validity->data() : nullptr,
                        offsets.data(),
                        {reinterpret_cast<const char*>(text.data()), text.size()}},
                       codes);
          },
          kNoGil, "offsets"_a, "text"_a, "validity"_a.none(), "offset"_a, "codes"_a,
          "Write the codes of a column of large strings.")
      .def_prop_ro("levels", &TextCoder::levels, "The texts, by code.");

  module.def("recode_levels", &recode_levels, kNoGil, "codes"_a, "table"_a, "out"_a,
             "used"_a,
             "Write table[code + 1] to `out`, which may be `codes`, and mark by code "
             "+ 1 which levels occur.");
  module.def("greatest_size", &greatest_size, kNoGil, "values"_a,
             "The greatest distance from zero, NaN left out; 0 if there is no value.");
  module.def("whole_to_double", &whole_to_double, kNoGil, "values"_a,
             "Turn whole numbers into doubles where they stand; return the greatest "
             "distance from zero.");
}

}  // namespace featsieve::bindings
