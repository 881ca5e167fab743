// Sorts a vector and keeps the order of equal items.
//
// std::stable_sort of libstdc++ 12 calls a function that the same library deprecates, and clang
// says so at every use. This is a merge sort from below: runs of one, two, four … items are merged
// from the vector into a second one and back. O(n log n) comparisons, one vector of extra memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <vector>

namespace vestige {

template <class T, class Less = std::ranges::less, class Projection = std::identity>
void sort_stably(std::vector<T>& items, Less less = {}, Projection key = {}) {
  std::vector<T> merged(items.size());
  for (size_t run = 1; run < items.size(); run *= 2) {
    auto out = merged.begin();
    for (size_t first = 0; first < items.size(); first += 2 * run) {
      const auto begin = items.begin() + first;
      const auto middle = items.begin() + std::min(first + run, items.size());
      const auto end = items.begin() + std::min(first + 2 * run, items.size());
      out = std::ranges::merge(std::move_iterator(begin), std::move_sentinel(middle),
                               std::move_iterator(middle), std::move_sentinel(end), out, less, key,
                               key)
                .out;
    }
    items.swap(merged);
  }
}

}  // namespace vestige
