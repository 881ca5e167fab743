// A member of a slice as it is kept until the slice is complete: small, since there may be as many
// as the program executed statements.
#pragma once

#include "base/spill_array.h"
#include "vestige/slice.h"

namespace vestige {

struct FoundMember {
  uint64_t time = 0;
  // Of reason `memory`: where in what was read the bytes are; of a library call, in all its ranges
  // one behind the other (CallEffect).
  uint64_t offset = 0;
  uint32_t statement = 0;  // #ID
  uint32_t depth = 0;
  uint32_t of = kNone;  // its place among those found
  uint32_t thread : 21 = 0;
  uint32_t reason : 3 = 0;  // SliceReason
  uint32_t ends : 8 = 0;    // bits of SliceEnd
};
static_assert(sizeof(FoundMember) == 32);
// More threads than this cannot be told.
inline constexpr uint32_t kMostMemberThreads = uint32_t{1} << 21;

// What it had.
struct MemberFacts {
  uint64_t instance : 61 = 0;
  uint64_t has_value : 1 = 0;
  uint64_t has_address : 1 = 0;
  // It copies memory, and `value` is where it reads. Such statements have no value.
  uint64_t has_source : 1 = 0;
  uint64_t value = 0, address = 0;
};
static_assert(sizeof(MemberFacts) == 24);

// 2^21 members of each are in memory.
using FoundMembers = SpillArray<FoundMember, 10, 2048>;
using MemberFactsArray = SpillArray<MemberFacts, 10, 2048>;

}  // namespace vestige
