// Accesses of one statement as runs of addresses, and how often two runs meet.
#pragma once

#include <cstdint>
#include <optional>

namespace vestige::races {

// `count` accesses of `bytes` each, at start, start + stride, … Invariants: count ≥ 1, bytes ≥ 1;
// stride is 0 exactly when count is 1; the last access ends at or before 2⁶⁴.
struct StridedInterval {
  uint64_t start = 0, stride = 0, count = 1, bytes = 1;
  uint64_t last() const { return start + (count - 1) * stride + (bytes - 1); }  // address
  auto operator<=>(const StridedInterval&) const = default;
  // The invariants.
  bool sound() const {
    return count >= 1 && bytes >= 1 && (stride == 0) == (count == 1) && last() >= start;
  }
};

// How many pairs (i, j) there are such that access i of `a` and access j of `b` share a byte. No
// address is visited: a pair at a distance d solves a linear equation in i and j, whose solutions
// are counted.
uint64_t meetings(const StridedInterval& a, const StridedInterval& b);

// Which accesses of a run share a byte with the memory from `first` to `last`, both included: from
// `begin` up to `end` without it.
struct Hits {
  uint64_t begin = 0, end = 0;
};
Hits hits(const StridedInterval& run, uint64_t first, uint64_t last);

// The lowest address at which they meet; none when they do not.
std::optional<uint64_t> first_meeting(const StridedInterval& a, const StridedInterval& b);

}  // namespace vestige::races
