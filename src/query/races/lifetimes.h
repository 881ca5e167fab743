// When memory was handed out anew. What was accessed before that and what was accessed behind it
// were different objects, even if nothing orders the two threads: the allocator keeps them apart,
// and it is not recorded.
#pragma once

#include <cstdint>
#include <vector>

#include "query/races/happens_before.h"

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

 private:
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
