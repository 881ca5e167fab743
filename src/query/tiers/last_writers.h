// Who last wrote each byte of memory, page by page.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace vestige {

// An execution of a statement: of which node, the how manyth of it, and the statement.
struct LabelPlace {
  uint32_t node = UINT32_MAX, instance = 0, statement = 0;
  bool known() const { return node != UINT32_MAX; }
  bool operator==(const LabelPlace&) const = default;
};

// Memory: 48 KiB a page of 4 KiB, `most` bytes in all; then everything is forgotten.
class LastWriters {
 public:
  explicit LastWriters(uint64_t most) : most_pages_(most / (kPage * sizeof(LabelPlace)) + 1) {}

  void write(uint64_t address, uint64_t bytes, const LabelPlace& writer) {
    each_page(address, bytes, true, [&](LabelPlace* first, uint64_t count) {
      for (uint64_t i = 0; i < count; ++i) first[i] = writer;
    });
  }
  // Each writer once for each run of bytes it wrote.
  template <class Take>
  void read(uint64_t address, uint64_t bytes, const Take& take) {
    LabelPlace last;
    each_page(address, bytes, false, [&](const LabelPlace* first, uint64_t count) {
      for (uint64_t i = 0; i < count; ++i) {
        if (first[i] == last) continue;
        last = first[i];
        if (last.known()) take(last);
      }
    });
  }
  uint64_t forgotten() const { return forgotten_; }

 private:
  static constexpr uint64_t kPage = 4096;
  template <class Work>
  void each_page(uint64_t address, uint64_t bytes, bool make, const Work& work) {
    if (address + bytes < address) return;
    while (bytes > 0) {
      const uint64_t number = address / kPage, at = address % kPage;
      const uint64_t count = bytes < kPage - at ? bytes : kPage - at;
      if (LabelPlace* page = find(number, make)) work(page + at, count);
      address += count;
      bytes -= count;
    }
  }
  LabelPlace* find(uint64_t number, bool make) {
    if (number == last_number_ && last_page_) return last_page_;
    const auto found = pages_.find(number);
    if (found == pages_.end()) {
      if (!make) return nullptr;
      if (pages_.size() >= most_pages_) {
        forgotten_ += pages_.size();
        pages_.clear();
      }
      auto page = std::make_unique<LabelPlace[]>(kPage);
      last_page_ = page.get();
      pages_.emplace(number, std::move(page));
    } else {
      last_page_ = found->second.get();
    }
    last_number_ = number;
    return last_page_;
  }

  const uint64_t most_pages_;
  std::unordered_map<uint64_t, std::unique_ptr<LabelPlace[]>> pages_;
  uint64_t last_number_ = 0;
  LabelPlace* last_page_ = nullptr;
  uint64_t forgotten_ = 0;
};

}  // namespace vestige
