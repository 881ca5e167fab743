// One cache: sets of lines, the least recently used one replaced. A line that is written is fetched
// first, and nothing is said of writing back: what counts is whether a line was there.
//
// A set is an array, most recently used first. References keep to few lines for a while, so most
// look-ups end at the first place. (tree_cache.h replaces in another way.)
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "vestige/machine.h"

namespace vestige {

class Cache {
 public:
  explicit Cache(const CacheGeometry& geometry)
      : ways_(geometry.ways),
        sets_(geometry.bytes / geometry.ways / geometry.line),
        mask_((sets_ & (sets_ - 1)) == 0 ? sets_ - 1 : 0),
        lines_(sets_ * ways_, kEmpty) {
    while ((uint32_t{1} << shift_) < geometry.line) ++shift_;
  }

  unsigned line_shift() const { return shift_; }

  // The line of this number (address >> line_shift()) is used. True: it was not there.
  bool use(uint64_t line) {
    const uint64_t set = mask_ != 0 ? line & mask_ : line % sets_;
    uint64_t* const first = lines_.data() + set * ways_;
    if (*first == line) return false;
    uint32_t at = 1;
    while (at < ways_ && first[at] != line) ++at;
    const bool missed = at >= ways_;
    std::memmove(first + 1, first, (missed ? ways_ - 1 : at) * sizeof *first);
    *first = line;
    return missed;
  }
  // Somebody else took the line away. True: it was there.
  bool remove(uint64_t line) {
    uint64_t* const first = lines_.data() + (mask_ != 0 ? line & mask_ : line % sets_) * ways_;
    uint32_t at = 0;
    while (at < ways_ && first[at] != line) ++at;
    if (at == ways_) return false;
    std::memmove(first + at, first + at + 1, (ways_ - 1 - at) * sizeof *first);
    first[ways_ - 1] = kEmpty;
    return true;
  }

 private:
  static constexpr uint64_t kEmpty = UINT64_MAX;  // no line: addresses are shifted by 3 at least
  uint32_t ways_;
  uint64_t sets_, mask_;
  unsigned shift_ = 0;
  std::vector<uint64_t> lines_;
};

// Two of them: the second is asked for what the first does not have.
class CachePair {
 public:
  CachePair(const CacheGeometry& l1, const CacheGeometry& l2) : l1_(l1), l2_(l2) {}

  struct Outcome {
    bool missed = false, missed_l2 = false;
  };
  // All lines of these bytes, rising; what any of them missed was missed.
  Outcome use(uint64_t address, uint64_t bytes) {
    Outcome out;
    const uint64_t first = address >> l1_.line_shift();
    uint64_t last = (address + (bytes > 0 ? bytes - 1 : 0)) >> l1_.line_shift();
    if (last < first) last = first;  // would go round the end of memory
    const unsigned further = l2_.line_shift() - l1_.line_shift();
    for (uint64_t line = first;; ++line) {
      if (l1_.use(line)) {
        out.missed = true;
        if (l2_.use(line >> further)) out.missed_l2 = true;
      }
      if (line == last) return out;
    }
  }

 private:
  Cache l1_, l2_;
};

}  // namespace vestige
