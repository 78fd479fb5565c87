#include <nanobind/stl/optional.h>
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

namespace {

using Bytes = Vector<std::uint8_t>;
using CodesOut = Written<std::int32_t>;

void bind_text_coder(nb::module_& module) {
  nb::class_<TextCoder>(module, "TextCoder",
                        "Numbers texts of Arrow columns in order of appearance; -1 for "
                        "missing ones.")
      .def(nb::init<>())
      .def(
          "code_offsets",
          [](TextCoder& coder, const Vector<std::int64_t>& offsets, const Bytes& text,
             const std::optional<Bytes>& validity, std::size_t offset,
             const CodesOut& codes) {
            const std::size_t n_held = offsets.size() == 0 ? 0 : offsets.size() - 1;
            const std::size_t end = offset + codes.size();
            if (end < offset || end > n_held ||
                (validity && (end + 7) / 8 > validity->size()))
              throw std::invalid_argument("the buffers of a column are too short");
            const TextColumn column{
                offset,
                validity ? validity->data() : nullptr,
                offsets.data(),
                {reinterpret_cast<const char*>(text.data()), text.size()}};
            nb::gil_scoped_release release;
            coder.code(column, all_of(codes));
          },
          "offsets"_a.noconvert(), "text"_a.noconvert(), "validity"_a.none(),
          "offset"_a, "codes"_a.noconvert(),
          "Write the codes of a column of large strings.")
      .def_prop_ro("levels", &TextCoder::levels, "The texts, by code.");
}

void bind_column_passes(nb::module_& module) {
  module.def(
      "recode_levels",
      [](const Vector<std::int32_t>& codes, const Vector<std::int32_t>& table,
         const CodesOut& out, const Written<std::uint8_t>& used) {
        nb::gil_scoped_release release;
        recode_levels(as_span(codes), as_span(table), all_of(out), all_of(used));
      },
      "codes"_a.noconvert(), "table"_a.noconvert(), "out"_a.noconvert(),
      "used"_a.noconvert(),
      "Write table[code + 1] to `out`, which may be `codes`, and mark by code + 1 "
      "which levels occur.");
  module.def(
      "greatest_size",
      [](const Vector<double>& values) {
        nb::gil_scoped_release release;
        return greatest_size(as_span(values));
      },
      "values"_a.noconvert(),
      "The greatest distance from zero, NaN left out; 0 if there is no value.");
  module.def(
      "whole_to_double",
      [](const Written<std::int64_t>& values) {
        nb::gil_scoped_release release;
        return whole_to_double(all_of(values));
      },
      "values"_a.noconvert(),
      "Turn whole numbers into doubles where they stand; return the greatest distance "
      "from zero.");
}

}  // namespace

void bind_files(nb::module_& module) {
  bind_text_coder(module);
  bind_column_passes(module);
}

}  // namespace featsieve::bindings
