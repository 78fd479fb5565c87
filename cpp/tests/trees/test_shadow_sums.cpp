#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "featsieve/trees.hpp"
#include "forests/shadow_growth.hpp"
#include "trees/node_complexity.hpp"

using namespace featsieve;

namespace {

double complexity(const std::vector<double>& counts) {
  const LogFactorials factorials(200);
  NodeComplexity complexity(factorials);
  for (const double count : counts) complexity.add(count);
  return complexity.bits();
}

CASE("complexities_are_those_of_the_spec") {
  check::equal(complexity({1, 1}), 0, "(1, 1)", 1e-12);
  check::equal(complexity({2, 1}), 0.9182958341, "(2, 1)", 1e-9);
  check::equal(complexity({3, 3}), 3.321928095, "(3, 3)", 1e-9);
  check::equal(complexity({50, 50}), 95.34871716, "(50, 50)", 1e-7);
  check::equal(complexity({3, 2, 2}), 6.742816946, "(3, 2, 2)", 1e-8);
  check::equal(complexity({1, 1, 1, 1, 1}), 5.906890596, "five numbers", 1e-9);
}

struct Bits {
  Bits() : columns(8) {
    columns.add_numeric(std::vector<double>{0, 0, 0, 0, 1, 1, 1, 1});
    columns.add_numeric(std::vector<double>{0, 0, 1, 1, 0, 0, 1, 1});
    columns.add_numeric(std::vector<double>{0, 1, 0, 1, 0, 1, 0, 1});
  }
  TreeColumns columns;
  std::vector<std::int32_t> parity{0, 1, 1, 0, 1, 0, 0, 1};
  TreeTarget target{parity, 2, {}};
};

GrowthRules whole_rules() {
  GrowthRules rules;
  rules.missing = MissingCases::kLargest;
  rules.features.n_drawn = 1;
  return rules;
}

CASE("draws_below_a_split_do_not_count") {
  const Bits bits;
  const Shadows shadows(bits.columns, 2, 2, 1);
  ShadowSums sums(3, 2);
  const ShadowRule rule;
  ShadowWatch watch(shadows, bits.target, rule, sums);
  watch.begin_tree();
  const std::vector<std::uint32_t> all{0, 1, 2, 3, 4, 5, 6, 7};
  const std::vector<std::uint32_t> half{0, 1, 2, 3};
  check::that(watch.see(0, all, 0, 0.0, true) >= 0, "asked");
  watch.split(0, 0, 2);
  check::equal(watch.see(1, half, 0, 0.0, false), 0, "neither asked nor summed");
  watch.see(1, half, 1, 0.25, false);
  check::that(sums.n_draws == std::vector<std::int64_t>{1, 1, 0}, "draws");
  check::equal(sums.weight[1], complexity({2, 2}), "weight", 1e-12);
  check::equal(sums.gain[1], 0.25 * complexity({2, 2}), "gain", 1e-12);
  watch.begin_tree();
  watch.see(0, all, 0, 0.0, false);
  check::that(sums.n_draws[0] == 2, "another tree");
}

CASE("relatives_use_each_other_up") {
  const Bits bits;
  const Shadows shadows(bits.columns, 2, 2, 1);
  ShadowSums sums(3, 2);
  const std::vector<std::uint8_t> marks{0, 0, 0, 1, 0, 0, 0, 0, 0};
  const ShadowRule rule{0.5, marks};
  ShadowWatch watch(shadows, bits.target, rule, sums);
  watch.begin_tree();
  watch.split(0, 0, 2);
  const std::vector<std::uint32_t> half{0, 1, 2, 3};
  watch.see(1, half, 1, 0.0, false);
  watch.see(1, half, 2, 0.0, false);
  check::that(sums.n_draws == std::vector<std::int64_t>{0, 0, 1}, "second is used up");
  check::equal(sums.weight[2], std::sqrt(complexity({2, 2})), "root", 1e-12);
}

CASE("forests_are_sums_of_trees") {
  const Bits bits;
  const Shadows shadows(bits.columns, 3, 3, 1);
  const std::vector<std::uint64_t> seeds{4, 5, 6};
  const ShadowRule rule;
  const GrowthRules rules = whole_rules();
  const ShadowSums all =
      grow_with_shadows(shadows, bits.target, {}, {}, rules, seeds, rule);
  double weight = 0;
  for (const std::uint64_t seed : seeds) {
    const std::vector<std::uint64_t> one{seed};
    weight +=
        grow_with_shadows(shadows, bits.target, {}, {}, rules, one, rule).weight[1];
  }
  check::equal(all.weight[1], weight, "weight", 1e-12);
  check::that(all.n_draws[0] > 0 && all.shadow_gain.size() == 9, "something is drawn");
  const std::vector<double> chances{1, 0, 0, 1, 0, 0, 0, 0};
  const ShadowSums pure =
      grow_with_shadows(shadows, bits.target, chances, {}, rules, seeds, rule);
  check::that(pure.n_draws == std::vector<std::int64_t>{0, 0, 0}, "rows of one class");
}

CASE("groups_are_drawn_as_a_whole") {
  const Bits bits;
  const Shadows shadows(bits.columns, 3, 3, 1);
  const std::vector<std::uint64_t> seeds{4, 5, 6};
  const auto grow = [&](std::span<const double> chances,
                        std::span<const std::uint32_t> groups) {
    return grow_with_shadows(shadows, bits.target, chances, groups, whole_rules(),
                             seeds, ShadowRule{});
  };
  const std::vector<std::uint32_t> one(8, 0);
  const ShadowSums all = grow({}, one);
  check::that(all.n_draws[0] > 0, "all rows are in every bag");
  // The rows of the parity 0 are a group, and the only one with a chance.
  std::vector<std::uint32_t> groups;
  std::vector<double> chances;
  for (const std::int32_t code : bits.parity) {
    groups.push_back(static_cast<std::uint32_t>(code));
    chances.push_back(code == 0 ? 1.0 : 0.0);
  }
  check::that(grow(chances, groups).n_draws == std::vector<std::int64_t>{0, 0, 0},
              "one class");
  const std::vector<std::uint32_t> few{0, 1};
  const std::vector<std::uint32_t> far(8, 9);
  check::refuses([&] { grow({}, few); }, "length");
  check::refuses([&] { grow({}, far); }, "numbers");
}

CASE("bad_input_is_refused") {
  const Bits bits;
  const Shadows shadows(bits.columns, 2, 2, 1);
  const std::vector<std::uint64_t> seeds{4};
  const ShadowRule rule;
  const auto grow = [&](std::span<const double> chances, const GrowthRules& rules) {
    grow_with_shadows(shadows, bits.target, chances, {}, rules, seeds, rule);
  };
  const std::vector<double> few{1, 2};
  const std::vector<double> none(8, 0.0);
  check::refuses([&] { grow(few, whole_rules()); }, "length");
  check::refuses([&] { grow(none, whole_rules()); }, "no chance");
  check::refuses([&] { grow({}, GrowthRules{}); }, "fractions");
  ShadowSums other(2, 2);
  check::refuses([&] { ShadowWatch(shadows, bits.target, rule, other); },
                 "other features");
  const TreeTarget short_target{std::span(bits.parity).first(3), 2, {}};
  ShadowSums sums(3, 2);
  check::refuses([&] { ShadowWatch(shadows, short_target, rule, sums); }, "other rows");
}

CASE("no_rows_no_sums") {
  TreeColumns columns(0);
  columns.add_numeric({});
  const Shadows shadows(columns, 2, 2, 1);
  const std::vector<std::uint64_t> seeds{4};
  const TreeTarget target{{}, 2, {}};
  const ShadowSums sums =
      grow_with_shadows(shadows, target, {}, {}, whole_rules(), seeds, ShadowRule{});
  check::equal(sums.weight[0], 0, "weight");
}

}  // namespace
