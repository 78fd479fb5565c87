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

template <class T>
std::vector<T> copy_of(const Vector<T>& array) {
  return {array.data(), array.data() + array.size()};
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

ValueTable as_table(const Vector<std::uint64_t>& keys,
                    const RowMajor<std::int64_t>& counts,
                    const Vector<std::int64_t>& missing, unsigned dropped_bits,
                    double least, double greatest) {
  ValueTable table{copy_of(keys),
                   {counts.data(), counts.data() + counts.size()},
                   copy_of(missing),
                   dropped_bits,
                   least,
                   greatest};
  return table;
}

using State =
    std::tuple<std::size_t, std::tuple<Vector<std::uint64_t>, RowMajor<std::int64_t>,
                                       Vector<std::int64_t>, unsigned, double, double>>;

void bind_value_counts(nb::module_& module) {
  nb::class_<ValueCounts>(module, "ValueCounts",
                          "Rows per value and class of a numeric column, part by part.")
      .def(nb::init<std::size_t, std::size_t>(), "n_classes"_a, "most_values"_a)
      .def(
          "add",
          [](ValueCounts& self, const Vector<double>& values,
             const Vector<std::int32_t>& classes) {
            nb::gil_scoped_release release;
            self.add(as_span(values), as_span(classes));
          },
          "values"_a.noconvert(), "classes"_a.noconvert(),
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
             self.merge(as_table(keys, counts, missing, dropped, least, greatest));
           })
      .def(
          "merge",
          [](ValueCounts& self, const Vector<std::uint64_t>& keys,
             const RowMajor<std::int64_t>& counts, const Vector<std::int64_t>& missing,
             unsigned dropped_bits, double least, double greatest) {
            const ValueTable table =
                as_table(keys, counts, missing, dropped_bits, least, greatest);
            nb::gil_scoped_release release;
            self.merge(table);
          },
          "keys"_a.noconvert(), "counts"_a.noconvert(), "missing"_a.noconvert(),
          "dropped_bits"_a, "least"_a, "greatest"_a, "Add what was counted elsewhere.")
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
      .def(
          "start",
          [](PairCounts& self, const Vector<std::int32_t>& classes) {
            nb::gil_scoped_release release;
            self.start(as_span(classes));
          },
          "classes"_a.noconvert(),
          "Take the classes of the next rows; those of a negative one are left out.")
      .def(
          "write",
          [](PairCounts& self, std::size_t j, const Vector<std::int32_t>& codes,
             const Vector<std::uint8_t>& places) {
            nb::gil_scoped_release release;
            return self.write(j, as_span(codes), as_span(places));
          },
          "j"_a, "codes"_a.noconvert(), "places"_a.noconvert(),
          "Take a feature in these rows, each code at its place and negative ones at "
          "the "
          "last; return the largest place.")
      .def("leave_out", &PairCounts::leave_out, "j"_a,
           "Take level 0 of a feature for all of these rows.")
      .def("finish", &PairCounts::finish, nb::call_guard<nb::gil_scoped_release>(),
           "Add the rows, of which every feature must have been written.")
      .def("change_levels", &PairCounts::change_levels, "levels"_a, "places"_a,
           nb::call_guard<nb::gil_scoped_release>(),
           "Have other levels, places[j][a] for what was level a of feature j.")
      .def(
          "margins",
          [](const PairCounts& self, std::size_t j) {
            const auto found = self.margins(j);
            return to_numpy(std::vector<std::int64_t>(found.begin(), found.end()),
                            {self.n_classes(), found.size() / self.n_classes()});
          },
          "j"_a, "Rows per class and level of a feature that were finished here.")
      .def(
          "merge_levels",
          [](PairCounts& self, const Vector<std::int64_t>& counts,
             const std::vector<std::uint32_t>& levels,
             const std::vector<std::size_t>& features,
             const std::vector<std::vector<std::uint8_t>>& places) {
            nb::gil_scoped_release release;
            self.merge(as_span(counts), levels, features, places);
          },
          "counts"_a.noconvert(), "levels"_a, "features"_a, "places"_a,
          "Add what was counted elsewhere with other levels: feature j is features[j] "
          "there, and its level a is places[j][a] here.")
      .def(
          "merge",
          [](PairCounts& self, const Vector<std::int64_t>& counts) {
            nb::gil_scoped_release release;
            self.merge(as_span(counts));
          },
          "counts"_a.noconvert(), "Add what was counted elsewhere.")
      .def(
          "counts",
          [](const PairCounts& self) {
            const auto counts = self.counts();
            return to_numpy(std::vector<std::int64_t>(counts.begin(), counts.end()));
          },
          "All tables, one after another.")
      .def("offset", &PairCounts::offset, "i"_a, "j"_a,
           "Where the table of a pair begins: classes × levels × levels.")
      .def(
          "interactions",
          [](const PairCounts& self, const Vector<std::int64_t>& first,
             const Vector<std::int64_t>& second) {
            std::vector<ThreeWayDistance> found(first.size());
            {
              nb::gil_scoped_release release;
              self.interactions(as_span(first), as_span(second), found);
            }
            std::vector<double> distances;
            std::vector<double> deviances;
            std::vector<std::int64_t> degrees;
            for (const ThreeWayDistance& one : found) {
              distances.push_back(one.distance);
              deviances.push_back(one.deviance);
              degrees.push_back(one.degrees);
            }
            return std::tuple(to_numpy(std::move(distances)),
                              to_numpy(std::move(deviances)),
                              to_numpy(std::move(degrees)));
          },
          "first"_a.noconvert(), "second"_a.noconvert(),
          "X² and deviance of pairs from no three-way interaction, and degrees of "
          "freedom.")
      .def(
          "gains",
          [](const PairCounts& self) {
            const std::size_t n = self.n_features();
            const std::size_t n_pairs = n < 2 ? 0 : n * (n - 1) / 2;
            std::vector<double> joint(n_pairs);
            std::vector<double> synergy(n_pairs);
            {
              nb::gil_scoped_release release;
              self.gains(joint, synergy);
            }
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
      [](const Vector<std::int32_t>& codes, const Vector<std::int32_t>& places,
         const Vector<std::int32_t>& classes, const Written<std::int64_t, 2>& table,
         const Written<std::int64_t>& missing) {
        nb::gil_scoped_release release;
        add_by_class(as_span(codes), as_span(places), as_span(classes), table.shape(1),
                     all_of(table), all_of(missing));
      },
      "codes"_a.noconvert(), "places"_a.noconvert(), "classes"_a.noconvert(),
      "table"_a.noconvert(), "missing"_a.noconvert(),
      "Add rows to the table at the places of their codes.");

  module.def(
      "counted_cuts",
      [](const Vector<std::uint64_t>& keys, const RowMajor<std::int64_t>& counts,
         unsigned dropped_bits, CutPrice price) {
        ValueTable table{copy_of(keys),
                         {counts.data(), counts.data() + counts.size()},
                         std::vector<std::int64_t>(counts.shape(1), 0),
                         dropped_bits,
                         0,
                         0};
        return to_numpy(without_gil([&] { return mdl_cuts(table, price); }));
      },
      "keys"_a.noconvert(), "counts"_a.noconvert(), "dropped_bits"_a, "price"_a,
      "MDL cuts of a counted column.");

  module.def(
      "three_way_distances",
      [](const nb::ndarray<const double, nb::numpy, nb::ndim<3>, nb::c_contig,
                           nb::device::cpu>& table) {
        nb::gil_scoped_release release;
        const ThreeWayDistance found =
            ThreeWayFit().distance({table.data(), table.size()}, table.shape(0),
                                   table.shape(1), table.shape(2));
        return std::tuple(found.distance, found.deviance, found.degrees);
      },
      "table"_a.noconvert(),
      "X² and deviance of class × first × second counts from no three-way interaction, "
      "and degrees of freedom.");

  module.def(
      "key_ranges",
      [](const Vector<std::uint64_t>& keys, unsigned dropped_bits) {
        std::vector<double> least;
        std::vector<double> greatest;
        for (const std::uint64_t key : as_span(keys)) {
          least.push_back(least_value(key));
          greatest.push_back(greatest_value(key, dropped_bits));
        }
        return std::tuple(to_numpy(std::move(least)), to_numpy(std::move(greatest)));
      },
      "keys"_a.noconvert(), "dropped_bits"_a,
      "The smallest and the greatest number that count under each key.");

  module.def(
      "counted_entropies",
      [](const RowMajor<std::int64_t>& table, Missing missing) {
        const TableEntropies e =
            table_entropies({table.data(), table.size()}, table.shape(1), missing,
                            LogTable(LogTable::kLargest));
        return to_numpy(std::vector<double>{e.total, e.known, e.feature, e.target,
                                            e.joint, e.levels, e.classes, e.cells});
      },
      "table"_a.noconvert(), "missing"_a,
      "Total, known, H(x), H(y), H(x, y), levels, classes, cells of (levels + 1) × "
      "classes counts, the last row for missing values.");
}

}  // namespace featsieve::bindings
