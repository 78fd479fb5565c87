#include <vector>

#include "check.hpp"
#include "pairs/pair_counts.hpp"
#include "pairs/pair_scan.hpp"
#include "random/random.hpp"

using namespace featsieve;

namespace {

constexpr std::size_t kRows = 700;
const std::vector<std::uint32_t> kLevels{2, 3, 20, 5, 1, 200, 4};

/// Every code is its own place, missing values are with level 0.
std::vector<std::uint8_t> same_places(std::size_t levels) {
  std::vector<std::uint8_t> places(levels + 1, 0);
  for (std::size_t k = 0; k < levels; ++k) places[k] = static_cast<std::uint8_t>(k);
  return places;
}

struct Table {
  std::vector<std::uint8_t> codes;  // column by column
  std::vector<std::int32_t> classes;

  MatrixView<std::uint8_t> view(std::size_t begin, std::size_t end) const {
    return {codes.data() + begin, end - begin, kLevels.size(), 1, kRows};
  }

  void add_to(PairCounts& counts, std::size_t begin, std::size_t end) const {
    counts.start(std::span(classes).subspan(begin, end - begin));
    for (std::size_t j = 0; j < kLevels.size(); ++j) {
      const auto first = codes.begin() + static_cast<std::ptrdiff_t>(j * kRows);
      const std::vector<std::int32_t> own(first + static_cast<std::ptrdiff_t>(begin),
                                          first + static_cast<std::ptrdiff_t>(end));
      counts.write(j, own, same_places(kLevels[j]));
    }
    counts.finish();
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
    table.add_to(counts, begin, end);
    begin = end;
  }
  return counts;
}

CASE("counts every cell") {
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

CASE("parts do not matter") {
  const Table table = random_table(true);
  const PairCounts whole = count(table, {kRows});
  const PairCounts parts = count(table, {1, 64, 64, 300, kRows});
  PairCounts merged(kLevels, 3, Instructions::kPortable);
  merged.merge(parts.counts());
  check::that(
      std::equal(whole.counts().begin(), whole.counts().end(), merged.counts().begin()),
      "the same tables");
}

CASE("gains are those of the scanner") {
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

CASE("tests pairs for a three-way interaction") {
  std::vector<ThreeWayDistance> found(1);
  count(random_table(false), {kRows})
      .interactions(std::vector<std::int64_t>{0}, std::vector<std::int64_t>{1}, found);
  check::that(found[0].degrees == 4 && found[0].distance > 0,
              "two levels, three levels, 3 classes");
}

CASE("refuses nonsense") {
  check::refuses([] { PairCounts({0, 2}, 2, Instructions::kPortable); }, "no level");
  check::refuses([] { PairCounts({257, 2}, 2, Instructions::kPortable); },
                 "too many levels");
  PairCounts counts({2, 2}, 2, Instructions::kPortable);
  const std::vector<std::int32_t> row{0};
  const std::vector<std::uint8_t> places{2, 0};
  const std::vector<std::uint8_t> right{1, 0};
  check::refuses([&] { counts.write(0, row, places); }, "start");
  check::refuses([&] { counts.finish(); }, "start");
  check::refuses([&] { counts.start(std::vector<std::int32_t>{2}); }, "class");
  counts.start(row);
  check::refuses([&] { counts.write(2, row, places); }, "feature");
  counts.write(0, row, right);
  check::refuses([&] { counts.finish(); }, "a feature is missing");
  check::that(counts.write(1, row, places) == 2, "a level that there is not");
  check::refuses([&] { counts.finish(); }, "level");
  counts.write(1, row, right);
  counts.finish();
  check::that(counts.counts()[3] == 1, "counted");
  check::refuses([&] { counts.merge({}); }, "other features");
  check::throws<std::out_of_range>([&] { counts.offset(1, 0); }, "order");
  std::vector<double> none;
  PairCounts({2}, 2, Instructions::kPortable).gains(none, none);
}

}  // namespace
