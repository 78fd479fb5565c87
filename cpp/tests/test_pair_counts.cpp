#include <vector>

#include "check.hpp"
#include "featsieve/pair_counts.hpp"
#include "featsieve/pair_scan.hpp"
#include "featsieve/random.hpp"

using namespace featsieve;

namespace {

constexpr std::size_t kRows = 700;
const std::vector<std::uint32_t> kLevels{2, 3, 20, 5, 1, 200, 4};

struct Table {
  std::vector<std::uint8_t> codes;  // column by column
  std::vector<std::int32_t> classes;

  MatrixView<std::uint8_t> view(std::size_t begin, std::size_t end) const {
    return {codes.data() + begin, end - begin, kLevels.size(), 1, kRows};
  }
};

Table random_table(bool unknown_classes) {
  Random random(17);
  Table table;
  for (const std::uint32_t levels : kLevels)
    for (std::size_t i = 0; i < kRows; ++i)
      table.codes.push_back(static_cast<std::uint8_t>(random.next() % levels));
  for (std::size_t i = 0; i < kRows; ++i)
    table.classes.push_back(static_cast<std::int32_t>(random.next() % 3) -
                            (unknown_classes && i % 7 == 0 ? 3 : 0));
  return table;
}

PairCounts count(const Table& table, const std::vector<std::size_t>& ends) {
  PairCounts counts(kLevels, 3, best_instructions());
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    counts.add(table.view(begin, end),
               std::span(table.classes).subspan(begin, end - begin));
    begin = end;
  }
  return counts;
}

void counts_every_cell() {
  const Table table = random_table(true);
  const PairCounts counts = count(table, {kRows});
  for (std::size_t i = 0; i < kLevels.size(); ++i)
    for (std::size_t j = i + 1; j < kLevels.size(); ++j) {
      std::vector<std::int64_t> expected(3 * kLevels[i] * kLevels[j], 0);
      for (std::size_t row = 0; row < kRows; ++row) {
        if (table.classes[row] < 0) continue;
        const auto c = static_cast<std::size_t>(table.classes[row]);
        const std::size_t a = table.codes[i * kRows + row];
        const std::size_t b = table.codes[j * kRows + row];
        ++expected[(c * kLevels[i] + a) * kLevels[j] + b];
      }
      const auto begin =
          counts.counts().begin() + static_cast<std::ptrdiff_t>(counts.offset(i, j));
      check::that(std::equal(expected.begin(), expected.end(), begin), "cells");
    }
}

void parts_do_not_matter() {
  const Table table = random_table(true);
  const PairCounts whole = count(table, {kRows});
  const PairCounts parts = count(table, {1, 64, 64, 300, kRows});
  PairCounts merged(kLevels, 3, Instructions::kPortable);
  merged.merge(parts.counts());
  check::that(
      std::equal(whole.counts().begin(), whole.counts().end(), merged.counts().begin()),
      "the same tables");
}

void gains_are_those_of_the_scanner() {
  const Table table = random_table(false);
  const PairScanner scanner(table.view(0, kRows), table.classes, 3, Missing::kLevel,
                            best_instructions());
  const std::size_t n = scanner.n_pairs(0, kLevels.size());
  std::vector<double> joint(n), synergy(n), own_joint(n), own_synergy(n);
  scanner.scan(0, kLevels.size(), joint, synergy);
  count(table, {100, kRows}).gains(own_joint, own_synergy);
  check::that(joint == own_joint, "joint gains, to the bit");
  check::that(synergy == own_synergy, "synergies, to the bit");
}

void refuses_nonsense() {
  check::throws<std::invalid_argument>(
      [] { PairCounts({0, 2}, 2, Instructions::kPortable); }, "no level");
  check::throws<std::invalid_argument>(
      [] { PairCounts({257, 2}, 2, Instructions::kPortable); }, "too many levels");
  PairCounts counts({2, 2}, 2, Instructions::kPortable);
  const std::vector<std::uint8_t> codes{0, 2};
  const std::vector<std::int32_t> good{0};
  const std::vector<std::int32_t> bad{2};
  const MatrixView<std::uint8_t> view{codes.data(), 1, 2, 1, 1};
  check::throws<std::invalid_argument>([&] { counts.add(view, good); }, "code");
  check::throws<std::invalid_argument>([&] { counts.add(view, bad); }, "class");
  check::throws<std::invalid_argument>([&] { counts.merge({}); }, "other features");
  check::throws<std::out_of_range>([&] { counts.offset(1, 0); }, "order");
  std::vector<double> none;
  PairCounts({2}, 2, Instructions::kPortable).gains(none, none);
}

}  // namespace

int main() {
  return check::run({
      {"counts every cell", counts_every_cell},
      {"parts do not matter", parts_do_not_matter},
      {"gains are those of the scanner", gains_are_those_of_the_scanner},
      {"refuses nonsense", refuses_nonsense},
  });
}
