#include <cmath>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "counting/three_way.hpp"

using namespace featsieve;

namespace {

CASE("finds an exclusive or") {
  ThreeWayFit fit;
  const std::vector<double> table{90, 10, 10, 90, 10, 90, 90, 10};
  const ThreeWayDistance found = fit.distance(table, 2, 2, 2);
  check::that(std::abs(found.distance - 256) < 1e-9, "X² of an exclusive or");
  check::that(found.degrees == 1, "one degree of freedom");
  const double deviance = 4 * (90 * std::log(1.8) + 10 * std::log(0.2)) * 2;
  check::that(std::abs(found.deviance - deviance) < 1e-9, "deviance");
}

CASE("finds nothing where columns add up") {
  ThreeWayFit fit;
  // odds of the class: 1, 2 by the first column, times 1, 3 by the second
  const std::vector<double> table{60, 60, 60, 60, 60, 180, 120, 360};
  check::that(fit.distance(table, 2, 2, 2).distance < 1e-6, "no interaction");
}

CASE("what does not occur does not count") {
  ThreeWayFit fit;
  const std::vector<double> table{90, 0, 10, 10, 0, 90, 0, 0, 0,
                                  10, 0, 90, 90, 0, 10, 0, 0, 0};
  const ThreeWayDistance found = fit.distance(table, 2, 3, 3);
  check::that(found.degrees == 1, "an empty level has no degree of freedom");
  check::that(std::abs(found.distance - 256) < 1e-9, "nor a distance");
  check::that(fit.distance(std::vector<double>(8, 0), 2, 2, 2).degrees == 0, "no row");
  check::that(fit.distance({}, 2, 0, 0).degrees == 0, "no cell");
  check::that(fit.distance(std::vector<double>{5, 5, 5, 5}, 1, 2, 2).degrees == 0,
              "one class");
  check::refuses([&] { fit.distance(std::vector<double>(7, 1), 2, 2, 2); },
                 "a cell is missing");
}

}  // namespace
