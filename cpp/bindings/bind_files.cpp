#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "featsieve/column_passes.hpp"
#include "featsieve/plain_rows.hpp"
#include "featsieve/text_coder.hpp"
#include "numpy_views.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace featsieve;
using namespace featsieve::bindings;

namespace {

using Bytes = Vector<std::uint8_t>;
template <class T>
using Written = nb::ndarray<T, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Codes = Written<std::int32_t>;
using Marks = Written<std::uint8_t>;
using WholeNumbers = Written<std::int64_t>;

std::span<const char> as_text(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// What both forms of a column share; checks that the buffers hold all rows.
TextColumn start_column(std::size_t offset, std::size_t n_rows, std::size_t n_held,
                        const std::optional<Bytes>& validity) {
  TextColumn column;
  column.offset = offset;
  if (validity) column.validity = validity->data();
  const std::size_t end = offset + n_rows;
  if (end < offset || end > n_held || (validity && (end + 7) / 8 > validity->size()))
    throw std::invalid_argument("the buffers of a column are too short");
  return column;
}

void code_column(TextCoder& coder, const TextColumn& column, const Codes& codes) {
  nb::gil_scoped_release release;
  coder.code(column, {codes.data(), codes.size()});
}

void bind_text_coder(nb::module_& module) {
  nb::class_<TextCoder>(module, "TextCoder",
                        "Numbers texts of Arrow columns in order of appearance; -1 for "
                        "missing ones and for those in `missing`.")
      .def(nb::init<const std::vector<std::string>&>(), "missing"_a)
      .def(
          "code_views",
          [](TextCoder& coder, const Bytes& views, const std::vector<Bytes>& buffers,
             const std::optional<Bytes>& validity, std::size_t offset,
             const Codes& codes) {
            TextColumn column =
                start_column(offset, codes.size(), views.size() / 16, validity);
            column.views = views.data();
            for (const Bytes& buffer : buffers)
              column.buffers.push_back(as_text(buffer));
            code_column(coder, column, codes);
          },
          "views"_a.noconvert(), "buffers"_a, "validity"_a.none(), "offset"_a,
          "codes"_a.noconvert(), "Write the codes of a column of string views.")
      .def(
          "code_offsets",
          [](TextCoder& coder, const Vector<std::int64_t>& offsets, const Bytes& text,
             const std::optional<Bytes>& validity, std::size_t offset,
             const Codes& codes) {
            const std::size_t n_held = offsets.size() == 0 ? 0 : offsets.size() - 1;
            TextColumn column = start_column(offset, codes.size(), n_held, validity);
            column.offsets = offsets.data();
            column.buffers.push_back(as_text(text));
            code_column(coder, column, codes);
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
         const Codes& out, const Marks& used) {
        nb::gil_scoped_release release;
        recode_levels(as_span(codes), as_span(table), {out.data(), out.size()},
                      {used.data(), used.size()});
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
      [](const WholeNumbers& values) {
        nb::gil_scoped_release release;
        return whole_to_double({values.data(), values.size()});
      },
      "values"_a.noconvert(),
      "Turn whole numbers into doubles where they stand; return the greatest distance "
      "from zero.");
}

}  // namespace

void bind_files(nb::module_& module) {
  bind_text_coder(module);
  bind_column_passes(module);
  module.def(
      "plain_rows",
      [](const nb::bytes& text, char separator, std::size_t n_cells) {
        const std::string_view view(text.c_str(), text.size());
        nb::gil_scoped_release release;
        const RowsEnd rows = plain_rows(view, separator, n_cells);
        return std::pair{rows.end,
                         rows.plain ? std::optional{rows.n_rows} : std::nullopt};
      },
      "text"_a, "separator"_a, "n_cells"_a,
      "Where the last whole row of delimited text ends, and the number of rows; None "
      "unless all are plain: of `n_cells` cells, at least two, and without anything "
      "that readers disagree about.");
}
