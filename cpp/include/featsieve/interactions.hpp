#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "featsieve/counting.hpp"

// Features that tell about the class together.

namespace featsieve {

/// What pairs are ranked by.
enum class PairScore { kSynergy, kJointGain };

/// Gains are in bits. synergy is the joint gain minus both single gains.
struct Pair {
  std::uint32_t first;
  std::uint32_t second;
  double joint_gain;
  double synergy;
};

/// What triples are ranked by.
enum class TripleScore : std::uint8_t { kThirdOrder, kJointGain, kSynergy };

/// Gains in bits. third_order is what neither pairs nor single features explain, by
/// inclusion and exclusion; synergy is the joint gain beyond the best split of the
/// triple into parts.
struct TripleGains {
  double joint_gain;
  double third_order;
  double synergy;
};

struct Triple {
  std::uint32_t first;
  std::uint32_t second;
  std::uint32_t third;
  TripleGains gains;
};

/// The best k of all pairs of features, best first; ties go to the lowest indices.
/// missing: kLevel or kIgnore.
std::vector<Pair> best_pairs(const CodeMatrix& codes,
                             std::span<const std::int32_t> classes,
                             std::int32_t n_classes, Missing missing, std::size_t k,
                             PairScore score);

/// The same of all triples: O(rows × features³).
std::vector<Triple> best_triples(const CodeMatrix& codes,
                                 std::span<const std::int32_t> classes,
                                 std::int32_t n_classes, Missing missing, std::size_t k,
                                 TripleScore score);

}  // namespace featsieve
