#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "featsieve/level_counts.hpp"

using namespace featsieve;

namespace {

using Codes = std::vector<std::int32_t>;
using Counts = std::vector<std::int64_t>;

void adds_to_what_is_there() {
  Counts table{5, 0, 0, 0, 0, 7};  // three levels, two classes
  Counts missing{0, 1};
  add_by_class(Codes{0, 1, 1, -1, 2, 0}, Codes{2, 0, -1}, Codes{0, 1, 0, 1, 1, -1}, 2,
               table, missing);
  check::that(table == Counts({6, 1, 0, 0, 1, 7}), "cells");
  check::that(missing == Counts({0, 3}), "missing values, and a code without a place");
}

void refuses_nonsense() {
  Counts table(2, 0);
  Counts missing(2, 0);
  const auto add = [&](const Codes& codes, const Codes& places, const Codes& classes) {
    return [&, codes, places, classes] {
      add_by_class(codes, places, classes, 2, table, missing);
    };
  };
  check::throws<std::invalid_argument>(add({0}, {0}, {}), "length");
  check::throws<std::invalid_argument>(add({0}, {0}, {2}), "class");
  check::throws<std::out_of_range>(add({1}, {0}, {0}), "code");
  check::throws<std::out_of_range>(add({0}, {1}, {0}), "place");
  missing.clear();
  check::throws<std::invalid_argument>(add({0}, {0}, {0}), "missing values");
  Counts none;
  add_by_class({}, {}, {}, 0, none, none);
}

}  // namespace

int main() {
  return check::run({
      {"adds to what is there", adds_to_what_is_there},
      {"refuses nonsense", refuses_nonsense},
  });
}
