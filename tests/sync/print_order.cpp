// print_order TRACE: every synchronization operation in the order of stamps, one per line: stamp,
// thread, handle, process, number, time, kind, result, object, other. Handles and objects are in
// hex.
#include <cinttypes>
#include <cstdio>

#include "vestige/sync.h"

int main(int count, char** arguments) {
  if (count != 2) return 2;
  const auto trace = vestige::Trace::open(arguments[1]);
  auto order = trace ? vestige::SyncOrderCursor::open(*trace) : std::unexpected(trace.error());
  if (!order) {
    std::fprintf(stderr, "%s\n", order.error().message.c_str());
    return 3;
  }
  while (order->next()) {
    const vestige::SyncOperation& op = order->operation();
    const vestige::ThreadInfo& thread = trace->threads()[op.thread];
    const std::string_view kind = vestige::sync_kind_name(op.kind);
    std::printf("%" PRIu64 " %u %" PRIx64 " %u %" PRIu64 " %" PRIu64 " %.*s %u %" PRIx64 " %" PRIx64
                "\n",
                op.stamp, op.thread, thread.handle, thread.process, op.number, op.time,
                static_cast<int>(kind.size()), kind.data(), op.result, op.object, op.other);
  }
  if (order->error()) {
    std::fprintf(stderr, "%s\n", order->error()->message.c_str());
    return 3;
  }
  return 0;
}
