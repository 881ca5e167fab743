#include "query/hot/open_chains.h"

#include <algorithm>
#include <string>

namespace vestige {

Result<OpenChains> OpenChains::make(const GrammarStream& stream, const std::vector<uint32_t>& open,
                                    const NumberMap& pairs, uint64_t reach, size_t most) {
  OpenChains chains;
  chains.open_ = &open;
  chains.rules_.reserve(stream.rules().size() + 1);
  bool fits = true;
  stream.each_body([&](std::span<const GrammarStream::Item> items, uint64_t, uint64_t) {
    fits = fits && chains.chains_.size() <= most;
    if (fits) chains.add(items, pairs, reach);
  });
  if (fits) return chains;
  return fail(ErrorKind::unsupported,
              "more than " + std::to_string(most) +
                  " terminals would have to be kept (most_places); raise the threshold or lower "
                  "max_length");
}

void OpenChains::add(std::span<const GrammarStream::Item> items, const NumberMap& pairs,
                     uint64_t reach) {
  front_.clear();
  back_.clear();
  // Whether b may follow a in a chain.
  const auto joins = [&](uint32_t a, uint32_t b) {
    return pairs.get(pair_key(a, b)) != NumberMap::kFree;
  };
  bool whole = true;
  for (size_t i = 0; i < items.size() && whole; ++i) {
    const Ends ends = of(items[i]);
    for (uint64_t k = 0; k < items[i].count && whole; ++k) {
      const uint64_t room = reach - front_.size();
      whole = ends.whole && ends.front.size() <= room;
      if (ends.front.empty() || (!front_.empty() && !joins(front_.back(), ends.front[0]))) {
        whole = false;
        break;
      }
      const auto taken = ends.front.first(std::min<uint64_t>(room, ends.front.size()));
      front_.insert(front_.end(), taken.begin(), taken.end());
    }
  }
  bool more = !whole;
  for (size_t i = items.size(); i-- > 0 && more;) {
    const Ends ends = of(items[i]);
    for (uint64_t k = 0; k < items[i].count && more; ++k) {
      more = !ends.back.empty() && back_.size() < reach &&
             (back_.empty() || joins(ends.back.back(), back_.back()));
      if (!more) break;
      for (size_t at = ends.back.size(); at-- > 0 && back_.size() < reach;)
        back_.push_back(ends.back[at]);
      more = ends.whole;
    }
  }
  rules_.push_back({chains_.size(), static_cast<uint32_t>(front_.size()),
                    static_cast<uint32_t>(back_.size()), whole});
  chains_.insert(chains_.end(), front_.begin(), front_.end());
  chains_.insert(chains_.end(), back_.rbegin(), back_.rend());
}

}  // namespace vestige
