#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <tuple>

#include "bindings.hpp"
#include "numpy_views.hpp"
#include "pairs/pair_scan.hpp"
#include "pairs/tuple_gain.hpp"
#include "scanner_constructor.hpp"

namespace featsieve::bindings {

namespace {

/// Arrays: first, second, joint gain, synergy.
using PairArrays =
    std::tuple<nb::ndarray<nb::numpy, std::int32_t>,
               nb::ndarray<nb::numpy, std::int32_t>, nb::ndarray<nb::numpy, double>,
               nb::ndarray<nb::numpy, double>>;

PairArrays as_arrays(const std::vector<Pair>& pairs) {
  std::vector<std::int32_t> first;
  std::vector<std::int32_t> second;
  std::vector<double> joint_gain;
  std::vector<double> synergy;
  for (const Pair& pair : pairs) {
    first.push_back(static_cast<std::int32_t>(pair.first));
    second.push_back(static_cast<std::int32_t>(pair.second));
    joint_gain.push_back(pair.joint_gain);
    synergy.push_back(pair.synergy);
  }
  return {to_numpy(std::move(first)), to_numpy(std::move(second)),
          to_numpy(std::move(joint_gain)), to_numpy(std::move(synergy))};
}

}  // namespace

void bind_pairs(nb::module_& module) {
  nb::enum_<Instructions>(module, "Instructions",
                          "Which instructions count; all give the same numbers.")
      .value("PORTABLE", Instructions::kPortable)
      .value("AVX2", Instructions::kAvx2)
      .value("AVX512", Instructions::kAvx512);
  nb::enum_<PairScore>(module, "PairScore", "What pairs are ranked by.")
      .value("SYNERGY", PairScore::kSynergy)
      .value("JOINT_GAIN", PairScore::kJointGain);

  module.def("best_instructions", &best_instructions,
             "The best counting instructions of this machine.");
  module.def("has_instructions", &has_instructions, "instructions"_a,
             "Whether this machine has these counting instructions.");

  nb::class_<PairScanner> scanner(module, "PairScanner",
                                  "Joint information gain of all pairs of features.");
  bind_plane_constructor(scanner);
  scanner.def_prop_ro("n_features", &PairScanner::n_features, "The number of features.")
      .def(
          "gains",
          [](const PairScanner& self) {
            const auto gains = self.gains();
            return to_numpy(std::vector<double>(gains.begin(), gains.end()));
          },
          "Gain of every feature alone.")
      .def(
          "block_begins",
          [](const PairScanner& self) {
            const auto begins = self.block_begins();
            return to_numpy(std::vector<std::int64_t>(begins.begin(), begins.end()));
          },
          "First features at which a scan may be cut at no cost, and the end.")
      .def(
          "scan",
          [](const PairScanner& self, std::size_t begin, std::size_t end,
             const Written<double>& joint_gain, const Written<double>& synergy) {
            nb::gil_scoped_release release;
            self.scan(begin, end, all_of(joint_gain), all_of(synergy));
          },
          "begin"_a, "end"_a, "joint_gain"_a.noconvert(), "synergy"_a.noconvert(),
          "Write the gains of all pairs (i, j), begin <= i < end and i < j, in order.")
      .def(
          "scan_top",
          [](const PairScanner& self, std::size_t begin, std::size_t end, std::size_t k,
             PairScore score) {
            return as_arrays(
                without_gil([&] { return self.scan_top(begin, end, k, score); }));
          },
          "begin"_a, "end"_a, "k"_a, "score"_a,
          "The best k of those pairs: first, second, joint gain, synergy.");

  nb::class_<TupleScanner>(module, "TupleScanner",
                           "Joint information gain of given sets of features.")
      .def(
          "__init__",
          [](TupleScanner* self, const Codes& codes,
             const Vector<std::int32_t>& classes, std::int32_t n_classes,
             Missing missing, const std::optional<Vector<double>>& weights) {
            nb::gil_scoped_release release;
            new (self) TupleScanner(as_view(codes), as_span(classes), n_classes,
                                    missing, optional_span(weights));
          },
          "codes"_a.noconvert(), "classes"_a.noconvert(), "n_classes"_a, "missing"_a,
          "weights"_a.noconvert() = nb::none(), "Encode the codes for counting.")
      .def(
          "gains",
          [](const TupleScanner& self, const Vector<std::int32_t>& features,
             const Vector<std::int64_t>& begins) {
            return to_numpy(without_gil(
                [&] { return self.gains(as_span(features), as_span(begins)); }));
          },
          "features"_a.noconvert(), "begins"_a.noconvert(),
          "One gain per set features[begins[k]:begins[k + 1]].");
}

}  // namespace featsieve::bindings
