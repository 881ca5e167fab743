// Memory cut where accesses begin and end, so that each access is whole pieces, and where blocks
// that were handed out do, so that a piece is handed out as a whole.
//
// Most accesses are one piece: what a program loads as four bytes it stores as four bytes.
// Detectors and statistics that know variables by name can take the pieces as such.
//
// Processes share nothing, so each has cuts of its own.
//
// The same reading finds where locks and atomic variables are written anew (object_lives.h).
//
// Invariants: every access that was added begins at a cut, and there is a cut behind its last byte
// (unless that is the end of memory). Memory: a bit per byte of the pages that hold cuts, and a
// word for each page.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <unordered_map>

#include "base/check.h"
#include "query/order/object_lives.h"
#include "vestige/result.h"
#include "vestige/trace.h"

namespace vestige::threads {

class Pieces {
 public:
  // Of all accesses of a trace. ErrorKind::unsupported when they touch more memory than can be
  // kept.
  static Result<Pieces> read(const Trace& trace);

  // Where locks and atomic variables are written anew; null: nowhere.
  const std::shared_ptr<const Rewrites>& rewrites() const { return rewrites_; }

  // Whether more than one thread touched the page that this lies in.
  bool shared(uint32_t process, uint64_t address) const {
    const auto owner = owners_.find(page_of(process, address));
    return owner == owners_.end() || owner->second == kShared;
  }

  // Visits the pieces (address, bytes) of an access that was added.
  template <class Visit>
  void each(uint32_t process, uint64_t address, uint64_t bytes, const Visit& visit) const {
    VESTIGE_CHECK(bytes > 0);
    const uint64_t last = address + (bytes - 1);
    while (address <= last) {
      const uint64_t next = next_cut(process, address, last);
      visit(address, next - address + 1);
      if (next == last) break;
      address = next + 1;
    }
  }

 private:
  static constexpr int kPageBits = 12;
  static constexpr uint64_t kWords = (uint64_t{1} << kPageBits) / 64;
  static constexpr size_t kMostPages = 1 << 20;   // with cuts, of 500 bytes each
  static constexpr size_t kMostOwners = 1 << 22;  // pages past these count as shared
  static constexpr uint32_t kShared = kNone;
  using Page = std::array<uint64_t, kWords>;

  // False: there is no room.
  bool add(uint32_t process, uint32_t thread, uint64_t address, uint64_t bytes);
  void cut(uint32_t process, uint64_t address);

  // A page of a process; those of one process are in the order of their addresses. (Of the 4,096th
  // process and those of the first they are the same: more cuts than needed.)
  static uint64_t page_of(uint32_t process, uint64_t address) {
    return uint64_t{process} << (64 - kPageBits) | address >> kPageBits;
  }

  // The last byte of the piece that begins at `address`, at most `last`.
  uint64_t next_cut(uint32_t process, uint64_t address, uint64_t last) const {
    uint64_t from = address + 1;
    const uint64_t last_page = page_of(process, last);
    for (auto page = cuts_.lower_bound(page_of(process, from));
         address != last && page != cuts_.end() && page->first <= last_page; ++page) {
      const uint64_t base = page->first << kPageBits;
      const uint64_t within = from > base ? from - base : 0;
      for (uint64_t word = within / 64; word < kWords; ++word) {
        uint64_t bits = page->second[word];
        if (word == within / 64) bits &= ~uint64_t{0} << within % 64;
        if (bits == 0) continue;
        const uint64_t found = base + 64 * word + static_cast<uint64_t>(std::countr_zero(bits));
        return found <= last ? found - 1 : last;
      }
      from = base;
    }
    return last;
  }

  std::map<uint64_t, Page> cuts_;                  // by page: a bit where a piece begins
  std::unordered_map<uint64_t, uint32_t> owners_;  // by page: the thread, or kShared
  std::shared_ptr<const Rewrites> rewrites_;
};

}  // namespace vestige::threads
