// Path id → Path, filled as paths are first met.
//
// A trace's program may have billions of path ids; a run meets thousands. Two levels: a page
// for 4096 neighbouring ids is made when the first of them is met, a Path when that id is met.
//
// Thread safety: any number of threads may look up. A hit takes no lock: pages and Paths are
// published with release stores and never change or move afterwards. Misses take one mutex.
//
// Memory is bounded: past kMaxBytes of Paths, unknown ids are refused (hostile traces; a real
// program would need millions of different paths).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "program/numbering.h"
#include "trace/program_table.h"
#include "vestige/trace.h"

namespace vestige {

class PathTable {
 public:
  static constexpr uint32_t kPageBits = 12;
  static constexpr uint32_t kPageSize = 1u << kPageBits;
  static constexpr uint64_t kMaxBytes = uint64_t{384} << 20;
  using Slot = std::atomic<const Path*>;

  // The program must outlive the table.
  explicit PathTable(const ProgramTable& program);

  // The path, or nullptr when the program has no such path.
  const Path* find(uint32_t id) const {
    const uint32_t page = id >> kPageBits;
    if (page < page_count_) {
      if (const Slot* slots = pages_[page].load(std::memory_order_acquire)) {
        if (const Path* path = slots[id & (kPageSize - 1)].load(std::memory_order_acquire))
          return path;
      }
    }
    return fill(id);
  }

  const std::atomic<Slot*>* pages() const { return pages_.get(); }
  uint32_t page_count() const { return page_count_; }

 private:
  const Path* fill(uint32_t id) const;

  const ProgramTable& program_;
  uint32_t page_count_ = 0;
  std::unique_ptr<std::atomic<Slot*>[]> pages_;

  mutable std::mutex mutex_;  // guards what follows, and all stores to pages and slots
  mutable std::deque<std::array<Slot, kPageSize>> page_storage_;
  mutable std::deque<Path> paths_;
  mutable std::vector<std::unique_ptr<Numbering>> numberings_;  // per function, made when needed
  mutable uint64_t bytes_ = 0;
};

// Takes path number `number` of a function apart. Blocks that a resuming segment continues are not
// listed: a block is seen once, where it begins.
Path make_path(const Function& function, uint32_t function_index, const Numbering& numbering,
               uint64_t number);

}  // namespace vestige
