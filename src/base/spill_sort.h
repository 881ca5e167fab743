// Sorts a SpillArray: runs that fit into memory, and a merge of them.
#pragma once

#include <algorithm>
#include <queue>

#include "base/spill_array.h"

namespace vestige {

// `less` is a strict order in which no two items are equal. A run takes `run_size` items of memory;
// the array should have no more runs than pages in memory.
template <class Array, class Less>
Array spill_sorted(Array items, const Less& less, size_t run_size = size_t{1} << 22) {
  using T = std::remove_cvref_t<decltype(items[0])>;
  struct Run {
    T first;
    uint64_t next, end;
  };
  std::vector<Run> runs;
  std::vector<T> run;
  for (uint64_t begin = 0; begin < items.size(); begin += run.size()) {
    run.clear();
    const uint64_t end = std::min<uint64_t>(items.size(), begin + run_size);
    for (uint64_t i = begin; i < end; ++i) run.push_back(items.at(i));
    std::sort(run.begin(), run.end(), less);
    for (uint64_t i = begin; i < end; ++i) items[i] = run[i - begin];
    runs.push_back({run.front(), begin + 1, end});
  }
  if (runs.size() <= 1) return items;
  run = {};
  const auto later = [&](const Run& a, const Run& b) { return less(b.first, a.first); };
  std::priority_queue<Run, std::vector<Run>, decltype(later)> heads(later, std::move(runs));
  Array out;
  while (!heads.empty()) {
    Run head = heads.top();
    heads.pop();
    out.append(head.first);
    if (head.next == head.end) continue;
    head.first = items.at(head.next++);
    heads.push(head);
  }
  return out;
}

}  // namespace vestige
