#include <numeric>
#include <vector>

#include "check.hpp"
#include "featsieve/interactions.hpp"
#include "pairs/coded_data.hpp"
#include "pairs/pair_scan.hpp"
#include "pairs/triple_scan.hpp"

using namespace featsieve;

namespace {

CASE("as the scanners say") {
  const CodedData data = make_data(300, {2, 3, 4, 3, 2}, 2, 0.1);
  const PairScanner pairs(data.view(), data.classes, 2, Missing::kIgnore,
                          best_instructions());
  const auto expected = pairs.scan_top(0, 5, 3, PairScore::kJointGain);
  const auto best = best_pairs(data.view(), data.classes, 2, Missing::kIgnore, 3,
                               PairScore::kJointGain);
  check::equal(best.size(), 3, "three pairs");
  for (std::size_t k = 0; k < best.size(); ++k)
    check::that(best[k].first == expected[k].first &&
                    best[k].second == expected[k].second &&
                    best[k].joint_gain == expected[k].joint_gain,
                "a pair");
  const auto triples = best_triples(data.view(), data.classes, 2, Missing::kIgnore, 99,
                                    TripleScore::kSynergy);
  check::equal(triples.size(), 10, "all triples");
  const auto& top = triples.front();
  const std::vector<std::size_t> members{top.first, top.second, top.third};
  check::equal(top.gains.joint_gain,
               data.gain(members, data.rows(members, Missing::kIgnore)), "joint gain",
               1e-12);
}

}  // namespace
