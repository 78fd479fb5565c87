#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace featsieve {

/// Adds rows to a table that others count too: a row of code k and class c to cell
/// (places[k], c) of `table`, or to missing[c] if the code or its place is negative.
/// Rows of a negative class are left out.
void add_by_class(std::span<const std::int32_t> codes,
                  std::span<const std::int32_t> places,
                  std::span<const std::int32_t> classes, std::size_t n_classes,
                  std::span<std::int64_t> table, std::span<std::int64_t> missing);

}  // namespace featsieve
