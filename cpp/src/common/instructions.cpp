#include "featsieve/instructions.hpp"

#include <array>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "common/simd.hpp"

namespace featsieve {
namespace {

using Named = std::pair<std::string_view, Instructions>;
constexpr std::array<Named, 3> kAll = {{{"avx512", Instructions::kAvx512},
                                        {"avx2", Instructions::kAvx2},
                                        {"portable", Instructions::kPortable}}};

/// Best first.
std::string names_of_present() {
  std::string names;
  for (const auto& [name, instructions] : kAll)
    if (has_instructions(instructions))
      names += (names.empty() ? "'" : ", '") + std::string(name) + "'";
  return names;
}

Instructions choose() {
  const char* wanted = std::getenv("FEATSIEVE_INSTRUCTIONS");
  for (const auto& [name, instructions] : kAll)
    if ((wanted == nullptr || *wanted == '\0' || name == wanted) &&
        has_instructions(instructions))
      return instructions;
  throw std::invalid_argument(
      "The environment variable FEATSIEVE_INSTRUCTIONS must be one of " +
      names_of_present() + " on this machine, or not be set. Got '" + wanted +
      "' instead.");
}

}  // namespace

bool has_instructions(Instructions instructions) {
#ifdef FEATSIEVE_X86
  const bool avx2 = __builtin_cpu_supports("avx2") != 0;
  if (instructions == Instructions::kAvx2) return avx2;
  if (instructions == Instructions::kAvx512)
    return avx2 && __builtin_cpu_supports("popcnt") != 0 &&
           __builtin_cpu_supports("gfni") != 0 &&
           __builtin_cpu_supports("avx512f") != 0 &&
           __builtin_cpu_supports("avx512bw") != 0 &&
           __builtin_cpu_supports("avx512vl") != 0 &&
           __builtin_cpu_supports("avx512vbmi") != 0 &&
           __builtin_cpu_supports("avx512vbmi2") != 0 &&
           __builtin_cpu_supports("avx512vpopcntdq") != 0;
#endif
  return instructions == Instructions::kPortable;
}

Instructions require(Instructions instructions) {
  if (!has_instructions(instructions))
    throw std::invalid_argument("this machine does not have these instructions");
  return instructions;
}

Instructions best_instructions() {
  static const Instructions chosen = choose();
  return chosen;
}

}  // namespace featsieve
