#include <map>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "neighbours/descriptions.hpp"

using namespace featsieve;

namespace {

CASE("numbers follow the first rows") {
  const std::vector<std::int32_t> codes{1, 0, 1, 0, 1, 2, 2, 2, 0, 2};
  const std::vector<std::int32_t> levels{2, 3};
  Descriptions found(CodedColumns{codes, levels, 5});
  const std::vector<std::int32_t> both{0, 1};
  check::that(found.find(both, 5), "there are few");
  check::equal(found.size(), 3, "(1,2) (0,2) (0,0)");
  const std::vector<std::int32_t> numbers{0, 1, 0, 2, 0};
  check::that(std::vector<std::int32_t>(found.of_rows().begin(),
                                        found.of_rows().end()) == numbers,
              "numbers");
  const std::vector<std::int32_t> first{0, 1, 3};
  check::that(std::vector<std::int32_t>(found.first_rows().begin(),
                                        found.first_rows().end()) == first,
              "first rows");
  check::that(!found.find(both, 2), "more than two");
}

CASE("many levels are looked up") {
  // Products of levels far beyond the rows: places in the table are shared.
  constexpr std::size_t kRows = 500;
  std::vector<std::int32_t> codes(3 * kRows);
  std::uint64_t state = 1;
  for (std::int32_t& code : codes) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    code = static_cast<std::int32_t>((state >> 33U) % 7) * 100000;
  }
  const std::vector<std::int32_t> levels{700000, 700000, 700000};
  Descriptions found(CodedColumns{codes, levels, kRows});
  const std::vector<std::int32_t> all{0, 1, 2};
  check::that(found.find(all, kRows), "at most as many as rows");
  std::map<std::vector<std::int32_t>, std::int32_t> expected;
  for (std::size_t i = 0; i < kRows; ++i) {
    const std::vector<std::int32_t> row{codes[i], codes[kRows + i],
                                        codes[2 * kRows + i]};
    const auto next = static_cast<std::int32_t>(expected.size());
    const auto place = expected.emplace(row, next).first;
    check::that(found.of_rows()[i] == place->second, "number");
  }
  check::equal(found.size(), expected.size(), "different rows");
}

CASE("codes must fit") {
  const std::vector<std::int32_t> codes{0, 2};
  const std::vector<std::int32_t> levels{2};
  check::refuses([&] { check_codes({codes, levels, 2}); }, "beyond the levels");
  check::refuses([&] { check_codes({codes, levels, 3}); }, "too few");
}

}  // namespace
