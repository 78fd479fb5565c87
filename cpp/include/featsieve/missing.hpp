#pragma once

#include <cstdint>

namespace featsieve {

/// What becomes of rows whose feature is missing.
enum class Missing : std::uint8_t {
  kLevel,   // missing is one more level
  kIgnore,  // such rows are left out
  kSpread,  // such rows are shared out over the levels, class by class, in proportion
            // to how frequent each level is; for single features only
};

}  // namespace featsieve
