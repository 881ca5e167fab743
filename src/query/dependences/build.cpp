// A walk over the threads of each process: their paths in the order of Interleaving, what each of
// them read and wrote, and who wrote last.
#include <algorithm>
#include <map>
#include <mutex>
#include <new>

#include "program/library.h"
#include "query/dependences/block.h"
#include "query/dependences/dependences.h"
#include "query/dependences/ordered_runs.h"
#include "query/dependences/shared_writers.h"
#include "query/dependences/thread_steps.h"
#include "query/rows/path_rows.h"
#include "trace/index/index_place.h"
#include "trace/index/shared_progress.h"
#include "trace/parallel.h"
#include "trace/told/told.h"
#include "vestige/dependences.h"
#include "vestige/values.h"

namespace vestige {

namespace {

class ThreadWalk {
 public:
  ThreadWalk(const Trace& trace, const Windows& windows, const CallNames& names, uint32_t thread,
             uint64_t block_paths, SharedWriters& writers, DependenceWriter& writer,
             SharedProgress& progress)
      : trace_(trace),
        thread_(thread),
        block_paths_(std::clamp<uint64_t>(block_paths, 1, kBlockPaths)),
        writers_(writers),
        writer_(writer),
        progress_(progress),
        windows_(windows),
        all_(trace, all_addresses(trace)),
        shapes_(trace),
        steps_(trace, names, thread),
        recent_(kRecent) {}

  Result<void> begin();
  // Its paths of the run.
  Result<void> walk(const ThreadRun& run);
  Result<void> finish() { return finish_block(); }
  DependenceReport report;

 private:
  struct Recent {
    const Path* path = nullptr;
    const PathShape* shape = nullptr;
  };
  static constexpr size_t kRecent = 1 << 12;
  struct EffectWrite {
    uint64_t to = 0, length = 0;
    Label label;
    bool copied = false;
  };

  Result<void> begin_block(uint64_t time);
  Result<void> finish_block();
  Result<void> add(const Path& path, uint64_t time);
  Result<void> come_back(const PathStep& step, uint32_t first_item);
  void refer(const ShapeItem& item, Label me, const Observation& row, bool atomic);
  Label read(uint64_t address, uint64_t length, const uint64_t* value, bool keeps, bool atomic);
  void touch(const LabelPart& part);
  const PathShape& shape_of(const Path& path) {
    Recent& recent = recent_[path.id % kRecent];
    if (recent.path != &path) recent = {&path, &shapes_.of(path)};
    return *recent.shape;
  }

  const Trace& trace_;
  const uint32_t thread_;
  const uint64_t block_paths_;
  SharedWriters& writers_;
  DependenceWriter& writer_;
  SharedProgress& progress_;
  const Windows& windows_;
  const StatementSet all_;
  PathRows rows_;
  PathShapes shapes_;
  ThreadSteps steps_;
  std::vector<Recent> recent_;
  RawBlock block_;
  std::vector<EffectWrite> writes_;
  BlockPlace place_;
  std::optional<PathCursor> cursor_;
  bool more_ = false;              // the cursor stands on a path that is yet to be taken
  uint64_t order_ = 0;             // of the path at hand (Interleaving)
  std::vector<uint32_t> touched_;  // by page of orders: the block that read from it last, plus one
  std::vector<uint64_t> pages_;    // that this one read from
  uint32_t block_number_ = 0;
};

Result<void> ThreadWalk::begin() {
  if (auto opened = steps_.open(); !opened) return opened;
  if (auto opened = rows_.open(trace_, windows_, all_, thread_); !opened) return opened;
  auto cursor = trace_.walk(thread_);
  if (!cursor) return std::unexpected(std::move(cursor.error()));
  cursor_.emplace(std::move(*cursor));
  more_ = cursor_->next();
  return {};
}

Result<void> ThreadWalk::walk(const ThreadRun& run) {
  for (; more_ && cursor_->time() < run.end_time(); more_ = cursor_->next()) {
    const uint64_t time = cursor_->time();
    order_ = run.first_order + (time - run.first_time);
    const bool follows = !block_.paths.empty() && steps_.follows(time);
    if (!follows || block_.paths.size() >= block_paths_ || block_.labels.size() >= kBlockLabels ||
        block_.parts.size() >= kBlockParts) {
      if (auto done = finish_block(); !done) return done;
      if (auto begun = begin_block(time); !begun) return begun;
    }
    if (auto added = add(cursor_->path(), time); !added) return added;
  }
  if (cursor_->error()) return std::unexpected(*cursor_->error());
  return {};
}

Result<void> ThreadWalk::begin_block(uint64_t time) {
  if (auto begun = steps_.begin_block(time); !begun) return begun;
  block_.first_time = time;
  return {};
}

Result<void> ThreadWalk::finish_block() {
  if (block_.paths.empty()) return {};
  block_.position = steps_.saved();
  place_.first_time = block_.first_time;
  place_.paths = block_.paths.size();
  ByteWriter piece;
  piece.varint(pages_.size());
  std::ranges::sort(pages_, std::greater());
  uint64_t page = Label::kEndOfTime >> kTimePageBits;
  for (const uint64_t p : pages_) {
    piece.varint(page - p);
    page = p;
  }
  piece.bytes(encode_block(block_, shapes_));
  if (auto written = writer_.append(thread_, place_, piece.buffer()); !written) return written;
  ++report.blocks;
  report.paths += block_.paths.size();
  report.reads += block_.labels.size();
  progress_.add(block_.paths.size());
  block_.paths.clear();
  block_.labels.clear();
  block_.parts.clear();
  block_.changes.clear();
  block_.effects_of.clear();
  block_.effects.clear();
  pages_.clear();
  place_ = {};
  ++block_number_;
  shapes_.trim();
  std::ranges::fill(recent_, Recent());
  return {};
}

Result<void> ThreadWalk::add(const Path& path, uint64_t time) {
  const PathShape& shape = shape_of(path);
  if (order_ >= Label::kEndOfTime || shape.items.size() > Label::kMostItems ||
      writers_.last().full())
    return fail(ErrorKind::unsupported, trace_.file() + ": too large for an index of dependences");
  PathStep step;
  steps_.next(path, time, block_.changes, step);
  if (block_.paths.empty()) place_.level = place_.lowest = step.level;
  place_.lowest = std::min(place_.lowest, step.level);
  block_.paths.push_back(&path);
  report.statements += path.statements;
  if (auto back = come_back(step, static_cast<uint32_t>(shape.items.size())); !back) return back;
  if (shape.memory.empty()) return {};
  const auto rows = rows_.of(time);
  if (!rows) return std::unexpected(rows.error());
  size_t row = 0;
  static const Observation kUnknown;
  for (const uint32_t number : shape.memory) {
    const ShapeItem& item = shape.items[number];
    const bool has_row = row < rows->size() && (*rows)[row].statement == item.statement;
    const bool atomic = path.end == SegmentEnd::sync && number + 1 == shape.items.size();
    refer(item, Label::written(order_, number), has_row ? (*rows)[row++] : kUnknown, atomic);
  }
  return {};
}

// What unrecorded code did before the path went on behind its call.
Result<void> ThreadWalk::come_back(const PathStep& step, uint32_t first_item) {
  if (!step.before || step.before->end != SegmentEnd::call) return {};
  const Function& function = trace_.functions()[step.before->function];
  const uint32_t call = stopped_at(function, *step.before);
  if (call == kNone || !has_library_effects(function.statements[call])) return {};
  const auto transfers = rows_.transfers(step.time);
  if (!transfers) return std::unexpected(transfers.error());
  RawBlock::Effects of{static_cast<uint32_t>(block_.paths.size() - 1),
                       static_cast<uint32_t>(block_.effects.size()), 0};
  writes_.clear();
  for (const Transfer& t : *transfers) {
    const bool reads = t.kind == LibraryRange::Kind::read;
    if (t.statement != call || !t.has_length || t.length > LastWriters::kMostLength ||
        !(reads ? t.has_from : t.has_to) || first_item + of.count >= Label::kMostItems)
      continue;
    CallEffect effect;
    effect.kind = reads                                              ? CallEffect::Kind::reads
                  : t.kind == LibraryRange::Kind::copy && t.has_from ? CallEffect::Kind::copies
                  : t.kind == LibraryRange::Kind::outside            ? CallEffect::Kind::brings
                                                                     : CallEffect::Kind::computes;
    if (effect.reads_memory()) {
      effect.length = t.length;
      effect.label = read(t.from, t.length, nullptr, false, false);
    }
    if (!reads)
      writes_.push_back({t.to, t.length, Label::written(order_, first_item + of.count),
                         effect.kind == CallEffect::Kind::copies});
    block_.effects.push_back(effect);
    ++of.count;
  }
  for (const EffectWrite& write : writes_) {
    if (write.copied)
      writers_.last().write_copy(write.to, write.length, write.label);
    else
      writers_.last().write(write.to, write.length, write.label, nullptr);
  }
  if (of.count > 0) block_.effects_of.push_back(of);
  return {};
}

// Who wrote what is read there, for the block.
Label ThreadWalk::read(uint64_t address, uint64_t length, const uint64_t* value, bool keeps,
                       bool atomic) {
  const Label label = writers_.read({thread_, steps_.last_time(), atomic}, address, length, value,
                                    keeps, block_.parts);
  if (label.kind() != Label::Kind::parts) {
    touch({.label = label});
  } else {
    for (uint64_t i = label.first_part(); i < block_.parts.size(); ++i) touch(block_.parts[i]);
  }
  return label;
}

void ThreadWalk::refer(const ShapeItem& item, Label me, const Observation& row, bool atomic) {
  const bool reads = reads_memory(item.kind), copies = item.kind == StepKind::copy;
  const uint64_t length = row.has_length ? row.length : item.bytes;
  const bool known = (copies ? row.has_source && row.has_length : row.has_address) &&
                     length <= LastWriters::kMostLength;
  if (!known && reads) block_.labels.push_back(Label::nowhere());
  const uint64_t* value =
      row.has_value && item.bytes <= 8 && !row.has_length ? &row.value : nullptr;
  if (known && reads)
    block_.labels.push_back(read(copies ? row.source : row.address, length,
                                 copies ? nullptr : value, item.kind == StepKind::load, atomic));
  if (!row.has_address || !writes_memory(item.kind) || length > LastWriters::kMostLength) return;
  if (atomic) writers_.note_atomic(me);
  // A copy whose source is not known still writes.
  if (copies && row.has_length)
    writers_.last().write_copy(row.address, length, me);
  else if (!copies)
    writers_.last().write(row.address, length, me, item.kind == StepKind::store ? value : nullptr);
}

void ThreadWalk::touch(const LabelPart& part) {
  if (part.label.kind() != Label::Kind::one ||
      (!part.foreign() && part.label.time() >= block_.first_time))
    return;
  const uint64_t order =
      writer_.order().order(part.foreign() ? part.thread : thread_, part.label.time());
  const uint64_t page = order >> kTimePageBits;
  if (page >= touched_.size()) touched_.resize(page + 1);
  if (touched_[page] == block_number_ + 1) return;
  touched_[page] = block_number_ + 1;
  pages_.push_back(page);
}

// Dependences of no more paths are made in a few milliseconds, each time.
constexpr uint64_t kFewPaths = 2000;

// The threads of one process, each in its turn.
class ProcessWalk {
 public:
  ProcessWalk(const Trace& trace, const Windows& windows, const CallNames& names,
              uint64_t block_paths, const races::HappensBefore* happens, DependenceWriter& writer,
              SharedProgress& progress)
      : trace_(trace),
        windows_(windows),
        names_(names),
        block_paths_(block_paths),
        writer_(writer),
        progress_(progress),
        writers_(writer.order(), happens) {}

  Result<void> run(const std::vector<ThreadRun>& runs) {
    std::map<uint32_t, size_t> last;  // run of a thread
    for (size_t i = 0; i < runs.size(); ++i) last[runs[i].thread] = i;
    for (size_t i = 0; i < runs.size(); ++i) {
      const uint32_t thread = runs[i].thread;
      std::unique_ptr<ThreadWalk>& walk = walks_[thread];
      if (!walk) {
        walk = std::make_unique<ThreadWalk>(trace_, windows_, names_, thread, block_paths_,
                                            writers_, writer_, progress_);
        if (auto begun = walk->begin(); !begun) return begun;
      }
      if (auto walked = walk->walk(runs[i]); !walked) return walked;
      if (last[thread] != i) continue;
      if (auto finished = walk->finish(); !finished) return finished;
      report.blocks += walk->report.blocks;
      report.paths += walk->report.paths;
      report.statements += walk->report.statements;
      report.reads += walk->report.reads;
      walk.reset();
    }
    return {};
  }
  DependenceReport report;

 private:
  const Trace& trace_;
  const Windows& windows_;
  const CallNames& names_;
  const uint64_t block_paths_;
  DependenceWriter& writer_;
  SharedProgress& progress_;
  SharedWriters writers_;
  std::map<uint32_t, std::unique_ptr<ThreadWalk>> walks_;
};

Result<DependenceReport> walk_threads(const Trace& trace, const IndexOptions& options,
                                      DependenceWriter& writer) {
  const auto told = threads_told(trace);
  if (!told) return std::unexpected(told.error());
  auto windows = Windows::open(trace, options);
  if (!windows) return std::unexpected(std::move(windows.error()));
  auto happens = races::HappensBefore::read(trace);
  if (!happens) return std::unexpected(std::move(happens.error()));
  auto ordered = ordered_runs(trace, *told);
  if (!ordered) return std::unexpected(std::move(ordered.error()));
  writer.set_order(*ordered ? Interleaving::make(trace.threads().size(), std::move(**ordered))
                            : Interleaving::make(trace, *told, *happens));
  uint64_t total = 0;
  for (const uint32_t thread : *told) total += trace.threads()[thread].paths;
  std::map<uint32_t, std::vector<ThreadRun>> by_process;
  for (const ThreadRun& run : writer.order().runs())
    by_process[trace.threads()[run.thread].process].push_back(run);
  std::vector<const std::vector<ThreadRun>*> processes;
  for (const auto& [process, runs] : by_process) processes.push_back(&runs);
  SharedProgress progress(options.progress, total);
  const CallNames names(trace);
  const races::HappensBefore* shared = writer.order().runs().size() > 1 ? &*happens : nullptr;
  std::mutex mutex;  // guards what follows
  DependenceReport report;
  std::optional<Error> error;
  run_parallel(processes.size(), [&](size_t, size_t task) {
    Result<void> done;
    DependenceReport part;
    try {
      ProcessWalk walk(trace, *windows, names, options.block_paths, shared, writer, progress);
      done = walk.run(*processes[task]);
      part = walk.report;
    } catch (const std::bad_alloc&) {
      done = fail(ErrorKind::io, "there is not enough memory to make an index of dependences");
    }
    const std::lock_guard lock(mutex);
    report.blocks += part.blocks;
    report.paths += part.paths;
    report.statements += part.statements;
    report.reads += part.reads;
    if (!done && !error) error = std::move(done.error());
    return !error.has_value();
  });
  if (error) return std::unexpected(std::move(*error));
  return report;
}

}  // namespace

Result<DependenceReport> build_dependences(const Trace& trace, const IndexOptions& options) {
  // Without values there is nothing to write.
  if (const auto told = threads_told(trace); !told) return std::unexpected(told.error());
  auto cache = create_cache(trace, kDependenceIndex);
  if (!cache) return std::unexpected(std::move(cache.error()));
  DependenceWriter writer(std::move(*cache), trace.threads().size());
  auto report = walk_threads(trace, options, writer);
  if (!report) return report;
  const auto bytes = writer.finish(trace.state().store.identity());
  if (!bytes) return std::unexpected(bytes.error());
  report->bytes = *bytes;
  report->file = writer.file();
  return report;
}

std::optional<DependenceReader> find_dependences(const Trace& trace) {
  for (const std::string& place : cache_places(trace, kDependenceIndex))
    if (auto reader = DependenceReader::open(place, trace)) return std::move(*reader);
  return std::nullopt;
}

bool ensure_dependences(const Trace& trace, const IndexOptions& options) {
  if (trace.state().value_rows.empty()) return false;
  if (find_dependences(trace)) return true;
  uint64_t paths = 0;
  for (const ThreadInfo& thread : trace.threads()) paths += thread.paths;
  return paths > kFewPaths && build_dependences(trace, options).has_value();
}

Result<DependenceReader> open_evaluated_dependences(const Trace& trace) {
  if (auto found = find_dependences(trace)) return std::move(*found);
  DependenceWriter writer(nullptr, trace.threads().size());
  if (auto report = walk_threads(trace, {}, writer); !report)
    return std::unexpected(std::move(report.error()));
  return writer.take();
}

}  // namespace vestige
