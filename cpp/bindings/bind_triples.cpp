#include <nanobind/stl/tuple.h>

#include <tuple>

#include "bindings.hpp"
#include "numpy_views.hpp"
#include "pairs/triple_scan.hpp"
#include "scanner_constructor.hpp"

namespace featsieve::bindings {

namespace {

/// Arrays: members (n, 3), and gains (n, 3): joint gain, third order, synergy.
using TripleArrays =
    std::tuple<nb::ndarray<nb::numpy, std::int32_t>, nb::ndarray<nb::numpy, double>>;

TripleArrays as_arrays(const std::vector<Triple>& triples) {
  std::vector<std::int32_t> members;
  std::vector<double> gains;
  for (const Triple& triple : triples) {
    for (const std::uint32_t member : {triple.first, triple.second, triple.third})
      members.push_back(static_cast<std::int32_t>(member));
    gains.insert(gains.end(), {triple.gains.joint_gain, triple.gains.third_order,
                               triple.gains.synergy});
  }
  return {to_numpy(std::move(members), {triples.size(), 3}),
          to_numpy(std::move(gains), {triples.size(), 3})};
}

using MatrixOutput =
    nb::ndarray<double, nb::numpy, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;

}  // namespace

void bind_triples(nb::module_& module) {
  nb::enum_<TripleScore>(module, "TripleScore", "What triples are ranked by.")
      .value("THIRD_ORDER", TripleScore::kThirdOrder)
      .value("JOINT_GAIN", TripleScore::kJointGain)
      .value("SYNERGY", TripleScore::kSynergy);

  nb::class_<TripleScanner> scanner(module, "TripleScanner",
                                    "Joint information gain of triples of features.");
  bind_plane_constructor(scanner);
  scanner
      .def_prop_ro("n_features", &TripleScanner::n_features, "The number of features.")
      .def(
          "prepare",
          [](TripleScanner& self, const Vector<std::int32_t>& features) {
            nb::gil_scoped_release release;
            self.prepare(as_span(features));
          },
          "features"_a.noconvert(),
          "Count the pairs of these features; before scans that use them.")
      .def(
          "scan",
          [](const TripleScanner& self, std::size_t begin, std::size_t end,
             const MatrixOutput& gains) {
            nb::gil_scoped_release release;
            self.scan(begin, end, all_of(gains));
          },
          "begin"_a, "end"_a, "gains"_a.noconvert(),
          "Write joint gain, third order and synergy of all triples i < j < k, "
          "begin <= i < end, in order.")
      .def(
          "scan_top",
          [](const TripleScanner& self, std::size_t begin, std::size_t end,
             std::size_t k, TripleScore score) {
            return as_arrays(
                without_gil([&] { return self.scan_top(begin, end, k, score); }));
          },
          "begin"_a, "end"_a, "k"_a, "score"_a,
          "The best k of those triples: members and gains.")
      .def(
          "scan_with_pairs",
          [](const TripleScanner& self, const Vector<std::int32_t>& firsts,
             const Vector<std::int32_t>& seconds, const MatrixOutput& gains) {
            nb::gil_scoped_release release;
            self.scan_with_pairs(as_span(firsts), as_span(seconds), all_of(gains));
          },
          "firsts"_a.noconvert(), "seconds"_a.noconvert(), "gains"_a.noconvert(),
          "Write the same for every pair with every other feature, in order.");
}

}  // namespace featsieve::bindings
