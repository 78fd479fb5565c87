#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"
#include "pairs/coded_data.hpp"
#include "pairs/pair_scan.hpp"

using namespace featsieve;

namespace {

void compare(const CodedData& data, std::int32_t n_classes, Missing missing,
             Instructions instructions, std::span<const double> weights) {
  const PairScanner scanner(data.view(), data.classes, n_classes, missing, instructions,
                            weights);
  const std::size_t p = data.n_columns;
  std::vector<double> joint(scanner.n_pairs(0, p));
  std::vector<double> synergy(joint.size());
  scanner.scan(0, p, joint, synergy);
  std::size_t at = 0;
  for (std::size_t i = 0; i < p; ++i)
    for (std::size_t j = i + 1; j < p; ++j, ++at) {
      const auto rows = data.rows({i, j}, missing);
      const std::string name = std::to_string(i) + ", " + std::to_string(j);
      const double together = data.gain({i, j}, rows);
      check::equal(joint[at], together, "joint gain " + name, 1e-12);
      check::equal(synergy[at], together - data.gain({i}, rows) - data.gain({j}, rows),
                   "synergy " + name, 1e-12);
    }
}

CASE("agrees with maps") {
  for (const std::size_t n_rows : {1U, 50U, 230U})
    for (const double share : {0.0, 0.2})
      for (const Missing missing : {Missing::kLevel, Missing::kIgnore})
        for (const Instructions instructions :
             {Instructions::kPortable, best_instructions()}) {
          const CodedData data =
              make_data(n_rows, {2, 3, 1, 5, 9, 40, 70, 300}, 3, share);
          compare(data, 3, missing, instructions, {});
          compare(data, 3, missing, instructions, std::vector<double>(n_rows, 1.0));
          if (n_rows == 50) compare(data, 80, missing, instructions, {});
        }
}

CASE("ranges give the same bits") {
  const CodedData data = make_data(200, std::vector<std::uint64_t>(150, 3), 2, 0.0);
  const PairScanner scanner(data.view(), data.classes, 2, Missing::kLevel,
                            best_instructions());
  std::vector<double> joint(scanner.n_pairs(0, 150));
  std::vector<double> synergy(joint.size());
  scanner.scan(0, 150, joint, synergy);
  std::vector<double> parts;
  for (std::size_t begin = 0; begin < 150; begin += 7) {
    const std::size_t end = std::min<std::size_t>(150, begin + 7);
    std::vector<double> part(scanner.n_pairs(begin, end));
    std::vector<double> ignored(part.size());
    scanner.scan(begin, end, part, ignored);
    parts.insert(parts.end(), part.begin(), part.end());
  }
  check::that(parts == joint, "parts equal the whole");
  const auto best = scanner.scan_top(0, 150, 10, PairScore::kJointGain);
  check::equal(best.front().joint_gain, *std::max_element(joint.begin(), joint.end()),
               "the best comes first");
  check::that(scanner.scan_top(3, 3, 10, PairScore::kSynergy).empty(), "no range");
  check::that(scanner.block_begins().back() == 150, "blocks end with the features");
}

CASE("ties go to the lowest") {
  const CodedData data{4, 3, {0, 0, 1, 1, 0, 1, 0, 1, 0, 0, 1, 1}, {0, 1, 1, 0}};
  const PairScanner scanner(data.view(), data.classes, 2, Missing::kLevel,
                            best_instructions());
  const auto best = scanner.scan_top(0, 3, 2, PairScore::kSynergy);
  check::that(best[0].first == 0 && best[0].second == 1, "first tie");
  check::that(best[1].first == 1 && best[1].second == 2, "second tie");
  check::equal(best[0].synergy, 1, "exclusive or");
}

CASE("many rows are counted right") {
  // More rows than a table of logarithms or a 16-bit counter holds.
  const std::size_t n = 600000;
  CodedData data{n, 2, std::vector<std::int32_t>(2 * n, 0),
                 std::vector<std::int32_t>(n, 0)};
  for (std::size_t row = 0; row < n; ++row) {
    data.codes[row] = row % 10 == 0 ? 1 : 0;
    data.codes[n + row] = row % 3 == 0 ? 1 : 0;
    data.classes[row] = data.codes[row];
  }
  const PairScanner scanner(data.view(), data.classes, 2, Missing::kLevel,
                            best_instructions());
  check::equal(scanner.gains()[0], -0.1 * std::log2(0.1) - 0.9 * std::log2(0.9),
               "entropy", 1e-12);
  const auto best = scanner.scan_top(0, 2, 1, PairScore::kJointGain);
  check::equal(best[0].joint_gain, scanner.gains()[0], "joint gain", 1e-12);
}

CASE("refuses what does not fit") {
  const CodedData data = make_data(10, {2, 2}, 2, 0.0);
  const auto make = [&](std::span<const std::int32_t> classes, std::int32_t n_classes,
                        std::span<const double> weights) {
    PairScanner(data.view(), classes, n_classes, Missing::kLevel,
                Instructions::kPortable, weights);
  };
  const std::vector<std::int32_t> short_classes(9, 0);
  const std::vector<double> short_weights(9, 1.0);
  check::refuses([&] { make(short_classes, 2, {}); }, "classes");
  check::refuses([&] { make(data.classes, 1, {}); }, "too few");
  check::refuses([&] { make(data.classes, -1, {}); }, "negative");
  check::refuses([&] { make(data.classes, 2, short_weights); }, "weights");
  check::refuses(
      [&] {
        PairScanner(data.view(), data.classes, 2, Missing::kSpread,
                    Instructions::kPortable);
      },
      "spread");
  if (!has_instructions(Instructions::kAvx512))
    check::refuses(
        [&] {
          PairScanner(data.view(), data.classes, 2, Missing::kLevel,
                      Instructions::kAvx512);
        },
        "instructions that are not there");
}

}  // namespace
