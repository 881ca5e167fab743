#include "query/represent/access_streams.h"

#include <map>
#include <set>

#include "codec/section/runs_stream.h"
#include "codec/sequitur/sequitur_stream.h"
#include "vestige/sync.h"

namespace vestige {

namespace {

// use(time, statement #ID, address, write) for each access of the thread, in order.
template <class Use>
Result<void> each_access(uint32_t thread, ReferenceSource& source, const Use& use) {
  if (auto begun = source.seek(thread, 0); !begun) return begun;
  std::vector<TimedReference> piece;
  while (true) {
    if (auto read = source.read(piece); !read) return read;
    if (piece.empty()) return {};
    for (const auto& [time, reference] : piece) {
      if (reference.kind != Reference::Kind::write)
        use(time, reference.statement_id, reference.address, false);
      if (reference.kind != Reference::Kind::read)
        use(time, reference.statement_id, reference.address, true);
    }
  }
}

uint64_t key_of(uint64_t statement, bool write) { return 2 * statement + write; }

}  // namespace

Result<AccessChunk> accesses_in_order(const Trace& trace, uint32_t thread, ReferenceSource& source,
                                      const SharedPages& pages) {
  auto sync = SyncCursor::open(trace, thread);
  if (!sync) return std::unexpected(std::move(sync.error()));
  const uint32_t process = trace.threads()[thread].process;
  sequitur::StreamWriter writer;
  std::vector<uint64_t> waiting;
  bool more = sync->next();
  uint64_t count = 0;
  // An operation lies behind the path of its time.
  const auto syncs_before = [&](uint64_t time) {
    for (; more && sync->operation().time < time; more = sync->next())
      waiting.push_back(kSyncInOrder);
  };
  const auto read = each_access(thread, source, [&](uint64_t time, uint64_t, uint64_t address, bool write) {
    syncs_before(time);
    if (!pages.shared(process, address)) return;
    waiting.push_back(in_order(address, write));
    ++count;
    if (waiting.size() >= 4096) {
      writer.append(waiting);
      waiting.clear();
    }
  });
  if (!read) return std::unexpected(read.error());
  syncs_before(UINT64_MAX);
  if (const Error* error = sync->error()) return std::unexpected(*error);
  writer.append(waiting);
  AccessChunk chunk{.thread = thread, .streams = {}};
  chunk.streams.push_back({0, count, writer.finish()});
  return chunk;
}

Result<AccessChunk> addresses_of_each(const Trace& trace, uint32_t thread, ReferenceSource& source,
                                      const SharedPages& pages) {
  const uint32_t process = trace.threads()[thread].process;
  std::set<uint64_t> shared;
  auto read = each_access(thread, source, [&](uint64_t, uint64_t statement, uint64_t address, bool write) {
    if (pages.shared(process, address)) shared.insert(key_of(statement, write));
  });
  if (!read) return std::unexpected(read.error());
  struct Stream {
    section::RunsWriter writer;
    std::vector<uint64_t> waiting;
  };
  std::map<uint64_t, Stream> streams;
  for (const uint64_t key : shared) streams.try_emplace(key);
  read = each_access(thread, source, [&](uint64_t, uint64_t statement, uint64_t address, bool write) {
    const auto found = streams.find(key_of(statement, write));
    if (found == streams.end()) return;
    auto& [writer, waiting] = found->second;
    waiting.push_back(address);
    if (waiting.size() < 256) return;
    writer.append(waiting);
    waiting.clear();
  });
  if (!read) return std::unexpected(read.error());
  AccessChunk chunk{.thread = thread, .streams = {}};
  for (auto& [key, stream] : streams) {
    stream.writer.append(stream.waiting);
    const uint64_t count = stream.writer.size();
    chunk.streams.push_back({key, count, stream.writer.finish()});
  }
  return chunk;
}

}  // namespace vestige
