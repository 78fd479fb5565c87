#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "counting/level_counts.hpp"

using namespace featsieve;

namespace {

using Codes = std::vector<std::int32_t>;
using Counts = std::vector<std::int64_t>;

CASE("adds to what is there") {
  Counts table{5, 0, 0, 0, 0, 7};  // three levels, two classes
  Counts missing{0, 1};
  add_by_class(Codes{0, 1, 1, -1, 2, 0}, Codes{2, 0, -1}, Codes{0, 1, 0, 1, 1, -1}, 2,
               table, missing);
  check::that(table == Counts({6, 1, 0, 0, 1, 7}), "cells");
  check::that(missing == Counts({0, 3}), "missing values, and a code without a place");
}

CASE("many rows and many cells") {
  // Few cells are counted side by side, many one by one; negative ones of any size.
  for (const std::int32_t n_codes : {3, 700}) {
    for (const std::int32_t lowest : {-1, -5}) {
      Codes codes;
      Codes classes;
      Codes places(static_cast<std::size_t>(n_codes));
      for (std::int32_t k = 0; k < n_codes; ++k)
        places[static_cast<std::size_t>(k)] = (k + 1) % n_codes;
      Counts expected(static_cast<std::size_t>(n_codes) * 3, 0);
      Counts expected_missing(3, 0);
      for (std::int32_t i = 0; i < 5003; ++i) {
        codes.push_back(i * 7 % 11 == 0 ? lowest : i * i % n_codes);
        classes.push_back(i % 13 == 0 ? lowest : i % 3);
        if (classes.back() < 0) continue;
        const auto c = static_cast<std::size_t>(classes.back());
        if (codes.back() < 0)
          ++expected_missing[c];
        else
          ++expected[static_cast<std::size_t>((codes.back() + 1) % n_codes) * 3 + c];
      }
      Counts table(expected.size(), 0);
      Counts missing(3, 0);
      add_by_class(codes, places, classes, 3, table, missing);
      check::that(table == expected, "cells");
      check::that(missing == expected_missing, "missing");
    }
  }
}

CASE("refuses nonsense") {
  Counts table(2, 0);
  Counts missing(2, 0);
  const auto add = [&](const Codes& codes, const Codes& places, const Codes& classes) {
    return [&, codes, places, classes] {
      add_by_class(codes, places, classes, 2, table, missing);
    };
  };
  check::refuses(add({0}, {0}, {}), "length");
  check::refuses(add({0}, {0}, {2}), "class");
  check::throws<std::out_of_range>(add({1}, {0}, {0}), "code");
  check::throws<std::out_of_range>(add({0}, {1}, {0}), "place");
  missing.clear();
  check::refuses(add({0}, {0}, {0}), "missing values");
  Counts none;
  add_by_class({}, {}, {}, 0, none, none);
}

}  // namespace
