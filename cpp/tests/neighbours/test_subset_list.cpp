#include <cstdint>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "neighbours/subset_list.hpp"

using namespace featsieve;

namespace {

using Columns = std::vector<std::int32_t>;
using Begins = std::vector<std::int64_t>;

CASE("lists are checked") {
  const Columns columns{0, 2, 1};
  const auto check_list = [&](const Begins& begins, std::size_t n_columns) {
    check_subsets({columns, begins}, n_columns);
  };
  check_list({0, 2, 3}, 3);
  check::throws<std::exception>([&] { check_list({0, 2, 3}, 2); }, "no column 2");
  check::throws<std::exception>([&] { check_list({0, 0, 3}, 3); }, "an empty subset");
  check::throws<std::exception>([&] { check_list({0, 4}, 3); }, "beyond the columns");
}

CASE("beginnings are shared") {
  check::equal(common_beginning(Columns{1, 2, 3}, Columns{1, 2}), 2, "two columns");
  check::equal(common_beginning(Columns{1}, Columns{2}), 0, "none");
}

}  // namespace
