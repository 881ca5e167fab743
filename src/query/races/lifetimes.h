// When memory was handed out anew. What was accessed before that and what was accessed behind it
// were different objects, even if nothing orders the two threads: the allocator keeps them apart,
// and it is not recorded.
#pragma once

#include <cstdint>
#include <vector>

#include "query/order/happens_before.h"

namespace vestige::races {

struct ResetStamps {
  std::vector<uint64_t> stamps;  // rising
  bool partial = false;          // some concern a part of the memory only
};

class Lifetimes {
 public:
  Lifetimes(const HappensBefore& order, uint32_t process);
  // Of the memory from `first` to `last`, both included.
  ResetStamps within(uint64_t first, uint64_t last) const;
  // When all of it was handed out anew, at this stamp or behind it; UINT64_MAX when that is not
  // known. Sees memory that is handed out again and again from one address on: the stack of a
  // thread that runs tasks.
  uint64_t next(uint64_t first, uint64_t last, uint64_t stamp) const;

 private:
  // Blocks that begin at one address.
  struct Family {
    uint64_t first = 0;
    uint64_t furthest = 0;                          // the greatest end of this one and those before
    std::vector<std::pair<uint64_t, uint64_t>> of;  // stamp and last address, by rising stamp
  };
  static constexpr size_t kOften = 8;
  std::vector<Family> families_;  // by first

  struct Entry {
    uint64_t first = 0, last = 0, stamp = 0;
    uint64_t furthest = 0;  // the greatest `last` of this one and those before
  };
  std::vector<Entry> entries_;  // by first
};

// The lives of the memory that a segment may have seen, counted by the resets.
struct Lifetime {
  size_t first = 0, last = 0;
};
Lifetime lifetime_of(const Segment& segment, const std::vector<uint64_t>& resets);

}  // namespace vestige::races
