#include <nanobind/stl/tuple.h>

#include <tuple>

#include "bindings.hpp"
#include "numpy_views.hpp"
#include "pairs/pair_scan.hpp"
#include "pairs/tuple_gain.hpp"

namespace featsieve::bindings {

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

  nb::class_<PairScanner>(module, "PairScanner",
                          "Joint information gain of all pairs of features.")
      .def(PlaneScannerInit(), kNoGil, "codes"_a, "classes"_a, "n_classes"_a,
           "missing"_a, "instructions"_a = nb::none(), "weights"_a = nb::none(),
           kPlaneScannerDoc)
      .def_prop_ro("n_features", &PairScanner::n_features, "The number of features.")
      .def("gains", as_numpy(&PairScanner::gains), "Gain of every feature alone.")
      .def(
          "block_begins",
          [](const PairScanner& self) {
            const auto begins = self.block_begins();
            return to_numpy(std::vector<std::int64_t>(begins.begin(), begins.end()));
          },
          "First features at which a scan may be cut at no cost, and the end.")
      .def("scan", &PairScanner::scan, kNoGil, "begin"_a, "end"_a, "joint_gain"_a,
           "synergy"_a,
           "Write the gains of all pairs (i, j), begin <= i < end and i < j, in order.")
      .def(
          "scan_top",
          [](const PairScanner& self, std::size_t begin, std::size_t end, std::size_t k,
             PairScore score) {
            const auto pairs =
                without_gil([&] { return self.scan_top(begin, end, k, score); });
            return std::tuple(column_of(pairs, &Pair::first, std::int32_t{}),
                              column_of(pairs, &Pair::second, std::int32_t{}),
                              column_of(pairs, &Pair::joint_gain),
                              column_of(pairs, &Pair::synergy));
          },
          "begin"_a, "end"_a, "k"_a, "score"_a,
          "The best k of those pairs: first, second, joint gain, synergy.");

  nb::class_<TupleScanner>(module, "TupleScanner",
                           "Joint information gain of given sets of features.")
      .def(nb::init<const CodeMatrix&, Span<std::int32_t>, std::int32_t, Missing,
                    Maybe<double>>(),
           kNoGil, "codes"_a, "classes"_a, "n_classes"_a, "missing"_a,
           "weights"_a = nb::none(), "Encode the codes for counting.")
      .def("gains", as_numpy(&TupleScanner::gains), "features"_a, "begins"_a,
           "One gain per set features[begins[k]:begins[k + 1]].");
}

}  // namespace featsieve::bindings
