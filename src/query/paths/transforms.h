// What a stretch of blocks does to the automaton, whatever state it begins in: for each state the
// state it ends in, and how many matches end on the way beyond those that end from state 0.
//
// This is what the paper's prefix, suffix and internal flags say (section 4.2), for any automaton:
// of a literal path of m blocks there are at most about m² different ones, each kept once and known
// by its number, so putting two together is mostly one look into a table.
//
// Memory is bounded: full() turns true when there are too many (an expression under which
// arbitrarily long stretches all differ); the answers are useless then, and the caller unpacks.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "query/paths/automaton.h"

namespace vestige {

class Transforms {
 public:
  static constexpr uint32_t kIdentity = 0;
  explicit Transforms(const Automaton& automaton);

  struct Made {
    uint32_t transform = kIdentity;
    uint64_t count = 0;  // matches from state 0
  };
  // Of blocks (and calls) in a row, as classes.
  Made of(std::span<const uint16_t> classes);
  // First `a`, then `b`: `count` is what b gives beyond its own when it begins where a leads from
  // state 0.
  Made join(uint32_t a, uint32_t b) {
    if (b == kIdentity) return {a, 0};
    if (a == kIdentity) return {b, 0};
    Slot& slot = table_[hash(a, b) & (table_.size() - 1)];
    if (slot.a == a && slot.b == b) return {slot.made, slot.count};
    return join_slow(a, b, slot);
  }
  // The same with what both count.
  Made join(const Made& a, const Made& b) {
    const Made made = join(a.transform, b.transform);
    return {made.transform, a.count + b.count + made.count};
  }
  // `count` (one at least) of the same in a row.
  Made power(const Made& one, uint64_t count) {
    Made all = one;
    for (int bit = 62 - __builtin_clzll(count); bit >= 0; --bit) {
      all = join(all, all);
      if (count >> bit & 1) all = join(all, one);
    }
    return all;
  }
  uint16_t next(uint32_t transform, uint32_t state) const {
    return next_[size_t{transform} * states_ + state];
  }
  // Matches from this state, beyond those from state 0.
  uint64_t extra(uint32_t transform, uint32_t state) const {
    return extra_[size_t{transform} * states_ + state];
  }
  bool full() const { return full_; }

 private:
  struct Slot {
    uint32_t a = 0, b = 0, made = 0, unused = 0;
    uint64_t count = 0;
  };
  static constexpr size_t kSlots = size_t{1} << 12;
  static constexpr size_t kMostEntries = size_t{1} << 24;  // states × transforms
  static uint64_t hash(uint32_t a, uint32_t b) {
    return (uint64_t{a} << 20 ^ b) * 0x9e3779b97f4a7c15u >> 40;
  }
  Made join_slow(uint32_t a, uint32_t b, Slot& slot);
  uint32_t keep(const std::vector<uint16_t>& next, const std::vector<uint64_t>& extra);

  const Automaton& automaton_;
  const uint32_t states_;
  std::vector<uint16_t> next_;
  std::vector<uint64_t> extra_;
  std::unordered_multimap<uint64_t, uint32_t> numbers_;  // by hash of contents
  std::unordered_map<uint64_t, Made> joins_;
  std::vector<Slot> table_;  // the joins asked for lately
  bool full_ = false;
  std::vector<uint16_t> next_buffer_;
  std::vector<uint64_t> extra_buffer_;
};

}  // namespace vestige
