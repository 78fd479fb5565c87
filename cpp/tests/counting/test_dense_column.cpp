#include <cstdint>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "counting/dense_column.hpp"

using namespace featsieve;

namespace {

CASE("rows are sorted by class, stably") {
  const ClassRows rows = sort_by_class(std::vector<std::int32_t>{1, 0, 1, 0, 2}, 4);
  check::that(rows.order == std::vector<std::uint32_t>{1, 3, 0, 2, 4}, "order");
  check::that(rows.begin == std::vector<std::size_t>{0, 2, 4, 5, 5}, "begin");
  check::that(one_class(3).order == std::vector<std::uint32_t>{0, 1, 2}, "one class");
  check::refuses([] { sort_by_class(std::vector<std::int32_t>{2}, 2); },
                 "class 2 of 2");
}

CASE("levels are numbered without large gaps") {
  // Three columns: few levels, far levels with a missing one, more than 256 levels.
  const std::size_t n = 600;
  std::vector<std::int32_t> codes;
  for (std::size_t i = 0; i < n; ++i) codes.push_back(static_cast<std::int32_t>(i % 3));
  for (std::size_t i = 0; i < n; ++i)
    codes.push_back(i % 2 == 0 ? -1 : 1'000'000 * static_cast<std::int32_t>(i % 5));
  for (std::size_t i = 0; i < n; ++i) codes.push_back(static_cast<std::int32_t>(i / 2));
  const MatrixView<std::int32_t> view{codes.data(), n, 3, 1, 600};
  visit_dense_columns(view, one_class(n), [&](std::size_t j, DenseColumn& column) {
    const std::vector<std::uint32_t> levels{3, 6, 300};
    check::equal(column.levels, levels[j], "levels");
    check::that(column.has_missing == (j == 1), "missing");
    check::that(column.is_narrow() == (j < 2), "bytes up to 256 levels");
    column.with_codes([&](const auto* found) {
      if (j == 1) check::equal(found[0], 5, "missing is the last level");
      bool ordered = true;
      for (std::size_t a = 0; a + 1 < n; ++a)
        if (codes[j * n + a] >= 0 && codes[j * n + a + 1] >= 0)
          ordered = ordered && (codes[j * n + a] < codes[j * n + a + 1]) ==
                                   (found[a] < found[a + 1]);
      check::that(ordered, "levels keep their order");
    });
  });
}

}  // namespace
