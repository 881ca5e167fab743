// One pass over each thread, segment by segment: its paths, the rows of what they executed, and the
// blocks of their dependences.
#include <algorithm>

#include "query/dependences/dependences.h"
#include "query/represent/write_representation.h"
#include "query/rows/path_rows.h"
#include "query/wet/block_writer.h"
#include "query/wet/control_segment.h"
#include "query/wet/trace_copy.h"
#include "query/wet/value_field.h"
#include "query/wet/wet_edges.h"
#include "trace/windows/wet_segments.h"
#include "vestige/wet.h"

namespace vestige {

namespace {

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
  PathRows rows_;
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
  if (trace.meta("represents")) return represents_already(trace);
  return write_representation(file,
                              [&](StoreWriter& writer) { return write(trace, writer, options); });
}

}  // namespace vestige
