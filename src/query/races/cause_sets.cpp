#include "query/races/cause_sets.h"

#include <algorithm>

namespace vestige::races {

CauseSets::CauseSets(std::optional<Order> order) : order_(std::move(order)) { make({}); }

void CauseSets::keep_first(Ranges& ranges) const {
  std::map<uint32_t, uint32_t> first;  // by strand
  for (const SiteRange& range : ranges)
    for (uint32_t number = range.first; number < range.end; ++number) {
      const auto [at, fresh] = first.try_emplace(order_->strand[number], number);
      if (!fresh && order_->rank[number] < order_->rank[at->second]) at->second = number;
    }
  ranges.clear();
  for (const auto& [strand, number] : first) ranges.push_back({number, number + 1});
}

CauseSets::Id CauseSets::make(Ranges ranges) {
  if (order_) keep_first(ranges);
  std::ranges::sort(ranges);
  size_t kept = 0;
  for (const SiteRange& range : ranges) {
    if (range.first >= range.end) continue;
    if (kept > 0 && range.first <= ranges[kept - 1].end)
      ranges[kept - 1].end = std::max(ranges[kept - 1].end, range.end);
    else
      ranges[kept++] = range;
  }
  ranges.resize(kept);
  const auto [at, fresh] = numbers_.try_emplace(std::move(ranges), static_cast<Id>(sets_.size()));
  if (fresh) {
    sets_.push_back(&at->first);
    kept_ += 4 + kept;  // what a set takes by itself
  }
  return at->second;
}

CauseSets::Id CauseSets::join_different(Id a, Id b) {
  if (full()) return a;
  if (a > b) std::swap(a, b);
  const auto [at, fresh] = joined_.try_emplace(uint64_t{a} << 32 | b);
  if (!fresh) return at->second;
  Ranges both = *sets_[a];
  both.insert(both.end(), sets_[b]->begin(), sets_[b]->end());
  return at->second = make(std::move(both));
}

}  // namespace vestige::races
