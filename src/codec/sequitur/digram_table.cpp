#include "codec/sequitur/digram_table.h"

namespace vestige::sequitur {

void DigramTable::reset(uint32_t pairs) {
  // Thirteen of fifteen at most, a sixth more room right after; 32 pairs of slack for what one step
  // enters.
  const uint64_t groups = (uint64_t{pairs} + pairs / 6 + 64) / 13 + 1;
  groups_ = {};  // first: never two tables at once
  places_.release();
  groups_ = std::vector<Group>(groups);
  places_.resize(groups * kPerGroup);
  limit_ = static_cast<uint32_t>(groups * 13 - 32);
  count_ = 0;
}

void DigramTable::insert(uint64_t hash, Place place) {
  for (uint32_t at = home(hash);; at = after(at)) {
    Group& group = groups_[at];
    if (const uint32_t free = group.having(0)) {
      const int entry = std::countr_zero(free);
      group.tags[entry] = tag(hash);
      places_[at * kPerGroup + entry] = place;
      ++count_;
      return;
    }
    if (group.passed != 255) ++group.passed;
  }
}

bool DigramTable::locate(uint64_t hash, Place place, uint32_t& group, uint32_t& entry) const {
  uint32_t at = home(hash);
  for (size_t left = groups_.size(); left > 0; --left, at = after(at)) {
    for (uint32_t hits = groups_[at].having(tag(hash)); hits != 0; hits &= hits - 1) {
      entry = static_cast<uint32_t>(std::countr_zero(hits));
      if (places_[at * kPerGroup + entry] != place) continue;
      group = at;
      return true;
    }
    if (groups_[at].passed == 0) break;
  }
  return false;
}

bool DigramTable::erase(uint64_t hash, Place place) {
  uint32_t group = 0, entry = 0;
  if (!locate(hash, place, group, entry)) return false;
  groups_[group].tags[entry] = 0;
  --count_;
  for (uint32_t at = home(hash); at != group; at = after(at))
    if (groups_[at].passed != 255) --groups_[at].passed;
  return true;
}

bool DigramTable::move(uint64_t hash, Place from, Place to) {
  uint32_t group = 0, entry = 0;
  if (!locate(hash, from, group, entry)) return false;
  places_[group * kPerGroup + entry] = to;
  return true;
}

}  // namespace vestige::sequitur
