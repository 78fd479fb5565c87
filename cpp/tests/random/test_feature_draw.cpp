#include <array>
#include <set>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "random/feature_draw.hpp"

using namespace featsieve;

namespace {

std::vector<std::size_t> all_of_a_node(FeatureDraw& draw) {
  std::vector<std::size_t> drawn;
  std::size_t feature = 0;
  while (draw.next(feature)) drawn.push_back(feature);
  return drawn;
}

CASE("each feature comes once") {
  FeatureDraw equal(5, {}, 1);
  FeatureDraw weighted(5, std::vector<double>{1, 2, 0, 4, 1e-9}, 1);
  for (int node = 0; node < 100; ++node) {
    equal.begin();
    const auto drawn = all_of_a_node(equal);
    check::that(std::set(drawn.begin(), drawn.end()).size() == 5, "all five");
    weighted.begin();
    const auto other = all_of_a_node(weighted);
    const std::set<std::size_t> expected{0, 1, 3, 4};
    check::that(std::set(other.begin(), other.end()) == expected, "never the third");
    check::that(other.size() == 4, "once each");
  }
}

CASE("draws follow the chances") {
  const std::vector<double> chances{1, 2, 3, 4};
  FeatureDraw draw(4, chances, 7);
  std::array<double, 4> counts{};
  constexpr int kDraws = 20000;
  for (int node = 0; node < kDraws; ++node) {
    draw.begin();
    std::size_t feature = 0;
    draw.next(feature);
    counts[feature] += 1;
  }
  double chi_square = 0;
  for (std::size_t f = 0; f < 4; ++f) {
    const double expected = kDraws * chances[f] / 10;
    chi_square += (counts[f] - expected) * (counts[f] - expected) / expected;
  }
  // 16.27 is exceeded once in a thousand times with three degrees of freedom.
  check::that(chi_square < 16.27, "chi square " + std::to_string(chi_square));
}

CASE("tiny chances are not lost") {
  FeatureDraw draw(3, std::vector<double>{1, 1e-17, 1e-17}, 3);
  int first = 0;
  for (int node = 0; node < 1000; ++node) {
    draw.begin();
    const auto drawn = all_of_a_node(draw);
    check::that(drawn.size() == 3 && drawn[0] == 0, "the great one first");
    first += drawn[1] == 1 ? 1 : 0;
  }
  check::that(first > 430 && first < 570, "then both alike: " + std::to_string(first));
}

CASE("a node may have chances of its own") {
  FeatureDraw draw(3, {}, 5);
  for (int node = 0; node < 50; ++node) {
    draw.begin(std::vector<double>{0, -1, 2});
    check::that(all_of_a_node(draw) == std::vector<std::size_t>{2}, "only the third");
    draw.begin(std::vector<double>{0, 0, 0});
    check::that(all_of_a_node(draw).size() == 3, "equal chances if none is positive");
  }
}

CASE("chances must fit") {
  check::refuses([] { FeatureDraw(2, std::vector<double>{1.0}, 0); },
                 "one per feature");
}

}  // namespace
