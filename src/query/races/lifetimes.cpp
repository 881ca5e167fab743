#include "query/races/lifetimes.h"

#include <algorithm>

namespace vestige::races {

Lifetimes::Lifetimes(const HappensBefore& order, uint32_t process) {
  for (const Reset& reset : order.resets())
    if (reset.process == process) entries_.push_back({reset.first, reset.last, reset.stamp, 0});
  std::ranges::sort(entries_, {}, [](const Entry& e) { return std::pair(e.first, e.stamp); });
  uint64_t furthest = 0;
  for (Entry& entry : entries_) entry.furthest = furthest = std::max(furthest, entry.last);
  furthest = 0;
  for (size_t i = 0, end = 0; i < entries_.size(); i = end) {
    while (end < entries_.size() && entries_[end].first == entries_[i].first) ++end;
    if (end - i < kOften) continue;
    Family& family = families_.emplace_back();
    family.first = entries_[i].first;
    for (size_t k = i; k < end; ++k) {
      family.of.emplace_back(entries_[k].stamp, entries_[k].last);
      furthest = std::max(furthest, entries_[k].last);
    }
    family.furthest = furthest;
  }
}

uint64_t Lifetimes::next(uint64_t first, uint64_t last, uint64_t stamp) const {
  uint64_t found = UINT64_MAX;
  auto at = std::ranges::upper_bound(families_, first, {}, &Family::first);
  while (at != families_.begin()) {
    --at;
    if (at->furthest < last) break;
    auto one = std::ranges::lower_bound(at->of, std::pair(stamp, uint64_t{0}));
    // Tasks within a task are handed out less.
    while (one != at->of.end() && one->second < last && one->first < found) ++one;
    if (one != at->of.end()) found = std::min(found, one->first);
  }
  return found;
}

ResetStamps Lifetimes::within(uint64_t first, uint64_t last) const {
  ResetStamps found;
  auto at = std::ranges::upper_bound(entries_, last, {}, &Entry::first);
  while (at != entries_.begin()) {
    --at;
    if (at->furthest < first) break;
    if (at->last < first) continue;
    found.stamps.push_back(at->stamp);
    found.partial |= at->first > first || at->last < last;
  }
  std::ranges::sort(found.stamps);
  return found;
}

Lifetime lifetime_of(const Segment& segment, const std::vector<uint64_t>& resets) {
  if (resets.empty()) return {};
  const auto before = [&](uint64_t stamp) {
    return static_cast<size_t>(std::ranges::upper_bound(resets, stamp) - resets.begin());
  };
  // A reset at the very operation that ends the segment lies behind it, one at that which begins it
  // before.
  const size_t first = before(segment.first_stamp);
  const size_t last = segment.last_stamp == 0 ? 0 : before(segment.last_stamp - 1);
  return {first, std::max(first, last)};
}

}  // namespace vestige::races
