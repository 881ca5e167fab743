// Which pages of memory more than one thread touched.
#pragma once

#include <unordered_map>

#include "query/reference_source.h"

namespace vestige {

class SharedPages {
 public:
  static constexpr unsigned kPageBits = 12;

  // Reads all references of the trace. A program with one thread shares everything with itself.
  static Result<SharedPages> find(const Trace& trace, ReferenceSource& source);

  bool shared(uint32_t process, uint64_t address) const {
    if (all_) return true;
    const auto page = pages_.find(key(process, address >> kPageBits));
    return page != pages_.end() && page->second == kSeveral;
  }
  uint64_t accesses() const { return accesses_; }

 private:
  static constexpr uint32_t kSeveral = UINT32_MAX;
  static uint64_t key(uint32_t process, uint64_t page) {
    return page ^ uint64_t { process } << 44;
  }
  bool all_ = false;
  uint64_t accesses_ = 0;
  std::unordered_map<uint64_t, uint32_t> pages_;  // → the thread, or kSeveral
};

}  // namespace vestige
