#include "counting/class_order.hpp"

#include <algorithm>
#include <stdexcept>

namespace featsieve {

ClassOrder::ClassOrder(std::span<const std::int32_t> classes, std::size_t n_classes,
                       Instructions instructions)
    : rows_(sort_by_class(classes, static_cast<std::int32_t>(n_classes), true)),
      places_(classes.size()) {
  if (require(instructions) == Instructions::kAvx512 &&
      n_classes <= ByteSort::kMostClasses)
    sort_.emplace(classes.size(), rows_.order, rows_.begin);
}

std::uint8_t ClassOrder::write(std::span<const std::int32_t> codes,
                               std::span<const std::uint8_t> places,
                               std::span<std::uint8_t> sorted) {
  if (codes.size() != places_.size() || sorted.size() != size())
    throw std::invalid_argument("one code per row is needed");
  if (places.empty()) throw std::invalid_argument("a place for missing is needed");
  const auto last = static_cast<std::uint32_t>(places.size() - 1);
  bool known = true;
  for (const std::int32_t code : codes)
    known &= code < 0 || static_cast<std::uint32_t>(code) < last;
  if (!known) throw std::out_of_range("a code has no place");
  // As unsigned numbers, negative codes are greater than all. Bytes may alias anything,
  // so all that the loop reads is held in variables of their own.
  const std::int32_t* from = codes.data();
  const std::uint8_t* place = places.data();
  std::uint8_t* to = places_.data();
  for (std::size_t row = 0, n = codes.size(); row < n; ++row)
    to[row] = place[std::min(static_cast<std::uint32_t>(from[row]), last)];
  if (sort_)
    sort_->sort(places_.data(), sorted.data());
  else
    for (std::size_t i = 0; i < sorted.size(); ++i) sorted[i] = places_[rows_.order[i]];
  // Apart from the above, so that it is done many at a time.
  std::uint8_t largest = 0;
  for (const std::uint8_t each : sorted) largest = std::max(largest, each);
  return largest;
}

}  // namespace featsieve
