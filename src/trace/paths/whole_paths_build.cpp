// One pass over each thread's control flow: terminals go to the grammar builder and to the chunks
// by time; a grammar that has grown too large is written and a new one begun.
#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>
#include <optional>

#include "base/checksum.h"
#include "base/squeeze.h"
#include "codec/sequitur/grammar_builder.h"
#include "trace/index/index_place.h"
#include "trace/parallel.h"
#include "trace/paths/annotate_paths.h"
#include "trace/paths/terminal_stream.h"
#include "trace/paths/whole_paths.h"
#include "vestige/paths.h"

namespace vestige {

namespace {

// Memory of one growing grammar; the finished arrays take about as much again while they are made.
constexpr size_t kGrammarBytes = size_t{64} << 20;
constexpr uint64_t kEventBytes = 4;        // raw: 4 bytes a block, an entry, an exit
constexpr uint64_t kMostChunks = 1 << 10;  // of a part, or of a thread by time

template <class T>
void put(Bytes& bytes, const std::vector<T>& array) {
  const auto* data = reinterpret_cast<const uint8_t*>(array.data());
  bytes.insert(bytes.end(), data, data + array.size() * sizeof(T));
}

// The chunks by time, as the terminals come by.
class TimeChunks {
 public:
  TimeChunks(ChunkIndex& index, uint64_t first_time, uint64_t chunk_events)
      : index_(index), chunk_events_(chunk_events) {
    chunk_.first_time = first_time;
  }
  void add(const Terminal& terminal, uint32_t raw) {
    chunk_.extent = joined(chunk_.extent, {terminal.times, terminal.net, terminal.lowest});
    events_ += raw;
    if (terminal.function != kNone) {
      if (terminal.function >= last_in_.size()) last_in_.resize(terminal.function + 1, UINT32_MAX);
      if (last_in_[terminal.function] != number_) {
        last_in_[terminal.function] = number_;
        functions_.push_back(terminal.function);
      }
    }
    if (events_ >= chunk_events_ && terminal.path != kNone) close();
  }
  void close() {
    if (chunk_.extent.times == 0 && events_ == 0) return;
    index_.add(chunk_, std::move(functions_));
    functions_.clear();
    PathChunk next;
    next.first_time = chunk_.first_time + chunk_.extent.times;
    chunk_ = next;
    events_ = 0;
    ++number_;
  }

 private:
  ChunkIndex& index_;
  const uint64_t chunk_events_;
  PathChunk chunk_;
  uint64_t events_ = 0;
  uint32_t number_ = 0;
  std::vector<uint32_t> functions_;
  std::vector<uint32_t> last_in_;  // by function: the chunk it was last seen in
};

struct ThreadPaths {
  uint64_t first_time = 1, raw_events = 0;
  struct Part {
    uint64_t offset, terminals, runs, rules, symbols, size, checksum;
  };
  std::vector<Part> parts;
  ChunkIndex by_rule, by_time;
};

class ThreadBuilder {
 public:
  ThreadBuilder(const Trace& trace, uint32_t thread, uint64_t chunk_events, CacheWriter& writer)
      : trace_(trace),
        stream_(trace.state(), thread),
        writer_(writer),
        chunk_events_(chunk_events) {
    const auto& chunks = trace.state().chunks[thread];
    if (!chunks.empty()) out.first_time = chunks.front().first_time;
    part_time_ = out.first_time;
  }

  template <class Progress>
  Result<void> run(const Progress& progress) {
    TimeChunks by_time(out.by_time, out.first_time, chunk_events_);
    std::vector<uint32_t> terminals;
    std::vector<uint64_t> values;
    while (true) {
      if (auto read = stream_.read(terminals); !read) return read;
      if (terminals.empty()) break;
      values.assign(terminals.begin(), terminals.end());
      builder_.append(values);
      for (const uint32_t t : terminals) {
        if (t >= raw_.size()) learn();
        by_time.add(stream_.terminals()[t], raw_[t]);
        out.raw_events += raw_[t];
      }
      progress(terminals.size());
      if (builder_.bytes() >= kGrammarBytes)
        if (auto written = write_part(); !written) return written;
    }
    by_time.close();
    return builder_.size() > 0 ? write_part() : Result<void>();
  }

  ThreadPaths out;

 private:
  void learn() {
    for (size_t t = raw_.size(); t < stream_.terminals().size(); ++t) {
      const Terminal& terminal = stream_.terminals()[t];
      const Path* path = terminal.path == kNone ? nullptr : trace_.path(terminal.path);
      raw_.push_back(path ? static_cast<uint32_t>(path->blocks.size() + path->enters + path->leaves)
                          : 0);
    }
  }

  Result<void> write_part() {
    const AnnotatedPaths paths = annotate_paths(builder_.finish(), stream_.terminals(), raw_);
    const auto number = static_cast<uint32_t>(out.parts.size());
    add_rule_chunks(out.by_rule, paths, number, part_time_,
                    std::max(chunk_events_, paths.raw.back() / kMostChunks));
    part_time_ += paths.rules.back().times;
    Bytes piece;
    put(piece, paths.terminals);
    put(piece, paths.runs);
    put(piece, paths.rules);
    put(piece, paths.ends);
    put(piece, paths.symbols);
    const auto offset = writer_.append(piece);
    if (!offset) return std::unexpected(offset.error());
    out.parts.push_back({*offset, paths.terminals.size(), paths.runs.size(), paths.rules.size(),
                         paths.symbols.size(), piece.size(), checksum(piece)});
    return {};
  }

  const Trace& trace_;
  TerminalStream stream_;
  CacheWriter& writer_;
  const uint64_t chunk_events_;
  sequitur::GrammarBuilder builder_;
  std::vector<uint32_t> raw_;  // by terminal
  uint64_t part_time_ = 1;
};

Bytes encode_table(const std::vector<ThreadPaths>& threads, uint64_t chunk_bytes,
                   uint64_t& index_bytes) {
  ByteWriter out;
  out.varint(chunk_bytes);
  out.varint(threads.size());
  uint64_t end = 0;
  for (const ThreadPaths& thread : threads) {
    out.varint(thread.first_time);
    out.varint(thread.raw_events);
    out.varint(thread.parts.size());
    for (const ThreadPaths::Part& part : thread.parts) {
      out.varint(part.offset - end);
      for (const uint64_t n : {part.terminals, part.runs, part.rules, part.symbols}) out.varint(n);
      out.u64(part.checksum);
      end = part.offset + part.size;
    }
    thread.by_rule.encode(out);
    thread.by_time.encode(out);
  }
  Bytes table = squeeze(out.take());
  index_bytes = table.size();
  return table;
}

}  // namespace

Result<PathIndexReport> build_path_index(const Trace& trace, const PathIndexOptions& options) {
  auto writer = create_cache(trace, kPathIndex);
  if (!writer) return std::unexpected(std::move(writer.error()));
  uint64_t total = 0;
  for (const ThreadInfo& thread : trace.threads()) total += thread.paths;
  std::atomic<uint64_t> done{0};
  std::mutex mutex;  // guards what follows
  std::vector<ThreadPaths> threads(trace.threads().size());
  std::optional<Error> error;
  const auto progress = [&](uint64_t paths) {
    done += paths;
    if (!options.progress) return;
    const std::unique_lock lock(mutex, std::try_to_lock);
    if (lock) options.progress(std::min<uint64_t>(done, total), total);
  };
  const uint64_t chunk_events = std::max<uint64_t>(options.chunk_bytes / kEventBytes, 1);
  run_parallel(threads.size(), [&](size_t, size_t t) {
    Result<void> built;
    try {
      const auto thread = static_cast<uint32_t>(t);
      ThreadBuilder builder(trace, thread, chunk_events, **writer);
      built = builder.run(progress);
      threads[t] = std::move(builder.out);
    } catch (const std::bad_alloc&) {
      built = fail(ErrorKind::io, "there is not enough memory to make an index of paths");
    }
    const std::lock_guard lock(mutex);
    if (!built && !error) error = std::move(built.error());
    return !error.has_value();
  });
  if (error) return std::unexpected(std::move(*error));
  PathIndexReport report;
  const Bytes table = encode_table(threads, options.chunk_bytes, report.index_bytes);
  const auto bytes = (*writer)->finish(kPathIndex, trace.state().store.identity(), table);
  if (!bytes) return std::unexpected(bytes.error());
  report.file = (*writer)->file();
  report.bytes = *bytes;
  report.paths = total;
  for (const ThreadPaths& thread : threads) {
    report.raw_bytes += thread.raw_events * kEventBytes;
    report.chunks += thread.by_rule.chunks().size();
    for (const ThreadPaths::Part& part : thread.parts) {
      report.grammars += 1;
      report.symbols += part.symbols;
      report.rules += part.rules;
      report.grammar_bytes += part.size;
    }
  }
  return report;
}

}  // namespace vestige
