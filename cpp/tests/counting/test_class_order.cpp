#include <algorithm>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "counting/class_order.hpp"
#include "random/random.hpp"

using namespace featsieve;

namespace {

using Codes = std::vector<std::int32_t>;
using Bytes = std::vector<std::uint8_t>;

Bytes sorted(const Codes& codes, const Bytes& places, const Codes& classes,
             std::size_t n_classes) {
  Bytes all;
  for (std::int32_t c = 0; c < static_cast<std::int32_t>(n_classes); ++c)
    for (std::size_t row = 0; row < codes.size(); ++row)
      if (classes[row] == c)
        all.push_back(codes[row] < 0 ? places.back()
                                     : places[static_cast<std::size_t>(codes[row])]);
  return all;
}

/// Lengths around whole blocks, few and many classes and places, all instructions.
CASE("sorts translated codes") {
  Random random(3);
  for (const std::size_t n_rows : {0U, 1U, 63U, 64U, 65U, 128U, 1000U})
    for (const std::size_t n_classes : {1U, 2U, 8U, 9U})
      for (const std::size_t n_places : {1U, 2U, 64U, 65U, 200U}) {
        Codes codes;
        Codes classes;
        Bytes places;
        for (std::size_t k = 0; k < n_places; ++k)
          places.push_back(static_cast<std::uint8_t>(random.next() % 250));
        for (std::size_t row = 0; row < n_rows; ++row) {
          codes.push_back(static_cast<std::int32_t>(random.next() % n_places) - 1);
          classes.push_back(static_cast<std::int32_t>(random.next() % (n_classes + 1)) -
                            1);
        }
        const Bytes expected = sorted(codes, places, classes, n_classes);
        std::uint8_t most = 0;
        for (const std::uint8_t place : expected) most = std::max(most, place);
        for (const Instructions kind : {Instructions::kPortable, best_instructions()}) {
          ClassOrder order(classes, n_classes, kind);
          Bytes found(order.size());
          check::that(order.write(codes, places, found) == most, "the largest place");
          check::that(found == expected, "places sorted by class");
        }
      }
}

CASE("refuses nonsense") {
  check::refuses([] { ClassOrder(Codes{0, 2}, 2, Instructions::kPortable); }, "class");
  for (const Instructions kind : {Instructions::kPortable, best_instructions()}) {
    ClassOrder order(Codes{0, 1, -1}, 2, kind);
    Bytes room(2);
    const Bytes places{5, 9};
    check::throws<std::out_of_range>([&] { order.write(Codes{0, 1, 0}, places, room); },
                                     "a code has no place");
    check::refuses([&] { order.write(Codes{0}, places, room); }, "a row is missing");
    check::refuses([&] { order.write(Codes(3), {}, room); },
                   "no place for missing values");
  }
}

}  // namespace
