#include "query/threads/pieces.h"

#include "query/order/operation_times.h"
#include "query/threads/events.h"
#include "vestige/sync.h"

namespace vestige::threads {

void Pieces::cut(uint32_t process, uint64_t address) {
  const uint64_t within = address & ((uint64_t{1} << kPageBits) - 1);
  cuts_[page_of(process, address)][within / 64] |= uint64_t{1} << within % 64;
}

bool Pieces::add(uint32_t process, uint32_t thread, uint64_t address, uint64_t bytes) {
  cut(process, address);
  if (address + bytes != 0) cut(process, address + bytes);
  const uint64_t last = page_of(process, address + (bytes - 1));
  for (uint64_t page = page_of(process, address); page <= last; ++page) {
    if (owners_.size() == kMostOwners && !owners_.contains(page)) continue;
    const auto [owner, fresh] = owners_.try_emplace(page, thread);
    if (owner->second != thread) owner->second = kShared;
  }
  return cuts_.size() <= kMostPages;
}

Result<Pieces> Pieces::read(const Trace& trace) {
  Pieces pieces;
  bool fits = true;
  auto operations = OperationTimes::read(trace);
  if (!operations) return std::unexpected(std::move(operations.error()));
  RewriteFinder rewrites(operations->uses());
  const std::vector<bool> atomic = atomic_statements(trace);
  const auto read = read_accesses(trace, [&](uint64_t time, const Reference& reference) {
    const uint32_t process = trace.threads()[reference.thread].process;
    if (!rewrites.idle() && reference.kind == Reference::Kind::write &&
        !atomic[reference.statement_id]) {
      const auto [after, before] = operations->around(reference.thread, time);
      rewrites.write(process, reference.address, 0, 1, reference.bytes, after, before);
    }
    return fits = pieces.add(process, reference.thread, reference.address, reference.bytes);
  });
  pieces.rewrites_ = rewrites.finish();
  if (!read) return std::unexpected(read.error());
  if (!fits)
    return fail(ErrorKind::unsupported,
                trace.file() + ": its threads touch more than 4 GiB of memory, too much to keep");
  auto order = SyncOrderCursor::open_with_memory(trace);
  if (!order) return std::unexpected(order.error());
  while (order->next()) {
    const SyncOperation& operation = order->operation();
    if (operation.kind != SyncKind::allocated) continue;
    const uint32_t process = trace.threads()[operation.thread].process;
    for (const uint64_t end : {operation.object, operation.other})
      if (pieces.owners_.contains(page_of(process, end))) pieces.cut(process, end);
  }
  if (order->error()) return std::unexpected(*order->error());
  return pieces;
}

}  // namespace vestige::threads
