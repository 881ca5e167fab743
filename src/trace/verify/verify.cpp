// vestige::verify: the container first, then what its chunks say about each other, then every path
// of every thread.
#include <algorithm>
#include <map>

#include "base/mapped_file.h"
#include "store/access_details_chunk.h"
#include "store/order_chunk.h"
#include "store/reader.h"
#include "store/sync_index_chunk.h"
#include "trace/verify/file_check.h"
#include "trace/verify/order_check.h"
#include "trace/verify/sync_check.h"
#include "trace/verify/thread_check.h"
#include "trace/verify/value_check.h"
#include "vestige/trace.h"

namespace vestige {

namespace {

class TraceCheck {
 public:
  TraceCheck(const std::vector<FoundChunk>& chunks, Problems& problems)
      : chunks_(chunks), problems_(problems) {}

  void run(VerifyReport& report) {
    for (const FoundChunk& chunk : chunks_) read(chunk);
    check_references();
    auto program = ProgramTable::build(modules_);
    modules_.clear();
    if (!program) {
      problems_.add(program.error().message);
      return;
    }
    PathFactTable facts(*program);
    std::map<uint32_t, ThreadCheck> threads;
    for (const FoundChunk& found : chunks_) {
      if (found.kind != format::ChunkKind::control) continue;
      const auto chunk = ControlChunk::decode(found.payload);
      if (!chunk) {
        problems_.add(found.offset, chunk.error().message);
        continue;
      }
      if (!threads_.contains(chunk->thread))
        problems_.add(found.offset,
                      "thread " + std::to_string(chunk->thread) + " is not described");
      check_event_numbers(*chunk, found.offset, program->modules().size());
      threads.try_emplace(chunk->thread, chunk->thread, facts, program->functions(), problems_)
          .first->second.chunk(*chunk, found.offset);
    }
    for (const auto& [index, end] : thread_ends_) {
      const auto thread = threads.find(index);
      const uint64_t paths = thread == threads.end() ? 0 : thread->second.end_time();
      if (end.paths != paths) {
        problems_.add("thread " + std::to_string(index) + " ended after " +
                      std::to_string(end.paths) + " paths, but the file goes to time " +
                      std::to_string(paths));
      }
    }
    for (const auto& [index, thread] : threads) {
      report.paths += thread.paths();
      report.statements += thread.statements();
    }
  }

 private:
  template <class Chunk, class Use>
  void decode(const FoundChunk& found, const Use& use) {
    auto chunk = Chunk::decode(found.payload);
    if (chunk)
      use(*chunk);
    else
      problems_.add(found.offset, chunk.error().message);
  }

  void read(const FoundChunk& found) {
    const auto once = [&](bool is_new, const char* what, uint32_t index) {
      if (!is_new)
        problems_.add(found.offset,
                      std::string(what) + " " + std::to_string(index) + " is there twice");
    };
    if (found.kind == kOrderChunk) return decode<OrderChunk>(found, [](const OrderChunk&) {});
    if (found.kind == kAccessDetailsChunk)
      return decode<AccessDetailsChunk>(found, [](const AccessDetailsChunk&) {});
    if (found.kind == kSyncIndexChunk)
      return decode<SyncIndexChunk>(found, [](const SyncIndexChunk&) {});
    switch (found.kind) {
      case format::ChunkKind::meta:
        return decode<MetaChunk>(found, [](const MetaChunk&) {});
      case format::ChunkKind::process:
        return decode<ProcessChunk>(found, [&](ProcessChunk& chunk) {
          once(processes_.emplace(chunk.index, std::pair(chunk.forked_from, found.offset)).second,
               "process", chunk.index);
        });
      case format::ChunkKind::thread:
        return decode<ThreadChunk>(found, [&](ThreadChunk& chunk) {
          once(threads_.emplace(chunk.index, std::pair(chunk, found.offset)).second, "thread",
               chunk.index);
        });
      case format::ChunkKind::end:
        return decode<EndChunk>(found, [&](EndChunk& chunk) {
          if (chunk.is_process) {
            once(process_ends_.emplace(chunk.index, chunk).second, "the end of process",
                 chunk.index);
          } else {
            once(thread_ends_.emplace(chunk.index, chunk).second, "the end of thread", chunk.index);
          }
        });
      case format::ChunkKind::module:
        return decode<ModuleChunk>(
            found, [&](ModuleChunk& chunk) { modules_.push_back(std::move(chunk)); });
      case format::ChunkKind::addresses:
        return decode<AddressChunk>(found, [](const AddressChunk&) {});
      case format::ChunkKind::accesses:
        return decode<AccessChunk>(found, [](const AccessChunk&) {});
      case format::ChunkKind::control:
      case format::ChunkKind::values:
      case format::ChunkKind::sync:
      case format::ChunkKind::memory:
      case format::ChunkKind::descriptors:
      case format::ChunkKind::directory:
        return;
    }
  }

  void check_references() {
    for (const auto& [index, process] : processes_) {
      const auto& [forked_from, offset] = process;
      if (forked_from != kNone && !processes_.contains(forked_from))
        problems_.add(offset, "process " + std::to_string(index) +
                                  " was forked from a process that is not there");
      if (!process_ends_.contains(index))
        problems_.add(offset, "process " + std::to_string(index) + " has no end");
    }
    for (const auto& [index, described] : threads_) {
      const auto& [thread, offset] = described;
      if (!processes_.contains(thread.process))
        problems_.add(
            offset, "thread " + std::to_string(index) + " belongs to a process that is not there");
      if (thread.parent != kNone && !threads_.contains(thread.parent))
        problems_.add(offset,
                      "thread " + std::to_string(index) + " has a parent that is not there");
      if (!thread_ends_.contains(index))
        problems_.add(offset, "thread " + std::to_string(index) + " has no end");
    }
    for (const auto& [index, end] : thread_ends_)
      if (!threads_.contains(index))
        problems_.add("thread " + std::to_string(index) + " ends but is not described");
    for (const auto& [index, end] : process_ends_)
      if (!processes_.contains(index))
        problems_.add("process " + std::to_string(index) + " ends but is not described");
  }

  void check_event_numbers(const ControlChunk& chunk, uint64_t offset, size_t modules) {
    for (const Event& event : chunk.events) {
      const bool names_module = event.kind == format::EventKind::module_load ||
                                event.kind == format::EventKind::module_unload;
      if (names_module && (event.numbers.empty() || event.numbers[0] >= modules))
        problems_.add(offset, "an event at time " + std::to_string(event.time) +
                                  " names a module that is not there");
    }
  }

  const std::vector<FoundChunk>& chunks_;
  Problems& problems_;
  std::map<uint32_t, std::pair<uint32_t, uint64_t>> processes_;  // forked from, offset
  std::map<uint32_t, std::pair<ThreadChunk, uint64_t>> threads_;
  std::map<uint32_t, EndChunk> thread_ends_, process_ends_;
  std::vector<ModuleChunk> modules_;
};

}  // namespace

Result<VerifyReport> verify(const std::string& path) {
  auto file = MappedFile::open(path);
  if (!file) return std::unexpected(std::move(file.error()));
  const ByteView magic =
      file->bytes().first(std::min(file->bytes().size(), sizeof format::kFileMagic));
  const bool is_trace = std::ranges::equal(magic, format::kFileMagic);
  VerifyReport report;
  // What is no trace, or of another version, is an error; damage to a trace is the report's
  // business.
  if (auto store = StoreReader::open(path); !store) {
    if (store.error().kind != ErrorKind::corrupt || !is_trace)
      return std::unexpected(std::move(store.error()));
    report.ok = false;
    report.problems.push_back(std::move(store.error().message));
    return report;
  }
  Problems problems(report.problems);
  const std::vector<FoundChunk> chunks = check_file(file->bytes(), problems);
  report.chunks = chunks.size();
  TraceCheck(chunks, problems).run(report);
  // What descriptors say is checked by those who read them (vestige/spmd.h).
  if (std::ranges::find(chunks, format::ChunkKind::descriptors, &FoundChunk::kind) !=
      chunks.end()) {
    report.ok = report.problems.empty();
    return report;
  }
  if (report.problems.empty()) {
    auto values = check_values(path);
    if (!values) return std::unexpected(std::move(values.error()));
    report.values_compared = values->compared;
    report.problems = std::move(values->problems);
    report.notes = std::move(values->notes);
  }
  if (report.problems.empty()) {
    const auto trace = Trace::open(path);
    if (!trace) return std::unexpected(trace.error());
    auto syncs = check_syncs(*trace);
    if (!syncs) return std::unexpected(std::move(syncs.error()));
    report.problems = std::move(syncs->problems);
    report.notes.insert(report.notes.end(), syncs->notes.begin(), syncs->notes.end());
    if (report.problems.empty()) {
      auto order = check_order(*trace);
      if (!order) return std::unexpected(std::move(order.error()));
      report.problems = std::move(order->problems);
      report.notes.insert(report.notes.end(), order->notes.begin(), order->notes.end());
    }
    if (const auto missing = trace->meta("missing"))
      report.notes.push_back(path + " is not whole: " + *missing);
  }
  report.ok = report.problems.empty();
  return report;
}

}  // namespace vestige
