// The order in which members were executed.
#pragma once

#include "base/spill_array.h"
#include "query/dependences/interleaving.h"
#include "query/slice/found_member.h"

namespace vestige {

// A slicer finds nearly all members in the order executed, or in the opposite one. Then nothing is
// kept; the few others (calls that are found when they come back) are sorted and merged in.
class MemberOrder {
 public:
  // All members; forward: those of one path are found in their order.
  static MemberOrder of(bool forward, const Interleaving& interleaving, FoundMembers& members);
  // Of those of one thread.
  static MemberOrder of_thread(MemberOrder& all, FoundMembers& members, uint32_t thread);

  uint64_t size() const { return size_; }
  // The place of the i-th one among those found.
  uint32_t at(uint64_t i) {
    if (listed_) return places_.at(i);
    return static_cast<uint32_t>(backward_ ? size_ - 1 - i : i);
  }
  bool failed() const { return places_.failed(); }

 private:
  uint64_t size_ = 0;
  bool backward_ = false, listed_ = false;
  SpillArray<uint32_t> places_;
};

}  // namespace vestige
