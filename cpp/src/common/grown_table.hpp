#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace featsieve {

/// A table of numbers that depend on nothing but their index. It is computed as far as
/// anybody has asked for and then shared; what was handed out never changes.
class GrownTable {
 public:
  using Values = std::shared_ptr<const std::vector<double>>;

  /// At least `wanted` entries, at most `most`; next(values) is the entry to append.
  template <class Next>
  Values grow(std::size_t wanted, std::size_t most, const Next& next) {
    const std::lock_guard lock(mutex_);
    wanted = std::min(wanted, most);
    if (values_ && values_->size() >= wanted) return values_;
    std::vector<double> values;
    if (values_) values = *values_;
    // Twice as many as last time, so that growing step by step costs no more.
    const std::size_t size = std::max(wanted, std::min(2 * values.size(), most));
    values.reserve(size);
    while (values.size() < size) values.push_back(next(values));
    values_ = std::make_shared<const std::vector<double>>(std::move(values));
    return values_;
  }

 private:
  std::mutex mutex_;
  Values values_;
};

}  // namespace featsieve
