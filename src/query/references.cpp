#include "query/reference_source.h"

namespace vestige {

Result<uint64_t> read_references(const Trace& trace, std::optional<uint32_t> thread,
                                 const std::function<bool(const Reference&)>& take) {
  auto source = ReferenceSource::open(trace);
  if (!source) return std::unexpected(source.error());
  bool any = false;
  std::vector<TimedReference> piece;
  for (const uint32_t t : source->threads()) {
    if (thread && *thread != t) continue;
    any = true;
    if (auto begun = source->seek(t, 0); !begun) return std::unexpected(begun.error());
    while (true) {
      if (auto read = source->read(piece); !read) return std::unexpected(read.error());
      if (piece.empty()) break;
      for (const TimedReference& timed : piece)
        if (!take(timed.reference)) return source->unknown();
    }
  }
  if (thread && !any)
    return fail(ErrorKind::unsupported, trace.file() + ": no values of thread " +
                                            thread_name(trace, *thread) + " were recorded");
  return source->unknown();
}

}  // namespace vestige
