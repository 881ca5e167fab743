#include "query/represent/shared_pages.h"

#include <algorithm>

#include "query/order/doers.h"
#include "query/order/frees.h"
#include "query/order/object_lives.h"

namespace vestige {

Result<SharedPages> SharedPages::find(const Trace& trace, ReferenceSource& source) {
  SharedPages found;
  const auto evaluated = source.threads();
  const auto doers = threads::Doers::read(trace);
  if (!doers) return std::unexpected(doers.error());
  found.all_ = evaluated.size() < 2 || doers->tasks_given() > 0;
  std::vector<TimedReference> piece;
  for (const uint32_t thread : evaluated) {
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
        found.touch(process, thread, timed.reference.address, timed.reference.bytes);
        last_page = last;
      }
    }
  }
  if (found.all_) return found;
  if (auto touched = found.touch_by_operations(trace); !touched)
    return std::unexpected(touched.error());
  const auto library = read_library_ranges(trace, std::nullopt, [&](const LibraryAccess& access) {
    const uint32_t process = trace.threads()[access.thread].process;
    for (const auto& address : {access.address, access.source})
      if (address && access.bytes) found.touch(process, access.thread, *address, *access.bytes);
    return true;
  });
  if (!library) return std::unexpected(library.error());
  return found;
}

void SharedPages::touch(uint32_t process, uint32_t thread, uint64_t address, uint64_t bytes) {
  if (bytes > kLongest) return;
  const uint64_t last = (address + std::max<uint64_t>(bytes, 1) - 1) >> kPageBits;
  for (uint64_t page = address >> kPageBits; page <= last; ++page) {
    const auto [at, fresh] = pages_.try_emplace(key(process, page), thread);
    if (!fresh && at->second != thread) at->second = kSeveral;
  }
}

Result<void> SharedPages::touch_by_operations(const Trace& trace) {
  auto order = SyncOrderCursor::open_with_memory(trace);
  if (!order) return std::unexpected(std::move(order.error()));
  threads::FreedBlocks blocks(trace);
  while (order->next()) {
    const SyncOperation& op = order->operation();
    const uint32_t process = trace.threads()[op.thread].process;
    if (const auto freed = blocks.of(op)) touch(process, op.thread, freed->address, freed->bytes);
    if (threads::has_object(op.kind)) touch(process, op.thread, op.object, 1);
    if (op.kind == SyncKind::cond_wait || op.kind == SyncKind::cond_wake)
      touch(process, op.thread, op.other, 1);
  }
  if (order->error()) return std::unexpected(*order->error());
  return {};
}

}  // namespace vestige
