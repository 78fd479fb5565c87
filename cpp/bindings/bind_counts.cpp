#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "bindings.hpp"
#include "counting/level_counts.hpp"
#include "counting/three_way.hpp"
#include "cuts/value_counts.hpp"
#include "featsieve/counting.hpp"
#include "numpy_views.hpp"
#include "pairs/pair_counts.hpp"

namespace featsieve::bindings {

namespace {

template <class Array>
auto copy_of(const Array& array) {
  return std::vector<std::remove_cvref_t<decltype(*array.data())>>(
      array.data(), array.data() + array.size());
}

/// Keys, counts per key and class, missing per class, dropped bits, least, greatest.
using TableArrays =
    std::tuple<nb::ndarray<nb::numpy, std::uint64_t>,
               nb::ndarray<nb::numpy, std::int64_t>,
               nb::ndarray<nb::numpy, std::int64_t>, unsigned, double, double>;

TableArrays as_arrays(ValueTable&& table) {
  const std::size_t n_keys = table.keys.size();
  const std::size_t n_classes = table.missing.size();
  return {to_numpy(std::move(table.keys)),
          to_numpy(std::move(table.counts), {n_keys, n_classes}),
          to_numpy(std::move(table.missing)),
          table.dropped_bits,
          table.least,
          table.greatest};
}

ValueTable as_table(Span<std::uint64_t> keys, const RowMajor<std::int64_t>& counts,
                    Span<std::int64_t> missing, unsigned dropped_bits, double least,
                    double greatest) {
  return {copy_of(keys), copy_of(counts), copy_of(missing),
          dropped_bits,  least,           greatest};
}

using State =
    std::tuple<std::size_t, std::tuple<Vector<std::uint64_t>, RowMajor<std::int64_t>,
                                       Vector<std::int64_t>, unsigned, double, double>>;

void bind_value_counts(nb::module_& module) {
  nb::class_<ValueCounts>(module, "ValueCounts",
                          "Rows per value and class of a numeric column, part by part.")
      .def(nb::init<std::size_t, std::size_t>(), "n_classes"_a, "most_values"_a)
      .def("add", &ValueCounts::add, kNoGil, "values"_a, "classes"_a,
           "Add rows; NaN is missing, rows of a negative class are left out.")
      .def("__getstate__",
           [](const ValueCounts& self) {
             return std::tuple(self.most_values(), as_arrays(self.table()));
           })
      .def("__setstate__",
           [](ValueCounts& self, const State& state) {
             const auto& [most_values, arrays] = state;
             const auto& [keys, counts, missing, dropped, least, greatest] = arrays;
             new (&self) ValueCounts(missing.size(), most_values);
             self.merge(as_table(all_of(keys), counts, all_of(missing), dropped, least,
                                 greatest));
           })
      .def(
          "merge",
          [](ValueCounts& self, Span<std::uint64_t> keys,
             const RowMajor<std::int64_t>& counts, Span<std::int64_t> missing,
             unsigned dropped_bits, double least, double greatest) {
            const ValueTable table =
                as_table(keys, counts, missing, dropped_bits, least, greatest);
            without_gil([&] { self.merge(table); });
          },
          "keys"_a, "counts"_a.noconvert(), "missing"_a, "dropped_bits"_a, "least"_a,
          "greatest"_a, "Add what was counted elsewhere.")
      .def(
          "table", [](const ValueCounts& self) { return as_arrays(self.table()); },
          "Ascending keys, counts per key and class, missing values per class, dropped "
          "bits, least and greatest value.");
}

void bind_pair_counts(nb::module_& module) {
  nb::class_<PairCounts>(module, "PairCounts",
                         "Joint tables of all pairs with a class, part by part.")
      .def(nb::init<std::vector<std::uint32_t>, std::size_t, Instructions>(),
           "levels"_a, "n_classes"_a, "instructions"_a)
      .def("start", &PairCounts::start, kNoGil, "classes"_a,
           "Take the classes of the next rows; those of a negative one are left out.")
      .def("write", &PairCounts::write, kNoGil, "j"_a, "codes"_a, "places"_a,
           "Take a feature in these rows, each code at its place and negative ones at "
           "the last; return the largest place.")
      .def("finish", &PairCounts::finish, kNoGil,
           "Add the rows, of which every feature must have been written.")
      .def("merge", &PairCounts::merge, kNoGil, "counts"_a,
           "Add what was counted elsewhere.")
      .def("counts", as_numpy(&PairCounts::counts), "All tables, one after another.")
      .def("offset", &PairCounts::offset, "i"_a, "j"_a,
           "Where the table of a pair begins: classes × levels × levels.")
      .def(
          "interactions",
          [](const PairCounts& self, Span<std::int64_t> first,
             Span<std::int64_t> second) {
            std::vector<ThreeWayDistance> found(first.size());
            without_gil([&] { self.interactions(first, second, found); });
            return std::tuple(column_of(found, &ThreeWayDistance::distance),
                              column_of(found, &ThreeWayDistance::deviance),
                              column_of(found, &ThreeWayDistance::degrees));
          },
          "first"_a, "second"_a,
          "X² and deviance of pairs from no three-way interaction, and degrees of "
          "freedom.")
      .def(
          "gains",
          [](const PairCounts& self) {
            const std::size_t n = self.n_features();
            const std::size_t n_pairs = n < 2 ? 0 : n * (n - 1) / 2;
            std::vector<double> joint(n_pairs);
            std::vector<double> synergy(n_pairs);
            without_gil([&] { self.gains(joint, synergy); });
            return std::tuple(to_numpy(std::move(joint)), to_numpy(std::move(synergy)));
          },
          "Joint gain and synergy of all pairs in order.");
}

}  // namespace

void bind_counts(nb::module_& module) {
  bind_value_counts(module);
  bind_pair_counts(module);

  module.def(
      "add_by_class",
      [](Span<std::int32_t> codes, Span<std::int32_t> places,
         Span<std::int32_t> classes,
         const nb::ndarray<std::int64_t, nb::numpy, nb::ndim<2>, nb::c_contig,
                           nb::device::cpu>& table,
         std::span<std::int64_t> missing) {
        nb::gil_scoped_release release;
        add_by_class(codes, places, classes, table.shape(1), all_of(table), missing);
      },
      "codes"_a, "places"_a, "classes"_a, "table"_a.noconvert(), "missing"_a,
      "Add rows to the table at the places of their codes.");

  module.def(
      "counted_cuts",
      [](Span<std::uint64_t> keys, const RowMajor<std::int64_t>& counts,
         unsigned dropped_bits, CutPrice price) {
        const std::vector<std::int64_t> missing(counts.shape(1), 0);
        const ValueTable table = as_table(keys, counts, missing, dropped_bits, 0, 0);
        return to_numpy(without_gil([&] { return mdl_cuts(table, price); }));
      },
      "keys"_a, "counts"_a.noconvert(), "dropped_bits"_a, "price"_a,
      "MDL cuts of a counted column.");

  module.def(
      "three_way_distances",
      [](const nb::ndarray<const double, nb::numpy, nb::ndim<3>, nb::c_contig,
                           nb::device::cpu>& table) {
        nb::gil_scoped_release release;
        const ThreeWayDistance found = ThreeWayFit().distance(
            all_of(table), table.shape(0), table.shape(1), table.shape(2));
        return std::tuple(found.distance, found.deviance, found.degrees);
      },
      "table"_a.noconvert(),
      "X² and deviance of class × first × second counts from no three-way interaction, "
      "and degrees of freedom.");

  module.def(
      "key_ranges",
      [](Span<std::uint64_t> keys, unsigned dropped_bits) {
        std::vector<double> least;
        std::vector<double> greatest;
        for (const std::uint64_t key : keys) {
          least.push_back(least_value(key));
          greatest.push_back(greatest_value(key, dropped_bits));
        }
        return std::tuple(to_numpy(std::move(least)), to_numpy(std::move(greatest)));
      },
      "keys"_a, "dropped_bits"_a,
      "The smallest and the greatest number that count under each key.");

  module.def(
      "counted_entropies",
      [](const RowMajor<std::int64_t>& table, Missing missing) {
        const TableEntropies e = table_entropies(all_of(table), table.shape(1), missing,
                                                 LogTable(LogTable::kLargest));
        return to_numpy(std::vector<double>{e.total, e.known, e.feature, e.target,
                                            e.joint, e.levels, e.classes, e.cells});
      },
      "table"_a.noconvert(), "missing"_a,
      "Total, known, H(x), H(y), H(x, y), levels, classes, cells of (levels + 1) × "
      "classes counts, the last row for missing values.");
}

}  // namespace featsieve::bindings
