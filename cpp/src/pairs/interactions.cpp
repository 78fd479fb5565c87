#include "featsieve/interactions.hpp"

#include <numeric>

#include "pairs/pair_scan.hpp"
#include "pairs/triple_scan.hpp"

namespace featsieve {

std::vector<Pair> best_pairs(const CodeMatrix& codes,
                             std::span<const std::int32_t> classes,
                             std::int32_t n_classes, Missing missing, std::size_t k,
                             PairScore score) {
  const PairScanner scanner(codes, classes, n_classes, missing, best_instructions());
  return scanner.scan_top(0, scanner.n_features(), k, score);
}

std::vector<Triple> best_triples(const CodeMatrix& codes,
                                 std::span<const std::int32_t> classes,
                                 std::int32_t n_classes, Missing missing, std::size_t k,
                                 TripleScore score) {
  TripleScanner scanner(codes, classes, n_classes, missing, best_instructions());
  std::vector<std::int32_t> all(scanner.n_features());
  std::iota(all.begin(), all.end(), 0);
  scanner.prepare(all);
  return scanner.scan_top(0, scanner.n_features(), k, score);
}

}  // namespace featsieve
