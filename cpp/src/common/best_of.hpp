#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace featsieve {

/// Keeps the best k of many items; the worst of them is at the front of a heap.
/// before(a, b) says whether a ranks before b and must be a total order.
template <class Item, class RanksBefore>
class BestOf {
 public:
  BestOf(std::size_t k, RanksBefore before) : k_(k), before_(before) {}

  void offer(const Item& item) {
    if (best_.size() < k_ || (k_ > 0 && before_(item, best_.front()))) insert(item);
  }

  /// Best first; nothing is kept.
  std::vector<Item> take() {
    std::sort_heap(best_.begin(), best_.end(), before_);
    return std::move(best_);
  }

 private:
  /// Apart, because it is rare: of many items most are refused.
  void insert(const Item& item) {
    if (best_.size() == k_) {
      std::pop_heap(best_.begin(), best_.end(), before_);
      best_.back() = item;
    } else {
      best_.push_back(item);
    }
    std::push_heap(best_.begin(), best_.end(), before_);
  }

  std::size_t k_;
  RanksBefore before_;
  std::vector<Item> best_;
};

}  // namespace featsieve
