// One cache that replaces by tree pseudo-LRU, as most hardware does: the ways of a set are the
// leaves of a binary tree, and each inner node has a bit that points to the half that was used less
// recently. A use turns the bits on its way to the other side; the victim is where the bits lead.
// Empty ways are filled first, lowest first.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "vestige/machine.h"

namespace vestige {

class TreeCache {
 public:
  // The ways are a power of two.
  explicit TreeCache(const CacheGeometry& geometry)
      : ways_(geometry.ways),
        depth_(static_cast<unsigned>(std::countr_zero(geometry.ways))),
        sets_(geometry.bytes / geometry.ways / geometry.line),
        lines_(sets_ * ways_, kEmpty),
        bits_(sets_, 0) {}

  // The line of this number is used. True: it was not there.
  bool use(uint64_t line) {
    const uint64_t set = line % sets_;
    uint64_t* const first = lines_.data() + set * ways_;
    uint32_t at = find(first, line);
    const bool missed = at == ways_;
    if (missed) {
      at = find(first, kEmpty);
      if (at == ways_) at = victim(bits_[set]);
      first[at] = line;
    }
    touch(bits_[set], at);
    return missed;
  }
  // Somebody else took the line away. True: it was there.
  bool remove(uint64_t line) {
    uint64_t* const first = lines_.data() + line % sets_ * ways_;
    const uint32_t at = find(first, line);
    if (at == ways_) return false;
    first[at] = kEmpty;
    return true;
  }

 private:
  static constexpr uint64_t kEmpty = UINT64_MAX;

  uint32_t find(const uint64_t* first, uint64_t line) const {
    uint32_t at = 0;
    while (at < ways_ && first[at] != line) ++at;
    return at;
  }
  // Node 1 is the root, 2 n and 2 n + 1 are below n: one bit each.
  uint32_t victim(uint64_t bits) const {
    uint32_t node = 1;
    for (unsigned level = 0; level < depth_; ++level)
      node = 2 * node + static_cast<uint32_t>(bits >> node & 1);
    return node - ways_;
  }
  void touch(uint64_t& bits, uint32_t way) const {
    for (uint32_t node = way + ways_; node > 1; node /= 2) {
      const uint64_t bit = uint64_t{1} << node / 2;
      bits = node % 2 == 0 ? bits | bit : bits & ~bit;
    }
  }

  uint32_t ways_;
  unsigned depth_;
  uint64_t sets_;
  std::vector<uint64_t> lines_;
  std::vector<uint64_t> bits_;  // by set; 64 ways have 63 nodes
};

}  // namespace vestige
