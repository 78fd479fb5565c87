#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"
#include "counting/class_order.hpp"
#include "counting/dense_column.hpp"
#include "featsieve/counting.hpp"
#include "featsieve/instructions.hpp"
#include "neighbours/coarse_distance.hpp"
#include "neighbours/neighbour_scan.hpp"
#include "neighbours/relief.hpp"
#include "pairs/common_rows.hpp"
#include "pairs/pair_association.hpp"
#include "pairs/pair_counts.hpp"
#include "pairs/pair_scan.hpp"
#include "pairs/triple_scan.hpp"
#include "random/random.hpp"

// Every kernel with several paths, on every path that this machine has: the same bits
// as on the portable one.

using namespace featsieve;

namespace {

/// The bits of all that a kernel computed.
class Bits {
 public:
  template <class Values>
  void add(const Values& values) {
    for (const auto value : values) {
      if constexpr (std::is_floating_point_v<std::decay_t<decltype(value)>>)
        words_.push_back(std::bit_cast<std::uint64_t>(static_cast<double>(value)));
      else
        words_.push_back(static_cast<std::uint64_t>(value));
    }
  }
  bool operator==(const Bits&) const = default;
  std::size_t size() const { return words_.size(); }

 private:
  std::vector<std::uint64_t> words_;
};

constexpr std::size_t kRows = 1111;
constexpr std::size_t kColumns = 14;
constexpr std::int32_t kClasses = 3;

template <class Code>
struct Table {
  std::vector<Code> codes;  // kColumns × kRows
  std::vector<std::int32_t> classes;
  std::vector<std::uint8_t> flags;  // kColumns × kRows

  Table() {
    constexpr std::uint64_t kLevels[] = {2, 3, 4, 5, 9, 16, 40, 120};
    Random random(5);
    for (std::size_t j = 0; j < kColumns; ++j)
      for (std::size_t i = 0; i < kRows; ++i) {
        codes.push_back(static_cast<Code>(random.below(kLevels[j % 8])));
        if (std::is_signed_v<Code> && random.below(9) == 0)
          codes.back() = static_cast<Code>(-1);
        flags.push_back(static_cast<std::uint8_t>(random.below(2)));
      }
    for (std::size_t i = 0; i < kRows; ++i)
      classes.push_back(static_cast<std::int32_t>(random.below(kClasses)));
  }
  MatrixView<Code> by_column() const {
    return {codes.data(), kRows, kColumns, 1, kRows};
  }
  MatrixView<Code> by_row() const {
    return {codes.data(), kRows, kColumns, kColumns, 1};
  }
};

/// Calls use(view, classes) with byte and signed codes, in both layouts.
template <class Use>
void each_table(const Use& use) {
  const Table<std::uint8_t> bytes;
  const Table<std::int32_t> wide;
  use(bytes.by_column(), bytes.classes);
  use(bytes.by_row(), bytes.classes);
  use(wide.by_column(), wide.classes);
  use(wide.by_row(), wide.classes);
}

Bits tables_by_class(Instructions instructions) {
  Bits bits;
  each_table([&](const auto& codes, const auto& classes) {
    visit_counts(
        codes, classes, kClasses, {},
        [&](std::size_t, std::int32_t, std::span<const std::int64_t> cells) {
          bits.add(cells);
        },
        instructions);
  });
  return bits;
}

Bits dense_columns(Instructions instructions) {
  Bits bits;
  each_table([&](const auto& codes, const auto& classes) {
    visit_dense_columns(
        codes, sort_by_class(classes, kClasses),
        [&](std::size_t, DenseColumn& column) { bits.add(column.narrow); },
        instructions);
  });
  return bits;
}

Bits class_order(Instructions instructions) {
  const Table<std::int32_t> table;
  Bits bits;
  for (const std::size_t n_places : {50U, 200U}) {
    std::vector<std::uint8_t> places(n_places);
    std::iota(places.rbegin(), places.rend(), std::uint8_t{3});
    ClassOrder order(table.classes, kClasses, instructions);
    std::vector<std::uint8_t> sorted(order.size());
    order.write(std::span(table.codes).first(kRows), places, sorted);
    bits.add(sorted);
  }
  return bits;
}

Bits pairs(Instructions instructions) {
  Bits bits;
  each_table([&](const auto& codes, const auto& classes) {
    for (const Missing missing : {Missing::kLevel, Missing::kIgnore}) {
      const PairScanner scanner(codes, classes, kClasses, missing, instructions);
      std::vector<double> joint(scanner.n_pairs(0, kColumns));
      std::vector<double> synergy(joint.size());
      scanner.scan(0, kColumns, joint, synergy);
      bits.add(scanner.gains());
      bits.add(joint);
      bits.add(synergy);
    }
  });
  return bits;
}

Bits triples(Instructions instructions) {
  Bits bits;
  each_table([&](const auto& codes, const auto& classes) {
    for (const Missing missing : {Missing::kLevel, Missing::kIgnore}) {
      TripleScanner scanner(codes, classes, kClasses, missing, instructions);
      std::vector<std::int32_t> all(kColumns);
      std::iota(all.begin(), all.end(), 0);
      scanner.prepare(all);
      std::vector<double> gains(3 * scanner.n_triples(0, kColumns));
      scanner.scan(0, kColumns, gains);
      bits.add(gains);
    }
  });
  return bits;
}

Bits associations(Instructions instructions) {
  Bits bits;
  each_table([&](const auto& codes, const auto& classes) {
    for (const Missing missing :
         {Missing::kLevel, Missing::kIgnore, Missing::kSpread}) {
      const AssociationScanner scanner(codes, classes, missing, instructions);
      for (std::size_t column = 0; column <= kColumns; ++column) {
        bits.add(scanner.row(column, PairMeasure::kSymmetricalUncertainty));
        if (missing == Missing::kIgnore)
          bits.add(scanner.row(column, PairMeasure::kTauB));
      }
    }
  });
  return bits;
}

Bits pair_counts(Instructions instructions) {
  const Table<std::int32_t> table;
  PairCounts counts(std::vector<std::uint32_t>(kColumns, 121), kClasses, instructions);
  std::vector<std::uint8_t> places(121);
  std::iota(places.begin(), places.end(), std::uint8_t{0});
  counts.start(table.classes);
  for (std::size_t j = 0; j < kColumns; ++j)
    counts.write(j, std::span(table.codes).subspan(j * kRows, kRows), places);
  counts.finish();
  Bits bits;
  bits.add(counts.counts());
  return bits;
}

Bits common_rows(Instructions instructions) {
  const Table<std::uint8_t> table;
  const CommonRows rows(table.flags, kColumns, kRows, instructions);
  Bits bits;
  for (std::size_t block = 0; block < rows.n_blocks(); ++block)
    bits.add(rows.count(block));
  return bits;
}

/// Rows of numbers, of levels, and of both with gaps.
struct Mixed {
  static constexpr ColumnGroups kGroups{11, 3, 4, 2};
  std::vector<double> values;
  std::vector<double> expected;

  Mixed() {
    Random random(8);
    for (std::size_t i = 0; i < kRows; ++i)
      for (std::size_t j = 0; j < kGroups.total(); ++j) {
        const bool has_gaps = j >= kGroups.complete();
        const bool nominal = has_gaps ? j >= kGroups.complete() + kGroups.numeric_gaps
                                      : j >= kGroups.numeric;
        values.push_back(nominal ? static_cast<double>(random.below(4))
                                 : random.uniform());
        if (!has_gaps) continue;
        if (random.below(6) == 0)
          values.back() = std::numeric_limits<double>::quiet_NaN();
        expected.push_back(random.uniform());
      }
  }
  MixedRows rows() const { return {values, expected, kRows, kGroups}; }
};

Bits row_distances(Instructions instructions) {
  const Mixed mixed;
  const MixedRows rows = mixed.rows();
  const RowDistances distances(rows, instructions);
  const CoarseDistances coarse(rows, instructions);
  const std::vector<std::int32_t> anchors{0, 7, 100, 101, 102, 555, 1110};
  std::vector<double> line(kRows);
  std::vector<double> sums(Mixed::kGroups.total());
  std::vector<std::int32_t> lines(anchors.size() * coarse.stride());
  coarse.from(anchors, lines);
  Bits bits;
  for (std::size_t k = 0; k < anchors.size(); ++k) {
    const auto anchor = static_cast<std::size_t>(anchors[k]);
    bits.add(std::span(lines).subspan(k * coarse.stride(), kRows));
    distances.from(anchor, line);
    distances.add_differences(anchor, 3, 0.3, sums);
    bits.add(line);
    bits.add(std::vector<double>{distances.between(anchor, 9)});
  }
  bits.add(sums);
  return bits;
}

Bits relief(Instructions instructions) {
  const Mixed mixed;
  const std::vector<std::int32_t> begins{0, 400, 1111};
  const std::vector<double> factors{-1, 1, 1, -1};
  const ReliefScanner scanner(mixed.rows(), {begins, factors, {}}, {}, instructions);
  std::vector<std::int32_t> anchors;
  for (std::int32_t row = 0; row < 1111; row += 13) anchors.push_back(row);
  Bits bits;
  bits.add(scanner.nearest(anchors, {}).terms);
  bits.add(scanner.near(anchors, 0).terms);
  return bits;
}

Bits neighbours(Instructions instructions) {
  Random random(9);
  constexpr std::size_t kQueries = 77;
  const std::vector<Difference> kinds{Difference::kNumeric, Difference::kNumericGaps,
                                      Difference::kNominal, Difference::kNumericGaps};
  std::vector<double> rows;
  std::vector<double> queries;
  for (const Difference kind : kinds)
    for (std::size_t i = 0; i < kRows + kQueries; ++i) {
      double value = std::round(random.uniform() * 50) / 50;
      if (kind == Difference::kNumericGaps && random.below(7) == 0)
        value = std::numeric_limits<double>::quiet_NaN();
      (i < kRows ? rows : queries).push_back(value);
    }
  const NeighbourSearch search({rows, queries, kinds, kRows, kQueries}, {},
                               instructions);
  const std::vector<std::int32_t> columns{0, 1, 0, 1, 2, 0, 1, 2, 3, 3};
  const std::vector<std::int64_t> begins{0, 2, 5, 9, 10};
  Bits bits;
  search.each({columns, begins}, 5, {},
              [&](std::size_t, std::size_t, const Nearby& nearby) {
                bits.add(nearby.distances);
              });
  std::vector<std::int32_t> classes(kRows);
  for (auto& c : classes) c = static_cast<std::int32_t>(random.below(kClasses));
  bits.add(votes_of_exactly(search, {columns, begins}, 5, classes, kClasses,
                            std::vector<double>(4, 0)));
  bits.add(votes_with_ties(search, {columns, begins}, 5, classes,
                           std::vector<std::int32_t>{2, 0, 1}));
  return bits;
}

struct Kernel {
  const char* name;
  Bits (*run)(Instructions);
};
constexpr Kernel kKernels[] = {{"tables by class", tables_by_class},
                               {"dense columns", dense_columns},
                               {"class order", class_order},
                               {"pairs", pairs},
                               {"triples", triples},
                               {"associations", associations},
                               {"pair counts", pair_counts},
                               {"common rows", common_rows},
                               {"row distances", row_distances},
                               {"relief", relief},
                               {"neighbours", neighbours}};

CASE("every kernel gives the same bits on every path") {
  for (const Kernel& kernel : kKernels) {
    const Bits portable = kernel.run(Instructions::kPortable);
    check::that(portable.size() > 0, std::string(kernel.name) + " computes something");
    for (const Instructions instructions : {Instructions::kAvx2, Instructions::kAvx512})
      if (has_instructions(instructions))
        check::that(kernel.run(instructions) == portable,
                    std::string(kernel.name) + " with instructions " +
                        std::to_string(static_cast<int>(instructions)));
  }
}

CASE("what is not there is refused") {
  check::that(has_instructions(Instructions::kPortable), "portable always exists");
  check::that(has_instructions(best_instructions()), "the best are there");
  for (const Instructions instructions : {Instructions::kAvx2, Instructions::kAvx512}) {
    if (has_instructions(instructions))
      check::that(require(instructions) == instructions, "what is there is returned");
    else
      check::refuses([&] { require(instructions); }, "not there");
  }
}

}  // namespace
