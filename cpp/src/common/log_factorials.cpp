#include "common/log_factorials.hpp"

#include "common/grown_table.hpp"

namespace featsieve {

LogFactorials::LogFactorials(std::int64_t largest) {
  static GrownTable shared;
  values_ = shared.grow(
      static_cast<std::size_t>(largest) + 1, kLargest + 1, [](const auto& values) {
        return values.empty()
                   ? 0.0
                   : values.back() + std::log(static_cast<double>(values.size()));
      });
}

}  // namespace featsieve
