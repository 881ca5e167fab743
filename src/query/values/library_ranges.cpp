#include "query/rows/transfer_source.h"
#include "vestige/values.h"

namespace vestige {

std::string_view kind_name(LibraryAccess::Kind kind) {
  constexpr std::string_view kNames[] = {"copy", "outside", "computed", "read"};
  return kNames[static_cast<size_t>(kind)];
}

Result<void> read_library_ranges(const Trace& trace, std::optional<uint32_t> thread,
                                 const std::function<bool(const LibraryAccess&)>& take) {
  auto windows = Windows::open(trace);
  if (!windows) return std::unexpected(std::move(windows.error()));
  if (thread && windows->of(*thread).empty())
    return fail(ErrorKind::unsupported, trace.file() + ": no values of thread " +
                                            thread_name(trace, *thread) + " were recorded");
  TransferSource source(trace, *windows);
  std::vector<Transfer> piece;
  for (uint32_t t = 0; t < trace.threads().size(); ++t) {
    if (thread && *thread != t) continue;
    source.begin(t);
    while (true) {
      const auto read = source.read(piece);
      if (!read) return std::unexpected(read.error());
      if (!*read) break;
      for (const Transfer& seen : piece) {
        const bool writes = seen.kind != LibraryRange::Kind::read;
        LibraryAccess access{.thread = t,
                             .call = {seen.function, seen.statement},
                             .time = seen.call_time,
                             .return_time = seen.time,
                             .address = {},
                             .source = {},
                             .bytes = {}};
        access.kind = static_cast<LibraryAccess::Kind>(static_cast<int>(seen.kind) - 1);
        if (writes ? seen.has_to : seen.has_from) access.address = writes ? seen.to : seen.from;
        if (writes && seen.has_from) access.source = seen.from;
        if (seen.has_length) access.bytes = seen.length;
        if (!take(access)) return {};
      }
    }
  }
  return {};
}

}  // namespace vestige
