#include "query/represent/shared_pages.h"

#include <algorithm>

namespace vestige {

Result<SharedPages> SharedPages::find(const Trace& trace, ReferenceSource& source) {
  SharedPages found;
  const auto threads = source.threads();
  found.all_ = threads.size() < 2;
  std::vector<TimedReference> piece;
  for (const uint32_t thread : threads) {
    if (auto begun = source.seek(thread, 0); !begun) return std::unexpected(begun.error());
    uint64_t last_page = UINT64_MAX;
    const uint32_t process = trace.threads()[thread].process;
    while (true) {
      if (auto read = source.read(piece); !read) return std::unexpected(read.error());
      if (piece.empty()) break;
      for (const TimedReference& timed : piece) {
        found.accesses_ += timed.reference.kind == Reference::Kind::modify ? 2 : 1;
        if (found.all_) continue;
        const uint64_t first = timed.reference.address >> kPageBits;
        const uint64_t last =
            (timed.reference.address + std::max<uint64_t>(timed.reference.bytes, 1) - 1) >>
            kPageBits;
        if (first == last && first == last_page) continue;
        for (uint64_t page = first; page <= last; ++page) {
          const auto [at, fresh] = found.pages_.try_emplace(key(process, page), thread);
          if (!fresh && at->second != thread) at->second = kSeveral;
        }
        last_page = last;
      }
    }
  }
  return found;
}

}  // namespace vestige
