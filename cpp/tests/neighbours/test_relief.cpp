#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"
#include "neighbours/relief.hpp"
#include "neighbours/weka_order.hpp"
#include "random/random.hpp"

using namespace featsieve;

namespace {

const std::vector<double> kFactors{-1, 1, 1, -1};

/// One numeric column 0, 0.1, 0.3, 1 of two classes of two rows.
const std::vector<double> kLine{0, 0.1, 0.3, 1};
const std::vector<std::int32_t> kBegins{0, 2, 4};
const MixedRows kRows{kLine, {}, 4, {1, 0, 0, 0}};

CASE("nearest of each class") {
  const ReliefScanner scanner(kRows, {kBegins, kFactors, {}}, {}, best_instructions());
  const std::vector<std::int32_t> anchors{0, 2};
  const ReliefTerms one = scanner.nearest(anchors, {1, 0, {}});
  check::equal(one.terms[0], 0.3 - 0.1, "first row", 1e-15);
  check::equal(one.terms[1], 0.2 - 0.7, "third row", 1e-15);
  const ReliefTerms all = scanner.nearest(anchors, {5, 0, {}});
  check::equal(all.terms[0], 0.65 - 0.1, "fewer than asked for", 1e-15);
  const std::vector<std::int32_t> order{0};
  const ReliefTerms weka = scanner.nearest(anchors, {1, 2, order});
  check::equal(weka.terms[1], 0.2 - 0.7, "in file order", 1e-15);
}

CASE("copies take places") {
  const std::vector<double> weights{3, 1, 1, 1};
  const ReliefScanner scanner(kRows, {kBegins, kFactors, {}}, weights,
                              best_instructions());
  const std::vector<std::int32_t> anchors{0, 1};
  const ReliefTerms two = scanner.nearest(anchors, {2, 0, {}});
  check::equal(two.terms[0], 0.65 - 0, "two copies of itself are nearest", 1e-15);
  check::equal(two.terms[1], 0.55 - 0.1, "two copies of another", 1e-15);
}

CASE("an anchor needs hits and misses") {
  const std::vector<std::int32_t> begins{0, 1, 4};
  const ReliefScanner scanner(kRows, {begins, kFactors, {}}, {}, best_instructions());
  const std::vector<std::int32_t> anchors{0, 1};
  const ReliefTerms terms = scanner.nearest(anchors, {1, 0, {}});
  check::that(terms.counts[0] == 0 && terms.counts[1] == 1, "which count");
  check::equal(terms.terms[0], 0, "nothing is added");
}

CASE("quantities") {
  const std::vector<std::int32_t> begins{0, 4};
  const std::vector<double> target{0, 1, 0.5, 0.5};
  const ReliefScanner scanner(kRows, {begins, {}, target}, {}, best_instructions());
  const std::vector<std::int32_t> anchors{0};
  const ReliefTerms terms = scanner.nearest(anchors, {2, 0, {}});
  check::equal(terms.target_differences[0], 0.75, "of the target");
  check::equal(terms.terms[0], 0.2, "of the feature", 1e-15);
  check::equal(terms.terms[1], (0.1 + 0.15) / 2, "of both", 1e-15);
  const ReliefTerms near = scanner.near(anchors, 0.6);
  check::equal(near.terms[0], 0.1, "the only near row is a miss", 1e-15);
}

CASE("near rows") {
  // Distances of the third row: 0.3, 0.2, 0.7; mean 0.4, bound 0.29: a miss at 0.2.
  const ReliefScanner scanner(kRows, {kBegins, kFactors, {}}, {}, best_instructions());
  const std::vector<std::int32_t> anchors{2};
  check::equal(scanner.near(anchors, 0).terms[0], 0.2, "a near miss", 1e-15);
}

/// Many rows: an anchor's terms depend neither on the others nor on instructions.
CASE("anchors are independent") {
  Random random(1);
  const std::size_t n = 300;
  const std::size_t p = 5;
  std::vector<double> values(n * p);
  for (auto& value : values) value = static_cast<double>(random.below(5)) / 4;
  const MixedRows rows{values, {}, n, {p, 0, 0, 0}};
  const std::vector<std::int32_t> begins{0, 120, 300};
  const ReliefScanner wide(rows, {begins, kFactors, {}}, {}, best_instructions());
  const ReliefScanner narrow(rows, {begins, kFactors, {}}, {}, Instructions::kPortable);
  std::vector<std::int32_t> anchors;
  for (std::int32_t i = 0; i < 300; i += 3) anchors.push_back(i);
  const ReliefTerms together = wide.nearest(anchors, {7, 1.5, {}});
  check::that(together.terms == narrow.nearest(anchors, {7, 1.5, {}}).terms,
              "portable");
  check::that(wide.near(anchors, 0).terms == narrow.near(anchors, 0).terms, "near");
  bool same = true;
  for (std::size_t k = 0; k < anchors.size(); ++k) {
    const std::vector<std::int32_t> alone{anchors[k]};
    const ReliefTerms terms = wide.nearest(alone, {7, 1.5, {}});
    for (std::size_t j = 0; j < p; ++j)
      same = same && terms.terms[j] == together.terms[k * p + j];
  }
  check::that(same, "one by one");
}

CASE("weka_sort sorts") {
  Random random(2);
  for (std::size_t n = 0; n < 40; ++n) {
    std::vector<std::uint64_t> items(n);
    for (auto& item : items) item = random.below(6);
    weka_sort(std::span(items), [](std::uint64_t item) { return item; });
    check::that(std::ranges::is_sorted(items), "sorted: " + std::to_string(n));
  }
}

CASE("mistakes are named") {
  const auto scan = [](const ReliefTarget& target, const std::vector<double>& weights) {
    return [=] { ReliefScanner(kRows, target, weights, best_instructions()); };
  };
  const std::vector<std::int32_t> short_begins{0, 3};
  const std::vector<double> two{1, 2};
  check::refuses(scan({short_begins, kFactors, {}}, {}), "begins");
  check::refuses(scan({kBegins, two, {}}, {}), "factors");
  check::refuses(scan({kBegins, kFactors, {}}, two), "weights");
  const ReliefScanner scanner(kRows, {kBegins, kFactors, {}}, {}, best_instructions());
  const std::vector<std::int32_t> beyond{4};
  check::throws<std::out_of_range>([&] { scanner.near(beyond, 0); }, "anchors");
  check::refuses([&] { scanner.nearest({}, {0, 0, {}}); }, "k");
}

}  // namespace
