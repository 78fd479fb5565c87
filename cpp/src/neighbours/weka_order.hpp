#pragma once

#include <cstddef>
#include <span>
#include <utility>

namespace featsieve {

/// Sorts by ascending key as Weka's numbers show it: a quicksort around the median of
/// the first, middle and last element (Sedgewick), which reorders equal keys in its own
/// way. Only for its neighbours of equal distance.
template <class T, class Key>
void weka_sort(std::span<T> items, const Key& key) {
  const std::size_t n = items.size();
  const auto order = [&](std::size_t low, std::size_t high) {
    if (key(items[low]) > key(items[high])) std::swap(items[low], items[high]);
  };
  if (n < 2) return;
  if (n == 2) return order(0, 1);
  const std::size_t middle = (n - 1) / 2;
  order(0, middle);
  order(0, n - 1);
  order(middle, n - 1);
  if (n == 3) return;
  // First and last stop the scans; the pivot waits beside the last.
  std::swap(items[middle], items[n - 2]);
  const auto pivot = key(items[n - 2]);
  std::size_t left = 0;
  std::size_t right = n - 2;
  while (true) {
    while (key(items[++left]) < pivot) {
    }
    while (key(items[--right]) > pivot) {
    }
    if (left >= right) break;
    std::swap(items[left], items[right]);
  }
  std::swap(items[left], items[n - 2]);
  weka_sort(items.first(left), key);
  weka_sort(items.subspan(left + 1), key);
}

}  // namespace featsieve
