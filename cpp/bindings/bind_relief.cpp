#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <array>
#include <optional>
#include <tuple>

#include "bindings.hpp"
#include "neighbours/relief.hpp"
#include "numpy_views.hpp"

namespace featsieve::bindings {

namespace {

/// Terms (anchors, lines, features), target differences and whether anchors count.
using TermArrays =
    std::tuple<nb::ndarray<nb::numpy, double>, nb::ndarray<nb::numpy, double>,
               nb::ndarray<nb::numpy, std::uint8_t>>;

TermArrays as_arrays(ReliefTerms&& result, std::size_t n_features) {
  const std::size_t n_anchors = result.counts.size();
  const std::size_t lines = result.target_differences.empty() ? 1 : 2;
  return {to_numpy(std::move(result.terms), {n_anchors, lines, n_features}),
          to_numpy(std::move(result.target_differences)),
          to_numpy(std::move(result.counts))};
}

void construct(ReliefScanner* self, const RowMajor<double>& values,
               const RowMajor<double>& expected,
               const std::array<std::size_t, 4>& groups, Span<std::int32_t> begins,
               const RowMajor<double>& factors, Maybe<double> quantities,
               Maybe<double> weights, Path path) {
  const MixedRows rows{all_of(values),
                       all_of(expected),
                       values.shape(0),
                       {groups[0], groups[1], groups[2], groups[3]}};
  nb::gil_scoped_release release;
  new (self) ReliefScanner(rows, {begins, all_of(factors), quantities}, weights, path);
}

}  // namespace

void bind_relief(nb::module_& module) {
  nb::class_<ReliefScanner>(module, "ReliefScanner",
                            "How neighbours of a row differ from it, by feature.")
      .def("__init__", construct, nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(),
           nb::keep_alive<1, 5>(), nb::keep_alive<1, 6>(), nb::keep_alive<1, 7>(),
           nb::keep_alive<1, 8>(), "values"_a.noconvert(), "expected"_a.noconvert(),
           "groups"_a, "begins"_a, "factors"_a.noconvert(), "quantities"_a = nb::none(),
           "weights"_a = nb::none(), "instructions"_a = nb::none(),
           "Rows of mixed columns, class by class; the arrays stay where they are.")
      .def(
          "nearest",
          [](const ReliefScanner& self, Span<std::int32_t> anchors,
             std::size_t n_neighbours, double sigma, Maybe<std::int32_t> file_order) {
            return as_arrays(without_gil([&] {
                               return self.nearest(anchors,
                                                   {n_neighbours, sigma, file_order});
                             }),
                             self.n_features());
          },
          "anchors"_a, "n_neighbours"_a, "sigma"_a = 0.0, "file_order"_a = nb::none(),
          "What anchors tell by the nearest rows of each class.")
      .def(
          "near",
          [](const ReliefScanner& self, Span<std::int32_t> anchors, double same) {
            return as_arrays(without_gil([&] { return self.near(anchors, same); }),
                             self.n_features());
          },
          "anchors"_a, "same"_a = 0.0,
          "What anchors tell by the rows that are nearer than usual.");
}

}  // namespace featsieve::bindings
