#include "featsieve/level_counts.hpp"

#include <algorithm>
#include <stdexcept>

namespace featsieve {

void add_by_class(std::span<const std::int32_t> codes,
                  std::span<const std::int32_t> places,
                  std::span<const std::int32_t> classes, std::size_t n_classes,
                  std::span<std::int64_t> table, std::span<std::int64_t> missing) {
  if (codes.size() != classes.size())
    throw std::invalid_argument("one class per row is needed");
  if (missing.size() != n_classes)
    throw std::invalid_argument("missing values are counted once per class");
  const auto n_places =
      static_cast<std::int64_t>(table.size() / std::max<std::size_t>(1, n_classes));
  for (const std::int32_t place : places)
    if (place >= n_places) throw std::out_of_range("a place lies outside the table");
  const auto n_codes = static_cast<std::int64_t>(places.size());
  for (std::size_t i = 0; i < codes.size(); ++i) {
    if (classes[i] < 0) continue;
    const auto c = static_cast<std::size_t>(classes[i]);
    if (c >= n_classes) throw std::invalid_argument("class codes must be declared");
    if (codes[i] >= n_codes) throw std::out_of_range("a code has no place");
    const std::int32_t place =
        codes[i] < 0 ? codes[i] : places[static_cast<std::size_t>(codes[i])];
    if (place < 0)
      ++missing[c];
    else
      ++table[static_cast<std::size_t>(place) * n_classes + c];
  }
}

}  // namespace featsieve
