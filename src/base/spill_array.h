// An array that grows at its end and takes a bounded amount of memory: pages of it that have not
// been used for long lie in a temporary file. For arrays that are gone through from one end to the
// other, with looks back and ahead now and then.
//
// Without room for the file all of it stays in memory. A page that cannot be read back is zeros,
// and failed() says so.
//
// Invariants: 1. a page is in memory, or in the file as it was last. 2. At most kSlots pages are in
// memory, unless nothing can be written.
//
// A reference from [] or append holds until the next use of the array. One owner thread.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/spill_file.h"

namespace vestige {

template <class T, unsigned kPageBits = 12, size_t kSlots = 64>
class SpillArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  uint64_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  bool failed() const { return failed_; }
  // Nothing can be written: from here on all of it stays in memory.
  bool full() const { return full_; }

  // So many items more at the end, as T() has them. Pages of them take no room until they are used.
  void grow(uint64_t count) {
    size_ += count;
    pages_.resize((size_ + kPage - 1) / kPage);
  }

  T& append(const T& value) {
    if (size_ % kPage == 0) {
      make_room();
      pages_.push_back({take_items()});
      pages_.back().items->fill(T());
      resident_.push_back(static_cast<uint32_t>(pages_.size() - 1));
    }
    T& place = (*this)[size_++];
    place = value;
    return place;
  }

  T& operator[](uint64_t i) {
    Page& page = use(i);
    page.changed = true;
    return (*page.items)[i % kPage];
  }
  // To read only: a page that nobody changed need not be written again.
  const T& at(uint64_t i) { return (*use(i).items)[i % kPage]; }

 private:
  static constexpr uint64_t kPage = uint64_t{1} << kPageBits;
  using Items = std::array<T, kPage>;
  struct Page {
    std::unique_ptr<Items> items;  // none: it is in the file, or was never used
    bool changed = false;          // since it was written
    bool used = false;             // since the hand went by
    bool written = false;          // it is in the file
  };

  Page& use(uint64_t i) {
    const uint64_t number = i >> kPageBits;
    VESTIGE_CHECK(number < pages_.size());
    if (!pages_[number].items) load(static_cast<uint32_t>(number));
    pages_[number].used = true;
    return pages_[number];
  }

  void load(uint32_t number) {
    make_room();
    auto items = take_items();
    Page& page = pages_[number];
    if (!page.written || !file_.read(number * sizeof(Items), items.get(), sizeof(Items))) {
      failed_ |= page.written;
      items->fill(T());
    }
    page.items = std::move(items);
    resident_.push_back(number);
    VESTIGE_CHECK(resident_.size() <= kSlots || full_);
  }

  // Of a page that left, or new ones.
  std::unique_ptr<Items> take_items() {
    return spare_ ? std::move(spare_) : std::make_unique<Items>();
  }

  // The first page from the hand on that was not used since the hand went by last.
  void make_room() {
    if (resident_.size() < kSlots || full_) return;
    while (true) {
      hand_ = (hand_ + 1) % resident_.size();
      Page& page = pages_[resident_[hand_]];
      if (!std::exchange(page.used, false)) break;
    }
    Page& page = pages_[resident_[hand_]];
    if (page.changed &&
        !file_.write(resident_[hand_] * sizeof(Items), page.items.get(), sizeof(Items))) {
      full_ = true;
      return;
    }
    spare_ = std::move(page.items);
    page.written |= page.changed;
    page.changed = false;
    resident_[hand_] = resident_.back();
    resident_.pop_back();
  }

  std::vector<Page> pages_;
  std::vector<uint32_t> resident_;  // pages in memory
  std::unique_ptr<Items> spare_;
  SpillFile file_;
  size_t hand_ = 0;
  uint64_t size_ = 0;
  bool full_ = false, failed_ = false;
};

}  // namespace vestige
