#include <nanobind/stl/tuple.h>

#include <tuple>

#include "bindings.hpp"
#include "numpy_views.hpp"
#include "pairs/triple_scan.hpp"

namespace featsieve::bindings {

namespace {

/// Arrays: members (n, 3), and gains (n, 3): joint gain, third order, synergy.
auto as_arrays(const std::vector<Triple>& triples) {
  std::vector<std::int32_t> members;
  std::vector<double> gains;
  for (const Triple& triple : triples) {
    for (const std::uint32_t member : {triple.first, triple.second, triple.third})
      members.push_back(static_cast<std::int32_t>(member));
    gains.insert(gains.end(), {triple.gains.joint_gain, triple.gains.third_order,
                               triple.gains.synergy});
  }
  return std::tuple(to_numpy(std::move(members), {triples.size(), 3}),
                    to_numpy(std::move(gains), {triples.size(), 3}));
}

}  // namespace

void bind_triples(nb::module_& module) {
  nb::enum_<TripleScore>(module, "TripleScore", "What triples are ranked by.")
      .value("THIRD_ORDER", TripleScore::kThirdOrder)
      .value("JOINT_GAIN", TripleScore::kJointGain)
      .value("SYNERGY", TripleScore::kSynergy);

  nb::class_<TripleScanner>(module, "TripleScanner",
                            "Joint information gain of triples of features.")
      .def(PlaneScannerInit(), kNoGil, "codes"_a, "classes"_a, "n_classes"_a,
           "missing"_a, "instructions"_a = nb::none(), "weights"_a = nb::none(),
           kPlaneScannerDoc)
      .def_prop_ro("n_features", &TripleScanner::n_features, "The number of features.")
      .def("prepare", &TripleScanner::prepare, kNoGil, "features"_a,
           "Count the pairs of these features; before scans that use them.")
      .def("scan", &TripleScanner::scan, kNoGil, "begin"_a, "end"_a, "gains"_a,
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
      .def("scan_with_pairs", &TripleScanner::scan_with_pairs, kNoGil, "firsts"_a,
           "seconds"_a, "gains"_a,
           "Write the same for every pair with every other feature, in order.");
}

}  // namespace featsieve::bindings
