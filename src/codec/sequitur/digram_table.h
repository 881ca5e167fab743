// Where each pair of adjacent symbols (digram) stands: from the pair's hash to the place of its
// left symbol. The pairs themselves are not stored; the caller compares what stands at a place.
//
// Groups of fifteen places, each place with a byte of its hash, and the bytes of a group together
// in 16 (as in Google's Swiss tables): most pairs that are not there are told from those bytes
// alone, which for half a million pairs fit into half a megabyte. A pair that finds its group full
// goes to the next one; `passed` counts how many did, which ends a search early and makes erasing
// leave no tombstone (as in Facebook's F14).
//
// The table does not grow by itself: every pair of the grammar is in it, so the owner clears it and
// enters all pairs anew (full(), reset()), and two tables are never held at once.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "codec/sequitur/pool.h"
#include "codec/sequitur/symbol.h"

namespace vestige::sequitur {

class DigramTable {
 public:
  using Place = uint32_t;
  static constexpr Place kNone = ~Place{0};

  static uint64_t hash(Symbol left, Symbol right) {
    return left * uint64_t{0x9e3779b97f4a7c15} + right * uint64_t{0xc2b2ae3d27d4eb4f};
  }

  DigramTable() { reset(0); }

  // The place for which is_pair(place) holds, among those entered with this hash.
  template <class IsPair>
  Place find(uint64_t hash, const IsPair& is_pair) const {
    uint32_t at = home(hash);
    for (size_t left = groups_.size(); left > 0; --left, at = after(at)) {
      const Group& group = groups_[at];
      for (uint32_t hits = group.having(tag(hash)); hits != 0; hits &= hits - 1) {
        const Place place = places_[at * kPerGroup + std::countr_zero(hits)];
        if (is_pair(place)) return place;
      }
      if (group.passed == 0) break;
    }
    return kNone;
  }
  void insert(uint64_t hash, Place place);
  // Each gives false when the pair is not entered with this place.
  bool erase(uint64_t hash, Place place);
  bool move(uint64_t hash, Place from, Place to);

  void prefetch(uint64_t hash) const {
    const uint32_t at = home(hash);
    __builtin_prefetch(&groups_[at]);
    __builtin_prefetch(&places_[at * kPerGroup + kPerGroup / 2]);
  }

  // Wants reset() soon: room for a few more pairs is left.
  bool full() const { return count_ >= limit_; }
  uint32_t count() const { return count_; }
  // Empties the table and makes room for this many pairs and a sixth more.
  void reset(uint32_t pairs);
  size_t bytes() const { return groups_.capacity() * sizeof(Group) + places_.bytes(); }

 private:
  static constexpr uint32_t kPerGroup = 15;
  struct alignas(16) Group {
    uint8_t tags[kPerGroup];  // 0: free
    uint8_t passed;  // pairs that went on to a later group; 255: that many or more, for ever

    uint32_t having(uint8_t tag) const {
      using Bytes16 = uint8_t __attribute__((vector_size(16)));
      using Bits16 = bool __attribute__((ext_vector_type(16)));
      Bytes16 all;
      __builtin_memcpy(&all, this, sizeof all);
      const Bits16 equal = __builtin_convertvector(all == (Bytes16{} + tag), Bits16);
      return std::bit_cast<uint16_t>(equal) & ((1u << kPerGroup) - 1);
    }
  };
  static_assert(sizeof(Group) == 16);

  uint32_t home(uint64_t hash) const {
    return static_cast<uint32_t>(((hash >> 32) * groups_.size()) >> 32);
  }
  uint32_t after(uint32_t group) const { return group + 1 == groups_.size() ? 0 : group + 1; }
  static uint8_t tag(uint64_t hash) {
    const auto tag = static_cast<uint8_t>(hash >> 24);
    return tag == 0 ? 1 : tag;
  }
  bool locate(uint64_t hash, Place place, uint32_t& group, uint32_t& entry) const;

  std::vector<Group> groups_;
  Pool<Place> places_;  // kPerGroup for each group
  uint32_t count_ = 0;
  uint32_t limit_ = 0;
};

}  // namespace vestige::sequitur
