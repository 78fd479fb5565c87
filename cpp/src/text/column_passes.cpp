#include "text/column_passes.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <stdexcept>

namespace featsieve {
namespace {

// As many independent sums as hide the time one comparison takes.
constexpr std::size_t kLanes = 16;

}  // namespace

void recode_levels(std::span<const std::int32_t> codes,
                   std::span<const std::int32_t> table, std::span<std::int32_t> out,
                   std::span<std::uint8_t> used) {
  const std::size_t n_places = table.size();
  if (table.empty() || used.size() != n_places || out.size() != codes.size())
    throw std::invalid_argument("recode_levels: lengths do not match");
  bool good = true;
  for (std::size_t row = 0; row < codes.size(); ++row) {
    // As unsigned numbers, those below -1 are too large as well.
    std::size_t place = static_cast<std::uint32_t>(codes[row]) + std::uint32_t{1};
    const bool within = place < n_places;
    good &= within;
    place = within ? place : 0;
    used[place] = 1;
    out[row] = table[place];
  }
  if (!good) throw std::invalid_argument("a code lies outside its levels");
}

double greatest_size(std::span<const double> values) {
  std::array<double, kLanes> greatest{};
  std::size_t row = 0;
  for (; row + kLanes <= values.size(); row += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const double size = std::fabs(values[row + lane]);
      // In this order NaN changes nothing.
      greatest[lane] = size > greatest[lane] ? size : greatest[lane];
    }
  }
  for (; row < values.size(); ++row) {
    const double size = std::fabs(values[row]);
    greatest[0] = size > greatest[0] ? size : greatest[0];
  }
  return *std::max_element(greatest.begin(), greatest.end());
}

double whole_to_double(std::span<std::int64_t> values) {
  std::int64_t lowest = 0;
  std::int64_t highest = 0;
  for (std::int64_t& value : values) {
    lowest = std::min(lowest, value);
    highest = std::max(highest, value);
    value = std::bit_cast<std::int64_t>(static_cast<double>(value));
  }
  return std::max(static_cast<double>(highest), -static_cast<double>(lowest));
}

}  // namespace featsieve
