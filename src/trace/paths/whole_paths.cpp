#include "trace/paths/whole_paths.h"

#include "base/squeeze.h"
#include "trace/index/index_place.h"
#include "trace/state.h"

namespace vestige {

namespace {

template <class T>
std::span<const T> take(ByteView& bytes, uint64_t count) {
  if (count > bytes.size() / sizeof(T)) {
    bytes = {};
    return {};
  }
  const std::span<const T> out(reinterpret_cast<const T*>(bytes.data()), count);
  bytes = bytes.subspan(count * sizeof(T));
  return out;
}

}  // namespace

Result<WholePaths> WholePaths::open(const Trace& trace) {
  Error last{ErrorKind::missing, trace.file() + ": its whole program paths are not indexed"};
  for (const std::string& place : cache_places(trace, kPathIndex)) {
    auto cache = CacheReader::open(place, kPathIndex, trace.state().store.identity());
    if (!cache) {
      last = std::move(cache.error());
      continue;
    }
    WholePaths paths;
    paths.cache_ = std::move(*cache);
    if (paths.read_table() && paths.threads_.size() == trace.threads().size()) return paths;
    last = {ErrorKind::corrupt, place + ": is damaged; it is made anew when it is needed"};
  }
  return std::unexpected(std::move(last));
}

bool WholePaths::read_table() {
  auto raw = unsqueeze(cache_.table(), "table of an index");
  if (!raw) return false;
  ByteReader in(*raw);
  in.varint();  // chunk size, for people
  threads_.resize(in.count(3));
  uint64_t end = 0;
  for (Thread& thread : threads_) {
    thread.first_time = in.varint();
    thread.raw_events = in.varint();
    thread.parts.resize(in.count(14));
    for (PathGrammar& part : thread.parts) {
      const uint64_t offset = end + in.varint();
      const uint64_t terminals = in.varint32(), runs = in.varint32(), rules = in.varint32(),
                     symbols = in.varint32();
      const uint64_t size = terminals * sizeof(Terminal) + runs * sizeof(RunRecord) +
                            rules * (sizeof(RuleFacts) + 4) + symbols * 4;
      const auto piece = cache_.piece(offset, size, in.u64());
      if (in.failed() || !piece || offset % 8 != 0) return false;
      end = offset + size;
      grammar_bytes_ += size;
      ByteView bytes = *piece;
      part.terminals = take<Terminal>(bytes, terminals);
      part.runs = take<RunRecord>(bytes, runs);
      part.rules = take<RuleFacts>(bytes, rules);
      part.ends = take<uint32_t>(bytes, rules);
      part.symbols = take<sequitur::Symbol>(bytes, symbols);
      if (!part.check()) return false;
    }
    if (!thread.by_rule.decode(in) || !thread.by_time.decode(in)) return false;
    for (const PathChunk& chunk : thread.by_rule.chunks()) {
      if (chunk.part >= thread.parts.size() || chunk.begin > chunk.end) return false;
      const PathGrammar& part = thread.parts[chunk.part];
      if (chunk.begin < part.begin(part.start()) || chunk.end > part.symbols.size()) return false;
    }
  }
  return !in.failed() && in.remaining() == 0;
}

}  // namespace vestige
