#include "trace/load.h"

#include <algorithm>

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
  Loader(const std::string& file, const StoreReader& store) : file_(file), store_(store) {}

  Result<void> read_all() {
    for (size_t row = 0; row < store_.rows().size(); ++row) {
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

  Result<std::unique_ptr<Trace::State>> finish(StoreReader store) {
    auto program = ProgramTable::build(modules_);
    if (!program) return std::unexpected(std::move(program.error()));
    modules_.clear();
    for (ThreadInfo& thread : threads_) {
      if (thread.process >= processes_.size()) processes_.resize(size_t{thread.process} + 1);
      if (thread.parent >= threads_.size()) thread.parent = kNone;  // lost, or never there
    }

    chunks_.resize(threads_.size());
    for (size_t t = 0; t < threads_.size(); ++t) {
      auto& chunks = chunks_[t];
      std::ranges::sort(chunks, {},
                        [](const ChunkPlace& c) { return std::pair(c.first_time, c.row); });
      uint64_t end = 0;
      for (const ChunkPlace& chunk : chunks) {
        if (chunk.first_time < end || chunk.first_time == 0)
          return fail(ErrorKind::corrupt,
                      "the directory lists overlapping control chunks of thread " +
                          std::to_string(t) + " (byte " + std::to_string(chunk.offset) + ")");
        end = chunk.end_time();
        threads_[t].paths += chunk.path_count;
      }
      if (!chunks.empty()) threads_[t].first_time = chunks.front().first_time;
    }

    auto state = std::make_unique<Trace::State>(file_, std::move(store), std::move(*program));
    state->meta = std::move(meta_);
    state->processes = std::move(processes_);
    state->threads = std::move(threads_);
    state->chunks = std::move(chunks_);
    state->addresses = std::move(addresses_);
    state->value_rows = std::move(value_rows_);
    state->sync_rows = std::move(sync_rows_);
    state->memory_rows = std::move(memory_rows_);
    state->access_rows = std::move(access_rows_);
    return state;
  }

 private:
  bool needed(size_t row) const {
    const format::ChunkKind kind = store_.rows()[row].kind;
    return kind >= format::ChunkKind::meta && kind <= format::ChunkKind::addresses &&
           kind != format::ChunkKind::control && kind != format::ChunkKind::directory;
  }

  Result<void> read(size_t row, const DirectoryChunk::Row& entry, ByteView payload) {
    switch (entry.kind) {
      case format::ChunkKind::meta:
        return with<MetaChunk>(payload, [&](MetaChunk& chunk) -> Result<void> {
          meta_.insert(meta_.end(), chunk.entries.begin(), chunk.entries.end());
          return {};
        });
      case format::ChunkKind::process:
        return with<ProcessChunk>(payload, [&](ProcessChunk& chunk) -> Result<void> {
          ProcessInfo* info = at(processes_, chunk.index);
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
          ThreadInfo* info = at(threads_, chunk.index);
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
            ProcessInfo* info = at(processes_, chunk.index);
            if (!info) return too_large(chunk.index);
            info->end = end_reason(chunk.reason);
            info->status = chunk.status;
          } else {
            ThreadInfo* info = at(threads_, chunk.index);
            if (!info) return too_large(chunk.index);
            info->end = end_reason(chunk.reason);
            info->status = chunk.status;
          }
          return {};
        });
      case format::ChunkKind::control: {
        if (!at(threads_, entry.thread)) return too_large(entry.thread);
        if (entry.path_count > UINT64_MAX / 2 || entry.first_time > UINT64_MAX / 2)
          return fail(ErrorKind::corrupt, "the directory gives a control chunk impossible times");
        if (entry.thread >= chunks_.size()) chunks_.resize(size_t{entry.thread} + 1);
        chunks_[entry.thread].push_back(
            {row, entry.offset, entry.first_time, entry.path_count, entry.event_bytes != 0});
        return {};
      }
      case format::ChunkKind::addresses:
        return with<AddressChunk>(payload, [&](AddressChunk& chunk) -> Result<void> {
          addresses_.push_back(std::move(chunk));
          return {};
        });
      case format::ChunkKind::values:
        value_rows_.push_back(row);
        return {};
      case format::ChunkKind::sync:
        sync_rows_.push_back(row);
        return {};
      case format::ChunkKind::memory:
        memory_rows_.push_back(row);
        return {};
      case format::ChunkKind::accesses:
        access_rows_.push_back(row);
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
  std::vector<ModuleChunk> modules_;
  std::vector<AddressChunk> addresses_;
  std::vector<size_t> value_rows_, sync_rows_, memory_rows_, access_rows_;
  std::vector<std::pair<std::string, std::string>> meta_;
  std::vector<ProcessInfo> processes_;
  std::vector<ThreadInfo> threads_;
  std::vector<std::vector<ChunkPlace>> chunks_;
};

}  // namespace

Result<std::unique_ptr<Trace::State>> load_trace(const std::string& file) {
  auto store = StoreReader::open(file);
  if (!store) return std::unexpected(std::move(store.error()));
  Loader loader(file, *store);
  if (auto read = loader.read_all(); !read) return std::unexpected(std::move(read.error()));
  auto state = loader.finish(std::move(*store));
  if (!state) return fail(state.error().kind, file + ": " + state.error().message);
  return state;
}

}  // namespace vestige
