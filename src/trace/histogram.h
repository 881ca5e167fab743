// How often each path id ran: a dense count per id, in pages made when first touched, so that
// counting a word is two loads and an add.
//
// Pages are bounded: settle() hands out all counts and empties the histogram; the owner calls it
// when full() says so, and at the end.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "trace/path_table.h"

namespace vestige {

class PathHistogram {
 public:
  explicit PathHistogram(uint32_t page_count) : pages_(page_count) {}

  // Counts the words up to the first whose page the program does not have; gives how many.
  size_t add(std::span<const uint32_t> words) {
    for (size_t i = 0; i < words.size(); ++i) {
      const uint32_t page = words[i] >> PathTable::kPageBits;
      if (page >= pages_.size()) return i;
      if (!pages_[page]) make(page);
      ++(*pages_[page])[words[i] & (PathTable::kPageSize - 1)];
    }
    return words.size();
  }
  bool full() const { return used_.size() >= kMaxPages; }

  // Calls use(id, count) for every id seen, then forgets all.
  template <class Use>
  void settle(const Use& use) {
    for (const uint32_t page : used_) {
      for (uint32_t i = 0; i < PathTable::kPageSize; ++i)
        if (const uint64_t n = (*pages_[page])[i]) use((page << PathTable::kPageBits) + i, n);
      pages_[page].reset();
    }
    used_.clear();
  }

 private:
  static constexpr size_t kMaxPages = 2048;  // 64 MiB; one block of words may add as many again
  using Page = std::array<uint64_t, PathTable::kPageSize>;
  void make(uint32_t page) {
    pages_[page] = std::make_unique<Page>();
    used_.push_back(page);
  }
  std::vector<std::unique_ptr<Page>> pages_;
  std::vector<uint32_t> used_;
};

}  // namespace vestige
