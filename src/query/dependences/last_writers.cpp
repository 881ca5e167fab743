#include "query/dependences/last_writers.h"

#include <algorithm>
#include <unordered_set>

namespace vestige {

Label LastWriters::read_parts(uint64_t address, uint64_t length, std::vector<LabelPart>& parts) {
  const size_t first = parts.size();
  bool copied_any = false;
  for_pages(address, length, [&](Page& page, uint64_t offset, uint64_t size, uint64_t done) {
    for (uint64_t i = 0; i < size; ++i) {
      LabelPart part{.length = 1, .label = page.writers[offset + i]};
      part.copied = part.label.is_marked();
      if (part.copied) {
        copied_any = true;
        part.offset = address + done + i - copies_[part.label.bits()];
        part.label = part.label.unmarked();
      }
      if (parts.size() > first) {
        LabelPart& before = parts.back();
        if (before.label == part.label && before.copied == part.copied &&
            (part.copied ? before.offset + before.length == part.offset : true)) {
          ++before.length;
          continue;
        }
      }
      parts.push_back(part);
    }
  });
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
    for (const Label writer : page->writers)
      if (writer.is_marked()) live.insert(writer.bits());
  std::erase_if(copies_, [&](const auto& copy) { return !live.contains(copy.first); });
  most_copies_ = std::max<size_t>(1 << 20, 2 * copies_.size());
}

}  // namespace vestige
