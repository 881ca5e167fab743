#include "trace/load.h"

#include <algorithm>

#include "store/sync_index_chunk.h"
#include "store/wet_chunk.h"

namespace vestige {

namespace {

// Keeps a hostile index from sizing an allocation.
constexpr uint32_t kMaxIndex = 1 << 20;

EndReason end_reason(format::EndReason reason) {
  switch (reason) {
    case format::EndReason::exited:
      return EndReason::exited;
    case format::EndReason::killed:
      return EndReason::killed;
    case format::EndReason::execed:
      return EndReason::execed;
    case format::EndReason::stopped:
      return EndReason::stopped;
    case format::EndReason::unknown:
      return EndReason::unknown;
  }
  return EndReason::unknown;
}

// Collects the chunks; what refers to what is checked when all are there.
class Loader {
 public:
  Loader(const std::string& file, const StoreReader& store, TraceParts& parts)
      : file_(file), store_(store), parts_(parts) {}

  Result<void> read_from(size_t first) {
    for (size_t row = first; row < store_.rows().size(); ++row) {
      auto payload = needed(row) ? store_.payload(row) : ByteView{};
      if (!payload) return std::unexpected(std::move(payload.error()));  // names the file itself
      auto done = read(row, store_.rows()[row], *payload);
      if (!done) {
        return fail(done.error().kind, file_ + ": chunk at byte " +
                                           std::to_string(store_.rows()[row].offset) + ": " +
                                           done.error().message);
      }
    }
    return {};
  }

  const std::vector<ModuleChunk>& modules() const { return modules_; }

  // All are there: puts them in order.
  Result<void> settle() {
    auto& threads = parts_.threads;
    auto& processes = parts_.processes;
    for (ThreadInfo& thread : threads) {
      if (thread.process >= processes.size()) processes.resize(size_t{thread.process} + 1);
      if (thread.parent >= threads.size()) thread.parent = kNone;  // lost, or never there
    }
    parts_.chunks.resize(threads.size());
    for (size_t t = 0; t < threads.size(); ++t) {
      auto& list = parts_.chunks[t];
      std::ranges::sort(list, {},
                        [](const ChunkPlace& c) { return std::pair(c.first_time, c.row); });
      uint64_t end = 0;
      threads[t].paths = 0;
      for (const ChunkPlace& chunk : list) {
        if (chunk.first_time < end || chunk.first_time == 0)
          return fail(ErrorKind::corrupt,
                      "the directory lists overlapping control chunks of thread " +
                          std::to_string(t) + " (byte " + std::to_string(chunk.offset) + ")");
        end = chunk.end_time();
        threads[t].paths += chunk.path_count;
      }
      if (!list.empty()) threads[t].first_time = list.front().first_time;
    }
    return {};
  }

 private:
  bool needed(size_t row) const {
    const format::ChunkKind kind = store_.rows()[row].kind;
    return kind >= format::ChunkKind::meta && kind <= format::ChunkKind::addresses &&
           kind != format::ChunkKind::control && kind != format::ChunkKind::directory;
  }

  Result<void> read(size_t row, const DirectoryChunk::Row& entry, ByteView payload) {
    if (entry.kind == kSyncIndexChunk) parts_.index_rows.push_back(row);
    if (is_wet_chunk(entry.kind)) parts_.wet_rows.push_back(row);
    switch (entry.kind) {
      case format::ChunkKind::meta:
        return with<MetaChunk>(payload, [&](MetaChunk& chunk) -> Result<void> {
          parts_.meta.insert(parts_.meta.end(), chunk.entries.begin(), chunk.entries.end());
          return {};
        });
      case format::ChunkKind::process:
        return with<ProcessChunk>(payload, [&](ProcessChunk& chunk) -> Result<void> {
          ProcessInfo* info = at(parts_.processes, chunk.index);
          if (!info) return too_large(chunk.index);
          info->pid = chunk.pid;
          info->parent_pid = chunk.parent_pid;
          info->forked_from = chunk.forked_from;
          info->executable = std::move(chunk.executable);
          info->arguments = std::move(chunk.arguments);
          return {};
        });
      case format::ChunkKind::module:
        return with<ModuleChunk>(payload, [&](ModuleChunk& chunk) -> Result<void> {
          modules_.push_back(std::move(chunk));
          return {};
        });
      case format::ChunkKind::thread:
        return with<ThreadChunk>(payload, [&](ThreadChunk& chunk) -> Result<void> {
          ThreadInfo* info = at(parts_.threads, chunk.index);
          if (!info || chunk.process >= kMaxIndex) return too_large(chunk.index);
          info->process = chunk.process;
          info->tid = chunk.tid;
          info->handler = chunk.kind == format::ThreadKind::handler;
          info->parent = chunk.parent;
          info->parent_time = chunk.parent_time;
          info->handle = chunk.handle;
          return {};
        });
      case format::ChunkKind::end:
        return with<EndChunk>(payload, [&](EndChunk& chunk) -> Result<void> {
          if (chunk.is_process) {
            ProcessInfo* info = at(parts_.processes, chunk.index);
            if (!info) return too_large(chunk.index);
            info->end = end_reason(chunk.reason);
            info->status = chunk.status;
          } else {
            ThreadInfo* info = at(parts_.threads, chunk.index);
            if (!info) return too_large(chunk.index);
            info->end = end_reason(chunk.reason);
            info->status = chunk.status;
          }
          return {};
        });
      case format::ChunkKind::control: {
        if (!at(parts_.threads, entry.thread)) return too_large(entry.thread);
        if (entry.path_count > UINT64_MAX / 2 || entry.first_time > UINT64_MAX / 2)
          return fail(ErrorKind::corrupt, "the directory gives a control chunk impossible times");
        if (entry.thread >= parts_.chunks.size()) parts_.chunks.resize(size_t{entry.thread} + 1);
        parts_.chunks[entry.thread].push_back(
            {row, entry.offset, entry.first_time, entry.path_count, entry.event_bytes != 0});
        return {};
      }
      case format::ChunkKind::addresses:
        return with<AddressChunk>(payload, [&](AddressChunk& chunk) -> Result<void> {
          parts_.addresses.push_back(std::move(chunk));
          return {};
        });
      case format::ChunkKind::values:
        parts_.value_rows.push_back(row);
        return {};
      case format::ChunkKind::sync:
        parts_.sync_rows.push_back(row);
        return {};
      case format::ChunkKind::memory:
        parts_.memory_rows.push_back(row);
        return {};
      case format::ChunkKind::accesses:
        parts_.access_rows.push_back(row);
        return {};
      case format::ChunkKind::descriptors:
        return fail(
            ErrorKind::unsupported,
            "it holds memory references as descriptors and nothing else (vestige replay, info, "
            "descriptors, contexts, verify and merge read those); ask the trace that it was "
            "made from");
      case format::ChunkKind::directory:
        return {};
    }
    return {};  // kinds of later minor versions are ignored
  }

  template <class Chunk, class Use>
  static Result<void> with(ByteView payload, const Use& use) {
    auto chunk = Chunk::decode(payload);
    if (!chunk) return std::unexpected(std::move(chunk.error()));
    return use(*chunk);
  }
  template <class Info>
  static Info* at(std::vector<Info>& list, uint32_t index) {
    if (index >= kMaxIndex) return nullptr;
    if (index >= list.size()) list.resize(size_t{index} + 1);
    return &list[index];
  }
  static Result<void> too_large(uint32_t index) {
    return fail(ErrorKind::corrupt, "index " + std::to_string(index) + " is too large");
  }

  std::string file_;
  const StoreReader& store_;
  TraceParts& parts_;
  std::vector<ModuleChunk> modules_;
};

Result<std::unique_ptr<Trace::State>> load(const std::string& file, StoreReader::Mode mode,
                                           uint64_t bytes = UINT64_MAX) {
  auto store = StoreReader::open(file, mode, bytes);
  if (!store) return std::unexpected(std::move(store.error()));
  TraceParts parts;
  Loader loader(file, *store, parts);
  if (auto read = loader.read_from(0); !read) return std::unexpected(std::move(read.error()));
  auto program = ProgramTable::build(loader.modules());
  if (!program) return fail(program.error().kind, file + ": " + program.error().message);
  if (auto settled = loader.settle(); !settled)
    return fail(settled.error().kind, file + ": " + settled.error().message);
  return std::make_unique<Trace::State>(file, std::move(*store), std::move(*program),
                                        std::move(parts));
}

// The events of a control chunk.
Result<std::vector<Event>> events_in(const Trace::State& state, size_t row) {
  if (state.store.rows()[row].event_bytes == 0) return std::vector<Event>();
  const auto payload = state.store.payload(row);
  if (!payload) return std::unexpected(payload.error());
  const auto view = ControlChunk::view(*payload);
  if (!view) return std::unexpected(view.error());
  return decode_events(view->events);
}

// Whether this is the load of the module that the event unloads.
bool is_load_of(const Event& event, const Event& unload) {
  return event.kind == format::EventKind::module_load && !event.numbers.empty() &&
         !unload.numbers.empty() && event.numbers[0] == unload.numbers[0];
}

// A module that is unloaded, whose load is known: all modules are when a program ends. That says
// nothing about other times, unless one is loaded again.
Result<bool> was_loaded(const Trace::State& state, const Event& unload, size_t rows) {
  for (size_t row = 0; row < rows; ++row) {
    if (state.store.rows()[row].kind != format::ChunkKind::control) continue;
    const auto events = events_in(state, row);
    if (!events) return std::unexpected(events.error());
    if (std::ranges::any_of(*events, [&](const Event& e) { return is_load_of(e, unload); }))
      return true;
  }
  return false;
}

// Whether a chunk may come while a trace is open and everything known of it stays true.
Result<bool> only_adds(const Trace::State& state, size_t row) {
  switch (state.store.rows()[row].kind) {
    case format::ChunkKind::module:
    case format::ChunkKind::process:
    case format::ChunkKind::addresses:
      return false;
    case format::ChunkKind::control:
      break;
    default:
      return true;
  }
  const auto events = events_in(state, row);
  if (!events) return std::unexpected(events.error());
  for (const Event& event : *events) {
    if (event.kind == format::EventKind::module_load ||
        event.kind == format::EventKind::unregistered)
      return false;
    if (event.kind != format::EventKind::module_unload) continue;
    if (auto known = was_loaded(state, event, row); !known || !*known) return known;
  }
  return true;
}

}  // namespace

Result<std::unique_ptr<Trace::State>> load_trace(const std::string& file) {
  return load(file, StoreReader::Mode::strict);
}
Result<std::unique_ptr<Trace::State>> follow_trace(const std::string& file, uint64_t bytes) {
  return load(file, StoreReader::Mode::follow, bytes);
}

Result<bool> catch_up(Trace::State& state, uint64_t bytes) {
  const size_t known = state.store.rows().size();
  if (auto grown = state.store.catch_up(bytes); !grown) return std::unexpected(grown.error());
  for (size_t row = known; row < state.store.rows().size(); ++row)
    if (auto adds = only_adds(state, row); !adds || !*adds) return adds;
  Loader loader(state.file, state.store, state);
  if (auto read = loader.read_from(known); !read) return std::unexpected(read.error());
  if (auto settled = loader.settle(); !settled) return std::unexpected(settled.error());
  return true;
}

}  // namespace vestige
