#pragma once

#include <cstdint>

namespace featsieve {

/// Which instructions of the processor kernels use; all give the same bits.
enum class Instructions : std::uint8_t { kPortable, kAvx2, kAvx512 };

/// Whether this machine has them.
bool has_instructions(Instructions instructions);

/// The same ones; throws std::invalid_argument if this machine does not have them.
Instructions require(Instructions instructions);

/// The best that this machine has, or those that the environment variable
/// FEATSIEVE_INSTRUCTIONS names: portable, avx2 or avx512. It is read once. Throws
/// std::invalid_argument if it names others, or some that this machine does not have.
Instructions best_instructions();

}  // namespace featsieve
