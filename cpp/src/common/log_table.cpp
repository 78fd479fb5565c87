#include "featsieve/log_table.hpp"

#include "common/grown_table.hpp"

namespace featsieve {

LogTable::LogTable(std::size_t largest_count) {
  static GrownTable shared;
  values_ = shared.grow(largest_count + 1, kLargest + 1, [](const auto& values) {
    return x_log2_x(static_cast<double>(values.size()));
  });
}

}  // namespace featsieve
