#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "common/radix_sort.hpp"
#include "cuts/mdl.hpp"
#include "random/random.hpp"

using namespace featsieve;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

CASE("one clear cut") {
  const std::vector<double> values{21, 25, 30, 34, 41, 48, 53, 60, kNaN};
  const std::vector<std::int32_t> classes{0, 0, 0, 0, 1, 1, 1, 1, 0};
  for (const auto price :
       {CutPrice::kFayyadIrani, CutPrice::kBetter, CutPrice::kKononenko}) {
    const auto cuts = mdl_cuts(values, classes, 2, {}, price);
    check::that(cuts == std::vector<double>{37.5}, "37.5");
  }
  const std::vector<double> weights(9, 2.0);
  const auto weighted = mdl_cuts(values, classes, 2, weights, CutPrice::kFayyadIrani);
  check::that(weighted == std::vector<double>{37.5}, "weighted");
}

CASE("noise is not cut") {
  Random random(1);
  int cut = 0;
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<double> values(100);
    std::vector<std::int32_t> classes(100);
    for (auto& value : values) value = random.uniform();
    for (auto& c : classes) c = static_cast<std::int32_t>(random.below(2));
    cut += mdl_cuts(values, classes, 2, {}, CutPrice::kFayyadIrani).empty() ? 0 : 1;
  }
  check::that(cut < 10, "cuts on noise: " + std::to_string(cut));
}

CASE("weights of one") {
  // Every number of classes that has code of its own, and one that has not.
  for (const std::int32_t n_classes : {2, 3, 4, 6}) {
    Random random(static_cast<std::uint64_t>(n_classes));
    const std::size_t n_rows = 700;
    std::vector<double> values(n_rows);
    std::vector<std::int32_t> classes(n_rows);
    for (std::size_t i = 0; i < n_rows; ++i) {
      classes[i] = static_cast<std::int32_t>(
          random.below(static_cast<std::uint64_t>(n_classes)));
      values[i] = std::round(8 * (classes[i] + random.uniform())) / 8;
      if (i % 2 == 0) values[i] += random.uniform() / 16;
    }
    const std::vector<double> ones(n_rows, 1.0);
    for (const auto price :
         {CutPrice::kFayyadIrani, CutPrice::kBetter, CutPrice::kKononenko}) {
      const auto plain = mdl_cuts(values, classes, n_classes, {}, price);
      check::that(plain.size() + 1 >= static_cast<std::size_t>(n_classes),
                  "cuts found");
      check::that(mdl_cuts(values, classes, n_classes, ones, price) == plain,
                  "as without weights");
    }
  }
}

CASE("sorting") {
  Random random(17);
  for (const unsigned shared : {0U, 20U, 31U, 45U, 60U, 64U}) {
    std::vector<KeyedRow> rows;
    for (std::uint32_t i = 0; i < 3000; ++i) {
      const std::uint64_t low = shared == 64 ? 0 : random.next() >> shared;
      // Low digits with few values: ties, and keys that differ in the last bits only.
      rows.push_back({i % 2 == 0 ? low : low & ~0xFFFULL, i});
      if (i % 5 == 0) rows.back().key = (low & ~7ULL) | random.below(8);
      if (i % 7 == 0 && i > 0) rows.back().key = rows[i - 1].key;
    }
    auto expected = rows;
    std::stable_sort(
        expected.begin(), expected.end(),
        [](const KeyedRow& a, const KeyedRow& b) { return a.key < b.key; });
    std::vector<KeyedRow> scratch;
    radix_sort(rows, scratch);
    bool equal = true;
    for (std::size_t i = 0; i < rows.size(); ++i)
      equal = equal && rows[i].row == expected[i].row;
    check::that(equal, "shared bits " + std::to_string(shared));
  }
}

CASE("degenerate columns") {
  check::that(mdl_cuts({}, {}, 0, {}, CutPrice::kBetter).empty(), "no rows");
  const std::vector<double> constant{1, 1, 1};
  const std::vector<std::int32_t> classes{0, 1, 0};
  check::that(mdl_cuts(constant, classes, 2, {}, CutPrice::kBetter).empty(),
              "constant");
  const std::vector<double> missing{kNaN, kNaN, kNaN};
  check::that(mdl_cuts(missing, classes, 2, {}, CutPrice::kBetter).empty(), "missing");
  const std::vector<double> values{1, 2, 3};
  const std::vector<std::int32_t> same{0, 0, 0};
  check::that(mdl_cuts(values, same, 1, {}, CutPrice::kBetter).empty(), "one class");
}

CASE("neighbouring doubles") {
  std::vector<double> values;
  std::vector<std::int32_t> classes;
  const double low = 1.0;
  const double high = std::nextafter(low, 2.0);
  for (int i = 0; i < 20; ++i) {
    values.push_back(i < 10 ? low : high);
    classes.push_back(i < 10 ? 0 : 1);
  }
  const auto cuts = mdl_cuts(values, classes, 2, {}, CutPrice::kBetter);
  check::that(cuts.size() == 1 && cuts[0] >= low && cuts[0] < high, "between");
  const auto codes = apply_cuts(values, cuts);
  check::that(codes.front() == 0 && codes.back() == 1, "coded apart");
}

CASE("many cuts") {
  std::vector<double> values;
  std::vector<std::int32_t> classes;
  for (int block = 0; block < 300; ++block)
    for (int i = 0; i < 20; ++i) {
      values.push_back(block * 20.0 + i);
      classes.push_back(block % 3);
    }
  const auto cuts = mdl_cuts(values, classes, 3, {}, CutPrice::kBetter);
  check::that(std::is_sorted(cuts.begin(), cuts.end()), "ascending");
}

CASE("wrong arguments") {
  const std::vector<double> values{1, 2};
  const std::vector<std::int32_t> classes{0, 5};
  check::refuses([&] { mdl_cuts(values, classes, 2, {}, CutPrice::kBetter); }, "class");
  check::refuses([&] { mdl_cuts(values, {}, 2, {}, CutPrice::kBetter); }, "rows");
  check::refuses([&] { mdl_cuts(values, classes, 0, {}, CutPrice::kBetter); },
                 "no class");
  check::refuses(
      [&] {
        mdl_cuts(values, classes, 6, std::vector<double>{1.0}, CutPrice::kBetter);
      },
      "weights");
}

CASE("cuts and codes") {
  const std::vector<double> values{-1, 0, 0.5, 1, 9, kNaN};
  const auto few = apply_cuts(values, std::vector<double>{0, 1});
  check::that(few == std::vector<std::int32_t>{0, 0, 1, 1, 2, -1}, "few cuts");
  std::vector<double> cuts(40);
  for (std::size_t i = 0; i < cuts.size(); ++i) cuts[i] = static_cast<double>(i);
  const auto many = apply_cuts(values, cuts);
  check::that(many == std::vector<std::int32_t>{0, 0, 1, 1, 9, -1}, "many cuts");
}

CASE("ties") {
  const std::vector<double> values{3, 1, kNaN, 3, 2, 3, -0.0, 0.0};
  check::that(tie_runs(values) == std::vector<std::int64_t>{2, 1, 1, 3}, "runs");
}

CASE("radix sort") {
  Random random(2);
  for (const std::size_t size : {0U, 1U, 100U, 511U, 512U, 5000U}) {
    std::vector<KeyedRow> rows(size);
    for (std::uint32_t i = 0; i < size; ++i) {
      const double value = random.below(3) == 0
                               ? static_cast<double>(random.below(10)) - 5
                               : (random.uniform() - 0.5) * 1e300;
      rows[i] = {ordered_key(value), i};
    }
    auto expected = rows;
    std::stable_sort(expected.begin(), expected.end(),
                     [](const KeyedRow& a, const KeyedRow& b) {
                       return from_ordered_key(a.key) < from_ordered_key(b.key);
                     });
    std::vector<KeyedRow> scratch;
    radix_sort(rows, scratch);
    bool equal = true;
    for (std::size_t i = 0; i < size; ++i)
      equal = equal && rows[i].row == expected[i].row;
    check::that(equal, "order of " + std::to_string(size));
  }
}

}  // namespace
