// Which pages of memory more than one thread touched: by loads and stores, by library functions, by
// giving memory back, or by an operation on a lock or an atomic variable that lies there.
#pragma once

#include <algorithm>
#include <unordered_map>

#include "query/rows/reference_source.h"

namespace vestige {

class SharedPages {
 public:
  static constexpr unsigned kPageBits = 12;

  // Reads all references of the trace. A program with one thread shares everything with itself, and
  // so do those with deferred tasks: one thread may run two that race.
  static Result<SharedPages> find(const Trace& trace, ReferenceSource& source);

  // Any byte of it.
  bool shared(uint32_t process, const Reference& reference) const {
    if (all_) return true;
    const uint64_t last = reference.address + std::max<uint64_t>(reference.bytes, 1) - 1;
    if (last < reference.address || last - reference.address > kLongest)
      return shared(process, reference.address);
    for (uint64_t page = reference.address >> kPageBits; page <= last >> kPageBits; ++page)
      if (shared(process, page << kPageBits)) return true;
    return false;
  }

  bool shared(uint32_t process, uint64_t address) const {
    if (all_) return true;
    const auto page = pages_.find(key(process, address >> kPageBits));
    return page != pages_.end() && page->second == kSeveral;
  }
  uint64_t accesses() const { return accesses_; }

 private:
  static constexpr uint32_t kSeveral = UINT32_MAX;
  static constexpr uint64_t kLongest = uint64_t{1} << 28;  // longer ones are of no program
  void touch(uint32_t process, uint32_t thread, uint64_t address, uint64_t bytes);
  Result<void> touch_by_operations(const Trace& trace);
  static uint64_t key(uint32_t process, uint64_t page) {
    return page ^ uint64_t { process } << 44;
  }
  bool all_ = false;
  uint64_t accesses_ = 0;
  std::unordered_map<uint64_t, uint32_t> pages_;  // → the thread, or kSeveral
};

}  // namespace vestige
