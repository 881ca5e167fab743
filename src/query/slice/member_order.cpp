#include "query/slice/member_order.h"

#include "base/spill_sort.h"

namespace vestige {

SpillArray<uint32_t> member_order(bool forward, const Interleaving& interleaving,
                                  SpillArray<SliceInstance>& members) {
  struct Key {
    uint64_t order;
    uint32_t place;
  };
  SpillArray<Key> keys;
  for (uint32_t i = 0; i < members.size(); ++i) {
    const SliceInstance& member = members.at(i);
    keys.append({interleaving.order(member.thread, member.time), i});
  }
  keys = spill_sorted(std::move(keys), [&](const Key& a, const Key& b) {
    if (a.order != b.order) return a.order < b.order;
    return forward ? a.place < b.place : a.place > b.place;
  });
  SpillArray<uint32_t> order;
  for (uint64_t i = 0; i < keys.size(); ++i) order.append(keys.at(i).place);
  return order;
}

}  // namespace vestige
