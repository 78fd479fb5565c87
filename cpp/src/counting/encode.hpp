#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "featsieve/counting.hpp"

namespace featsieve {

/// Whole numbers from 0 to 255 as byte codes, column after column, in one pass over
/// the source in its own memory order. Stops at the first value that is no such number
/// (a fraction, a negative or large number, NaN) and returns false; `codes` is then
/// unfinished.
template <class Value>
bool encode_bytes(const MatrixView<Value>& values, std::vector<std::uint8_t>& codes);

}  // namespace featsieve
