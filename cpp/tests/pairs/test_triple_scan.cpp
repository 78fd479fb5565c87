#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"
#include "pairs/coded_data.hpp"
#include "pairs/triple_scan.hpp"

using namespace featsieve;

namespace {

std::vector<std::int32_t> all_features(std::size_t p) {
  std::vector<std::int32_t> features;
  for (std::size_t j = 0; j < p; ++j) features.push_back(static_cast<std::int32_t>(j));
  return features;
}

TripleScanner make_scanner(const CodedData& data, std::int32_t n_classes,
                           Missing missing, Instructions instructions,
                           std::span<const double> weights = {}) {
  TripleScanner scanner(data.view(), data.classes, n_classes, missing, instructions,
                        weights);
  scanner.prepare(all_features(data.n_columns));
  return scanner;
}

void compare(const CodedData& data, std::int32_t n_classes, Missing missing,
             Instructions instructions, std::span<const double> weights) {
  const auto scanner = make_scanner(data, n_classes, missing, instructions, weights);
  const std::size_t p = data.n_columns;
  std::vector<double> gains(3 * scanner.n_triples(0, p));
  scanner.scan(0, p, gains);
  std::size_t at = 0;
  for (std::size_t i = 0; i < p; ++i)
    for (std::size_t j = i + 1; j < p; ++j)
      for (std::size_t k = j + 1; k < p; ++k, at += 3) {
        const auto rows = data.rows({i, j, k}, missing);
        const auto plain = [&](const std::vector<std::size_t>& set) {
          return data.gain(set, rows);
        };
        const double joint = plain({i, j, k});
        const double alone = plain({i}) + plain({j}) + plain({k});
        const std::string name =
            std::to_string(i) + ", " + std::to_string(j) + ", " + std::to_string(k);
        check::equal(gains[at], joint, "joint gain " + name, 1e-12);
        check::equal(gains[at + 1],
                     joint - plain({i, j}) - plain({i, k}) - plain({j, k}) + alone,
                     "third order " + name, 1e-12);
        const double best =
            std::max({alone, plain({i, j}) + plain({k}), plain({i, k}) + plain({j}),
                      plain({j, k}) + plain({i})});
        check::equal(gains[at + 2], joint - best, "synergy " + name, 1e-12);
      }
}

CASE("agrees with maps") {
  for (const std::size_t n_rows : {1U, 50U, 130U})
    for (const double share : {0.0, 0.2})
      for (const Missing missing : {Missing::kLevel, Missing::kIgnore})
        for (const Instructions instructions :
             {Instructions::kPortable, best_instructions()}) {
          const CodedData data = make_data(n_rows, {2, 3, 1, 5, 9, 70}, 3, share);
          compare(data, 3, missing, instructions, {});
          compare(data, 3, missing, instructions, std::vector<double>(n_rows, 1.0));
          if (n_rows == 50) compare(data, 80, missing, instructions, {});
        }
}

CASE("ranges and pairs give the same bits") {
  const std::size_t p = 90;
  const CodedData data = make_data(100, std::vector<std::uint64_t>(p, 3), 3, 0.0);
  const auto scanner = make_scanner(data, 3, Missing::kLevel, best_instructions());
  std::vector<double> whole(3 * scanner.n_triples(0, p));
  scanner.scan(0, p, whole);
  std::vector<double> parts;
  for (std::size_t begin = 0; begin < p; begin += 7) {
    const std::size_t end = std::min<std::size_t>(p, begin + 7);
    std::vector<double> part(3 * scanner.n_triples(begin, end));
    scanner.scan(begin, end, part);
    parts.insert(parts.end(), part.begin(), part.end());
  }
  check::that(parts == whole, "parts equal the whole");
  const std::vector<std::int32_t> firsts = {1};
  const std::vector<std::int32_t> seconds = {0};
  std::vector<double> grown(3 * (p - 2));
  scanner.scan_with_pairs(firsts, seconds, grown);
  check::that(std::equal(grown.begin(), grown.end(), whole.begin()), "a grown pair");
  const auto best = scanner.scan_top(0, p, 10, TripleScore::kSynergy);
  double highest = whole[2];
  for (std::size_t at = 2; at < whole.size(); at += 3)
    highest = std::max(highest, whole[at]);
  check::equal(best.front().gains.synergy, highest, "the best comes first");
  check::that(scanner.scan_top(3, 3, 10, TripleScore::kJointGain).empty(), "no range");
}

CASE("parity is third order") {
  CodedData data{8, 3, {}, {}};
  for (std::size_t j = 0; j < 3; ++j)
    for (std::size_t row = 0; row < 8; ++row)
      data.codes.push_back(static_cast<std::int32_t>(row >> j & 1U));
  for (std::size_t row = 0; row < 8; ++row)
    data.classes.push_back((data.code(row, 0) + data.code(row, 1) + data.code(row, 2)) %
                           2);
  const auto scanner = make_scanner(data, 2, Missing::kLevel, best_instructions());
  const auto best = scanner.scan_top(0, 3, 5, TripleScore::kThirdOrder);
  check::that(best.size() == 1, "one triple");
  check::equal(best[0].gains.joint_gain, 1, "joint gain");
  check::equal(best[0].gains.third_order, 1, "third order");
  check::equal(best[0].gains.synergy, 1, "synergy");
}

CASE("refuses what is not there") {
  const CodedData data = make_data(10, {2, 2, 2}, 3, 0.0);
  TripleScanner scanner(data.view(), data.classes, 3, Missing::kLevel,
                        Instructions::kPortable);
  std::vector<double> gains(3);
  const std::vector<std::int32_t> here = {0};
  const std::vector<std::int32_t> there = {3};
  check::refuses([&] { scanner.scan(0, 3, gains); }, "prepared");
  check::throws<std::out_of_range>([&] { scanner.prepare(there); }, "feature");
  scanner.prepare(all_features(3));
  check::refuses([&] { scanner.scan(0, 2, {}); }, "size");
  check::throws<std::out_of_range>([&] { scanner.scan(0, 4, gains); }, "range");
  check::throws<std::out_of_range>([&] { scanner.scan_with_pairs(here, there, gains); },
                                   "second feature");
  check::throws<std::out_of_range>([&] { scanner.scan_with_pairs(here, here, gains); },
                                   "the same feature");
  check::refuses([&] { scanner.scan_with_pairs(here, {}, {}); }, "no second feature");
  check::refuses(
      [&] {
        TripleScanner(data.view(), data.classes, 3, Missing::kSpread,
                      Instructions::kPortable);
      },
      "spread");
}

}  // namespace
