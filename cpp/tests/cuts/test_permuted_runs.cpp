#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "check.hpp"
#include "cuts/permuted_runs.hpp"

using namespace featsieve;

namespace {

struct Column {
  std::vector<std::int64_t> runs;
  std::vector<std::int64_t> classes;
};

/// Short and long runs, few and many classes, with and without missing values.
std::vector<Column> columns() {
  return {{std::vector<std::int64_t>(300, 1), {150, 150}},
          {std::vector<std::int64_t>(40, 1), {30, 5, 5}},
          {{5, 1, 1, 90, 20, 3, 1, 1, 1, 60, 200}, {100, 150, 160}},
          {std::vector<std::int64_t>(50, 13), {400, 100, 100, 50, 20}},
          {{7}, {3, 4}},
          {{}, {3, 4}}};
}

CASE("stretches add up") {
  for (const auto& [runs, classes] : columns()) {
    PermutedRuns permuted(runs, classes, 5);
    Blocks<std::int64_t> blocks(classes.size());
    for (std::uint64_t draw = 0; draw < 20; ++draw) {
      permuted.draw(draw);
      permuted.fill(blocks);
      std::vector<std::int64_t> sums(permuted.missing().begin(),
                                     permuted.missing().end());
      for (std::size_t b = 0; b < blocks.size(); ++b)
        for (std::size_t c = 0; c < classes.size(); ++c) sums[c] += blocks[b][c];
      check::that(sums == classes, "every row of a class is somewhere");
      if (blocks.size() > 0)
        check::that(blocks.end(blocks.size() - 1) == runs.size(), "all runs are there");
    }
  }
}

CASE("what is asked") {
  const LogTable logs(1000);
  for (const auto& [runs, classes] : columns()) {
    PermutedRuns asked(runs, classes, 9);
    PermutedRuns other(runs, classes, 9);
    Blocks<std::int64_t> one(classes.size());
    Blocks<std::int64_t> two(classes.size());
    for (const std::uint64_t draw : {3U, 1U, 7U}) {
      asked.draw(draw);
      asked.may_be_cut(CutPrice::kFayyadIrani, logs);
      asked.fill(one);
      other.draw(draw);
      other.fill(two);
      check::that(one.size() == two.size(), "as many blocks");
      for (std::size_t b = 0; b < one.size(); ++b)
        for (std::size_t c = 0; c < classes.size(); ++c)
          check::that(one[b][c] == two[b][c], "the same permutation");
    }
  }
}

CASE("no cut is overlooked") {
  const LogTable logs(1000);
  std::size_t n_cut = 0;
  std::size_t n_spared = 0;
  for (const CutPrice price :
       {CutPrice::kFayyadIrani, CutPrice::kBetter, CutPrice::kKononenko})
    for (const auto& [runs, classes] : columns()) {
      PermutedRuns permuted(runs, classes, 2);
      Blocks<std::int64_t> blocks(classes.size());
      for (std::uint64_t draw = 0; draw < 3000; ++draw) {
        permuted.draw(draw);
        const bool may_be = permuted.may_be_cut(price, logs);
        n_spared += may_be ? 0 : 1;
        permuted.fill(blocks);
        if (mdl_cut_blocks(blocks, price, logs).empty()) continue;
        ++n_cut;
        check::that(may_be, "a column with a cut may be cut");
      }
    }
  check::that(n_cut > 20, "some columns are cut");
  check::that(n_spared > 20'000,
              "most are found to have none: " + std::to_string(n_spared));
}

CASE("law of runs") {
  // 400 rows, half of them of class 0; the first 100 lie in runs of all lengths.
  std::vector<std::int64_t> runs{1, 2, 30, 1, 6, 60};
  runs.resize(306, 1);
  const std::vector<std::int64_t> classes{200, 200};
  PermutedRuns permuted(runs, classes, 1);
  Blocks<std::int64_t> blocks(2);
  const int n_draws = 4000;
  double sum = 0;
  double squares = 0;
  for (int draw = 0; draw < n_draws; ++draw) {
    permuted.draw(static_cast<std::uint64_t>(draw));
    permuted.fill(blocks);
    std::int64_t first = 0;
    std::int64_t rows = 0;
    for (std::size_t b = 0; b < blocks.size() && blocks.end(b) <= 6; ++b) {
      first += blocks[b][0];
      rows += blocks[b][0] + blocks[b][1];
    }
    if (rows != 100) continue;  // the last run went on with its neighbour
    sum += 1;
    squares += (static_cast<double>(first) - 50) * (static_cast<double>(first) - 50);
  }
  // Variance 100 · 1/4 · 300/399.
  const double exact = 25.0 * 300 / 399;
  check::that(sum > 0.9 * n_draws, "mixed runs are blocks of their own");
  check::equal(squares / sum, exact, "variance", 5 * exact * std::sqrt(2 / sum));
}

}  // namespace
