// One pass over each thread, segment by segment: its paths, the rows of what they executed, and the
// blocks of their dependences.
#include <algorithm>

#include "query/dependences/dependences.h"
#include "query/rows/row_source.h"
#include "query/wet/block_writer.h"
#include "query/wet/control_segment.h"
#include "query/wet/trace_copy.h"
#include "query/wet/value_field.h"
#include "query/wet/wet_edges.h"
#include "store/writer.h"
#include "trace/windows/wet_segments.h"
#include "vestige/wet.h"

namespace vestige {

namespace {

// The rows of a thread, path by path.
class NodeRows {
 public:
  Result<void> open(const Trace& trace, const Windows& windows, const StatementSet& set,
                    uint32_t thread) {
    auto source = open_rows(trace, windows, set, {.thread = thread, .transfers = &transfers_});
    if (!source) return std::unexpected(std::move(source.error()));
    source_ = std::move(*source);
    return {};
  }
  // Times rise.
  Result<std::span<const Observation>> of(uint64_t time) {
    if (auto read = read_behind(time); !read) return std::unexpected(std::move(read.error()));
    while (at_ < rows_.size() && rows_[at_].time < time) ++at_;
    const size_t first = at_;
    while (at_ < rows_.size() && rows_[at_].time == time) ++at_;
    return std::span<const Observation>(rows_).subspan(first, at_ - first);
  }
  // What calls did before the path of this time went on behind them.
  Result<std::span<const Transfer>> transfers(uint64_t time) {
    if (auto read = read_behind(time); !read) return std::unexpected(std::move(read.error()));
    size_t gone = 0;
    while (gone < transfers_.size() && transfers_[gone].time < time) ++gone;
    transfers_.erase(transfers_.begin(), transfers_.begin() + static_cast<ptrdiff_t>(gone));
    size_t count = 0;
    while (count < transfers_.size() && transfers_[count].time == time) ++count;
    return std::span<const Transfer>(transfers_).first(count);
  }

 private:
  Result<void> read_behind(uint64_t time) {
    while (more_ && (rows_.empty() || rows_.back().time <= time)) {
      rows_.erase(rows_.begin(), rows_.begin() + static_cast<ptrdiff_t>(at_));
      at_ = 0;
      const auto read = source_->read(rows_);
      if (!read) return std::unexpected(read.error());
      more_ = *read;
    }
    return {};
  }

  std::unique_ptr<RowSource> source_;
  std::vector<Transfer> transfers_;
  std::vector<Observation> rows_;
  size_t at_ = 0;
  bool more_ = true;
};

class ThreadWriter {
 public:
  ThreadWriter(const Trace& trace, uint32_t thread, const WetOptions& options, StoreWriter& writer,
               WetReport& report)
      : trace_(trace),
        thread_(thread),
        options_(options),
        writer_(writer),
        report_(report),
        control_(trace, thread),
        nodes_(trace),
        shapes_(trace) {}

  // With its values.
  Result<void> keep_values(const Windows& windows, const StatementSet& set,
                           const DependenceReader& dependences, const CallNames& names) {
    edges_ = std::make_unique<BlockWriter>(trace_, dependences, names, thread_);
    if (auto begun = edges_->begin(); !begun) return begun;
    return rows_.open(trace_, windows, set, thread_);
  }

  Result<void> run() {
    if (auto begun = control_.begin(); !begun) return begun;
    auto cursor = trace_.walk(thread_);
    if (!cursor) return std::unexpected(std::move(cursor.error()));
    while (cursor->next()) {
      if (control_.must_begin(cursor->time()) || (full() && may_begin(cursor->time()))) {
        if (auto done = end_segment(false); !done) return done;
        if (auto begun = control_.begin_segment(cursor->time()); !begun) return begun;
      }
      if (auto taken = take(cursor->path(), cursor->time()); !taken) return taken;
    }
    if (cursor->error()) return std::unexpected(*cursor->error());
    if (auto done = end_segment(true); !done) return done;
    report_.nodes += nodes_.size();
    report_.groups += nodes_.groups();
    if (edges_) report_.labels += edges_->labels();
    return {};
  }

 private:
  bool full() const {
    return pending_ + (edges_ ? edges_->bytes() : 0) > options_.most_memory ||
           control_.chunk().path_count >= options_.most_paths || control_.crowded();
  }
  bool may_begin(uint64_t time) const { return !edges_ || edges_->at_block(time); }

  Result<void> take(const Path& path, uint64_t time) {
    if (auto added = control_.add(path); !added) return added;
    pending_ += 8;
    ++report_.paths;
    report_.statements += path.statements;
    if (!edges_) return {};
    const uint32_t number = nodes_.node_of(path, shapes_.of(path));
    WetNode& node = nodes_[number];
    const auto transfers = rows_.transfers(time);
    if (!transfers) return std::unexpected(transfers.error());
    const auto in_segment = static_cast<uint32_t>(node.executions);
    if (auto added = edges_->add(path, time, number, node.instances, in_segment, *transfers);
        !added)
      return added;
    ++node.instances;
    ++node.executions;
    const auto rows = rows_.of(time);
    if (!rows) return std::unexpected(rows.error());
    pending_ += nodes_.add_values(node, *rows);
    shapes_.trim();
    return {};
  }

  Result<void> end_segment(bool last) {
    if (!control_.open()) return {};
    auto chunk = control_.finish(last);
    if (!chunk) return std::unexpected(std::move(chunk.error()));
    const WetChunkHead head{thread_, chunk->first_time, chunk->path_count};
    report_.time_bytes += chunk->words.size();
    ++report_.segments;
    if (auto written = writer_.append(*chunk); !written) return written;
    if (edges_) {
      const Bytes values = nodes_.finish_values(head);
      report_.value_bytes += values.size();
      if (auto written = writer_.append(kNodeValuesChunk, values); !written) return written;
      const auto edges = edges_->finish_segment(head, nodes_);
      if (!edges) return std::unexpected(edges.error());
      report_.edge_bytes += edges->size();
      if (auto written = writer_.append(kNodeEdgesChunk, *edges); !written) return written;
      for (uint32_t n = 0; n < nodes_.size(); ++n) nodes_[n].executions = 0;
    }
    pending_ = 0;
    if (options_.progress) options_.progress(head.paths);
    return {};
  }

  const Trace& trace_;
  const uint32_t thread_;
  const WetOptions& options_;
  StoreWriter& writer_;
  WetReport& report_;
  ControlSegments control_;
  WetNodes nodes_;
  PathShapes shapes_;
  NodeRows rows_;
  std::unique_ptr<BlockWriter> edges_;  // null: nothing is known of its values
  uint64_t pending_ = 0;                // bytes that wait to be compressed
};

Result<WetReport> write(const Trace& trace, StoreWriter& writer, const WetOptions& options) {
  auto windows = Windows::open(trace);
  if (!windows) return std::unexpected(std::move(windows.error()));
  if (auto copied = copy_described(trace, writer, "wet"); !copied)
    return std::unexpected(std::move(copied.error()));
  const StatementSet set(trace, all_kept(trace));
  const auto dependences = open_dependences(trace);
  if (!dependences) return std::unexpected(dependences.error());
  const CallNames names(trace);
  WetReport report;
  for (uint32_t thread = 0; thread < trace.threads().size(); ++thread) {
    ThreadWriter of(trace, thread, options, writer, report);
    if (!windows->of(thread).empty())
      if (auto kept = of.keep_values(*windows, set, *dependences, names); !kept)
        return std::unexpected(std::move(kept.error()));
    if (auto run = of.run(); !run) return std::unexpected(std::move(run.error()));
  }
  const Bytes runs = encode_runs(dependences->order(), trace.threads().size());
  if (auto written = writer.append(kRunsChunk, runs); !written)
    return std::unexpected(std::move(written.error()));
  if (auto copied = copy_rest(trace, writer); !copied)
    return std::unexpected(std::move(copied.error()));
  if (auto done = writer.finish(); !done) return std::unexpected(std::move(done.error()));
  return report;
}

}  // namespace

Result<WetReport> write_wet(const Trace& trace, const std::string& file,
                            const WetOptions& options) {
  if (trace.meta("represents"))
    return fail(ErrorKind::unsupported,
                trace.file() +
                    ": it is a representation already; make another from the recording "
                    "that it was made from");
  auto writer = StoreWriter::create(file);
  if (!writer) return std::unexpected(std::move(writer.error()));
  auto report = write(trace, *writer, options);
  if (!report) {
    writer->discard();
    return report;
  }
  const auto written = Trace::open(file);
  if (!written) return std::unexpected(written.error());
  report->file_bytes = written->file_bytes();
  return report;
}

}  // namespace vestige
