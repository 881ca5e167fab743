// Who wrote each byte of memory last, as one thread knows it.
//
// A page of 4096 bytes has the label of the writer of each word of four bytes, until one of them
// has several: then of each byte. Also of each byte the value the thread last stored or loaded
// there, and whether there is such a value. A load that finds another value proves that somebody
// else wrote in between: the byte then has no writer, until the thread writes it again.
//
// Memory: four times what the thread touches, twelve times where it writes byte by byte;
// kMostBytes at most.
//
// One owner thread.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <unordered_map>
#include <vector>

#include "query/dependences/label.h"

namespace vestige {

class LastWriters {
 public:
  static constexpr uint64_t kPageBytes = 4096;
  static constexpr uint64_t kMostBytes = uint64_t{7} << 29;  // 3.5 GiB

  // Longer stretches are no one's.
  static constexpr uint64_t kMostLength = uint64_t{1} << 32;

  LastWriters() : recent_(kRecent) {}

  bool full() const { return bytes_ >= kMostBytes; }

  // What the thread reads there; with the value of a load or an exchange, when it is known: then
  // `length` is 8 at most. Appends the parts and gives them, or one label for all.
  Label read(uint64_t address, uint64_t length, const uint64_t* value, bool keeps,
             std::vector<LabelPart>& parts) {
    if (value) compare(address, length, *value, keeps);
    const uint64_t offset = address % kPageBytes;
    if (offset + length <= kPageBytes && length > 0) {
      const Page* page = existing_page(address);
      if (!page) return Label::nobody();
      const Label first = page->writer(offset);
      if (!first.is_marked() && page->all(offset, length, first)) return first;
    }
    return read_parts(address, length, parts);
  }

  void write(uint64_t address, uint64_t length, Label writer, const uint64_t* value) {
    for_pages(address, length, [&](Page& page, uint64_t offset, uint64_t size, uint64_t done) {
      set(page, offset, size, writer);
      std::memset(page.seen + offset, value ? 0xff : 0, size);
      if (value)
        std::memcpy(page.values + offset, reinterpret_cast<const uint8_t*>(value) + done, size);
    });
  }
  void write_copy(uint64_t address, uint64_t length, Label writer) {
    writer = writer.marked();
    write(address, length, writer, nullptr);
    if (copies_.size() >= most_copies_) drop_copies();
    copies_[writer.bits()] = address;
  }

 private:
  static constexpr uint64_t kWord = 4;
  struct Page {
    Label words[kPageBytes / kWord];
    std::unique_ptr<Label[]> bytes;  // when words do not do
    uint8_t values[kPageBytes];
    uint8_t seen[kPageBytes];  // 0xff: the value is known

    Label writer(uint64_t offset) const { return bytes ? bytes[offset] : words[offset / kWord]; }
    bool all(uint64_t offset, uint64_t length, Label label) const {
      bool same = true;
      if (bytes) {
        for (uint64_t i = offset; i < offset + length; ++i) same &= bytes[i] == label;
      } else {
        for (uint64_t i = offset / kWord; i <= (offset + length - 1) / kWord; ++i)
          same &= words[i] == label;
      }
      return same;
    }
  };
  struct Recent {
    uint64_t number = UINT64_MAX;
    Page* page = nullptr;
  };
  static constexpr size_t kRecent = 1024;

  const Page* existing_page(uint64_t address) const {
    const uint64_t number = address / kPageBytes;
    const Recent& recent = recent_[number % kRecent];
    if (recent.number == number) return recent.page;
    const auto found = pages_.find(number);
    return found == pages_.end() ? nullptr : found->second.get();
  }
  Page& page_of(uint64_t address) {
    const uint64_t number = address / kPageBytes;
    Recent& recent = recent_[number % kRecent];
    if (recent.number == number) return *recent.page;
    std::unique_ptr<Page>& page = pages_[number];
    if (!page) {
      page = std::make_unique<Page>();
      bytes_ += sizeof(Page);
    }
    recent = {number, page.get()};
    return *page;
  }
  void set(Page& page, uint64_t offset, uint64_t size, Label writer) {
    if (!page.bytes && ((offset | size) % kWord) == 0) {
      std::fill_n(page.words + offset / kWord, size / kWord, writer);
      return;
    }
    if (!page.bytes) split(page);
    std::fill_n(page.bytes.get() + offset, size, writer);
  }
  template <class Visit>
  void for_pages(uint64_t address, uint64_t length, const Visit& visit) {
    for (uint64_t done = 0; done < length && !full();) {
      const uint64_t offset = (address + done) % kPageBytes;
      const uint64_t size = std::min(length - done, kPageBytes - offset);
      visit(page_of(address + done), offset, size, done);
      done += size;
    }
  }

  // `keeps`: the value is what is known from here on (of a load).
  void compare(uint64_t address, uint64_t length, uint64_t value, bool keeps) {
    for_pages(address, length, [&](Page& page, uint64_t offset, uint64_t size, uint64_t done) {
      uint64_t held = 0, seen = 0;
      std::memcpy(&held, page.values + offset, size);
      std::memcpy(&seen, page.seen + offset, size);
      const uint64_t part = value >> (8 * done);
      if (const uint64_t differs = (held ^ part) & seen)
        for (uint64_t i = 0; i < size; ++i)
          if (differs >> (8 * i) & 0xff) set(page, offset + i, 1, Label::changed());
      if (!keeps) return;
      std::memcpy(page.values + offset, &part, size);
      std::memset(page.seen + offset, 0xff, size);
    });
  }

  void split(Page& page);
  Label read_parts(uint64_t address, uint64_t length, std::vector<LabelPart>& parts);
  void drop_copies();

  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
  std::vector<Recent> recent_;
  uint64_t bytes_ = 0;
  std::unordered_map<uint64_t, uint64_t> copies_;  // by label: where to
  size_t most_copies_ = 1 << 20;
};

}  // namespace vestige
