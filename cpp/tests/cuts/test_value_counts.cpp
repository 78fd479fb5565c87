#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "check.hpp"
#include "common/radix_sort.hpp"
#include "cuts/mdl.hpp"
#include "cuts/value_counts.hpp"
#include "random/random.hpp"

using namespace featsieve;

namespace {

struct Rows {
  std::vector<double> values;
  std::vector<std::int32_t> classes;
};

Rows random_rows(std::size_t n, std::uint64_t seed, bool whole) {
  Random random(seed);
  Rows rows;
  for (std::size_t i = 0; i < n; ++i) {
    const auto low = static_cast<double>(random.next() % 100);
    const double fine = static_cast<double>(random.next() % 1000000) * 1e-6;
    const double value = whole ? low : (low - 50) * fine;
    const bool missing = random.next() % 10 == 0;
    rows.values.push_back(missing ? std::nan("") : value);
    rows.classes.push_back(static_cast<std::int32_t>(random.next() % 4) - 1);
  }
  return rows;
}

ValueTable count(const Rows& rows, std::size_t begin, std::size_t end,
                 std::size_t most) {
  ValueCounts counts(3, most);
  counts.add({&rows.values[begin], end - begin}, {&rows.classes[begin], end - begin});
  return counts.table();
}

bool same(const ValueTable& a, const ValueTable& b) {
  return a.keys == b.keys && a.counts == b.counts && a.missing == b.missing &&
         a.dropped_bits == b.dropped_bits && a.least == b.least &&
         a.greatest == b.greatest;
}

CASE("counts every value") {
  const Rows rows = random_rows(2000, 1, true);
  std::map<double, std::vector<std::int64_t>> expected;
  std::vector<std::int64_t> missing(3, 0);
  for (std::size_t i = 0; i < rows.values.size(); ++i) {
    if (rows.classes[i] < 0) continue;
    const auto c = static_cast<std::size_t>(rows.classes[i]);
    if (std::isnan(rows.values[i])) {
      ++missing[c];
      continue;
    }
    auto& cell = expected[rows.values[i]];
    cell.resize(3, 0);
    ++cell[c];
  }
  const ValueTable table = count(rows, 0, rows.values.size(), 1000);
  check::that(table.missing == missing, "missing values per class");
  check::equal(table.keys.size(), expected.size(), "distinct values");
  std::size_t i = 0;
  for (const auto& [value, counts] : expected) {
    check::equal(least_value(table.keys[i]), value, "value");
    check::equal(greatest_value(table.keys[i], 0), value, "value");
    for (std::size_t c = 0; c < 3; ++c)
      check::that(table.counts[i * 3 + c] == counts[c], "count");
    ++i;
  }
}

CASE("parts do not matter") {
  for (const std::size_t most : {2U, 7U, 64U, 100000U}) {
    const Rows rows = random_rows(3000, most, false);
    const ValueTable whole = count(rows, 0, 3000, most);
    check::that(whole.keys.size() <= most, "no more values than asked");
    ValueCounts merged(3, most);
    for (const std::size_t begin : {2000U, 0U, 1000U})
      merged.merge(count(rows, begin, begin + 1000, most));
    check::that(same(whole, merged.table()), "merged in another order");
  }
}

CASE("scattered values") {
  // Neighbours share pages; values of all magnitudes are too many pages and are hashed.
  Random random(4);
  for (const int exponents : {1, 4, 2000}) {
    Rows rows;
    for (int i = 0; i < 30'000; ++i) {
      const auto power = static_cast<int>(random.next() % exponents) - exponents / 2;
      const double value = std::ldexp(1 + random.uniform(), power);
      rows.values.push_back(random.next() % 2 == 0 ? value : -value);
      rows.classes.push_back(static_cast<std::int32_t>(random.next() % 3));
    }
    const ValueTable table = count(rows, 0, rows.values.size(), 8192);
    check::that(table.dropped_bits >= 36, "many bits are dropped");
    std::map<std::uint64_t, std::int64_t> expected;
    for (const double value : rows.values)
      ++expected[ordered_key(value) >> table.dropped_bits << table.dropped_bits];
    check::that(expected.size() == table.keys.size(), "all values are there");
    std::size_t i = 0;
    for (const auto& [key, rows_of_key] : expected) {
      check::that(table.keys[i] == key, "in order");
      const auto* cells = &table.counts[i++ * 3];
      check::that(cells[0] + cells[1] + cells[2] == rows_of_key, "counted once each");
    }
    ValueCounts merged(3, 8192);
    for (const std::size_t begin : {10'000U, 20'000U, 0U})
      merged.merge(count(rows, begin, begin + 10'000, 8192));
    check::that(same(table, merged.table()), "whatever the parts");
  }
}

CASE("frequent values") {
  // 300 neighbours, of which 100 are left, and 200,000 rows of one of them.
  Rows rows;
  for (int i = 0; i < 300; ++i) {
    rows.values.push_back(1 + i * 1e-3);
    rows.classes.push_back(0);
  }
  ValueCounts counts(3, 100);
  counts.add(rows.values, rows.classes);
  check::that(counts.table().dropped_bits > 36, "counted on pages");
  const std::vector<double> same_value(200'000, 1.25);
  counts.add(same_value, std::vector<std::int32_t>(200'000, 1));
  counts.add(same_value, std::vector<std::int32_t>(200'000, 2));
  ValueTable table = counts.table();
  std::vector<std::int64_t> totals(3, 0);
  for (std::size_t i = 0; i < table.counts.size(); ++i)
    totals[i % 3] += table.counts[i];
  check::that(totals == std::vector<std::int64_t>({300, 200'000, 200'000}), "all rows");
  counts.merge(table);
  table = counts.table();
  std::int64_t all = 0;
  for (const std::int64_t n : table.counts) all += n;
  check::that(all == 2 * 400'300, "merged with itself");
}

CASE("dropped bits are as few as possible") {
  const Rows rows = random_rows(3000, 5, false);
  const ValueTable table = count(rows, 0, 3000, 64);
  std::map<std::uint64_t, int> finer;
  for (std::size_t i = 0; i < rows.values.size(); ++i)
    if (rows.classes[i] >= 0 && !std::isnan(rows.values[i]))
      ++finer[ordered_key(rows.values[i]) >> (table.dropped_bits - 1)];
  check::that(finer.size() > 64, "one bit more would be too many values");
}

CASE("cuts are those of the rows") {
  Rows rows = random_rows(4000, 9, true);
  Rows known;
  for (std::size_t i = 0; i < rows.values.size(); ++i) {
    if (std::isnan(rows.values[i]) || rows.classes[i] < 0) continue;
    const bool high = rows.values[i] > 30;
    known.values.push_back(rows.values[i]);
    known.classes.push_back(high && i % 3 != 0 ? 2 : rows.classes[i]);
  }
  for (const CutPrice price :
       {CutPrice::kFayyadIrani, CutPrice::kBetter, CutPrice::kKononenko}) {
    const auto expected = mdl_cuts(known.values, known.classes, 3, {}, price);
    check::that(!expected.empty(), "there is something to cut");
    check::that(mdl_cuts(count(known, 0, known.values.size(), 1000), price) == expected,
                "the same cuts");
  }
}

CASE("cuts keep numbers of a key together") {
  Rows rows;
  Random random(3);
  for (int i = 0; i < 5000; ++i) {
    rows.values.push_back(static_cast<double>(random.next() % 100000) / 777);
    rows.classes.push_back(rows.values.back() > 60 ? 1 : 0);
  }
  const ValueTable table = count(rows, 0, rows.values.size(), 50);
  const auto cuts = mdl_cuts(table, CutPrice::kFayyadIrani);
  check::that(!cuts.empty(), "there is something to cut");
  for (const double cut : cuts)
    for (const std::uint64_t key : table.keys)
      check::that(
          greatest_value(key, table.dropped_bits) <= cut || least_value(key) > cut,
          "no key on both sides");
}

CASE("extremes") {
  const double most = std::numeric_limits<double>::max();
  Rows rows{{-most, most, 0.0, -0.0, 1e-310, -1e-310}, {0, 0, 1, 1, 2, 2}};
  const ValueTable table = count(rows, 0, 6, 2);
  check::that(table.keys.size() <= 2, "two values left");
  check::equal(table.least, -most, "exact least");
  check::equal(table.greatest, most, "exact greatest");
  for (const std::uint64_t key : table.keys)
    check::that(std::isfinite(least_value(key)) &&
                    std::isfinite(greatest_value(key, table.dropped_bits)),
                "bounds are numbers");
  const ValueTable zeros = count(rows, 0, 6, 100);
  check::equal(zeros.keys.size(), 5, "the two zeros are one");
  check::that(ValueCounts(3, 10).table().keys.empty(), "nothing counted");
}

CASE("refuses nonsense") {
  check::refuses([] { ValueCounts(2, 1); }, "one value");
  ValueCounts counts(2, 10);
  const std::vector<double> value{1.0};
  const std::vector<std::int32_t> bad{2};
  check::refuses([&] { counts.add(value, bad); }, "class");
  check::refuses([&] { counts.add(value, {}); }, "length");
  ValueTable other;
  other.missing.assign(3, 0);
  check::refuses([&] { counts.merge(other); }, "more classes");
}

}  // namespace
