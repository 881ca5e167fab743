#include "query/dependences/last_writers.h"

#include <algorithm>
#include <unordered_set>

namespace vestige {

void LastWriters::split(Page& page) {
  page.bytes = std::make_unique<Label[]>(kPageBytes);
  for (uint64_t i = 0; i < kPageBytes; ++i) page.bytes[i] = page.words[i / kWord];
  bytes_ += kPageBytes * sizeof(Label);
}

Label LastWriters::read_parts(uint64_t address, uint64_t length, std::vector<LabelPart>& parts) {
  const size_t first = parts.size();
  bool copied_any = false;
  const auto add = [&](const LabelPart& part) {
    if (parts.size() > first) {
      LabelPart& before = parts.back();
      if (before.label == part.label && before.copied == part.copied &&
          (!part.copied || before.offset + before.length == part.offset)) {
        before.length += part.length;
        return;
      }
    }
    parts.push_back(part);
  };
  for (uint64_t done = 0; done < length;) {
    const uint64_t offset = (address + done) % kPageBytes;
    const uint64_t size = std::min(length - done, kPageBytes - offset);
    const Page* page = existing_page(address + done);
    if (!page) add({.length = size, .label = Label::nobody()});
    for (uint64_t i = 0; page && i < size; ++i) {
      LabelPart part{.length = 1, .label = page->writer(offset + i)};
      part.copied = part.label.is_marked();
      if (part.copied) {
        copied_any = true;
        part.offset = address + done + i - copies_[part.label.bits()];
        part.label = part.label.unmarked();
      }
      add(part);
    }
    done += size;
  }
  if (parts.size() == first) return Label::nobody();
  parts.back().last = true;
  if (parts.size() - first == 1 && !copied_any) {
    const Label label = parts.back().label;
    parts.pop_back();
    return label;
  }
  return Label::parts(first);
}

// Of copies whose bytes were all overwritten nothing is asked any more.
void LastWriters::drop_copies() {
  std::unordered_set<uint64_t> live;
  for (const auto& [number, page] : pages_)
    for (uint64_t i = 0; i < kPageBytes; i += page->bytes ? 1 : kWord)
      if (const Label writer = page->writer(i); writer.is_marked()) live.insert(writer.bits());
  std::erase_if(copies_, [&](const auto& copy) { return !live.contains(copy.first); });
  most_copies_ = std::max<size_t>(1 << 20, 2 * copies_.size());
}

}  // namespace vestige
