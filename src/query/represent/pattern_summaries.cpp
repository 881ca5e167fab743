// Prefetch distances from a cdr: the runs of each load and store as they are in the file, and one
// walk over the control flow, which says how many statements ran meanwhile. No address is read one
// by one but where none follows from others.
#include <map>

#include "query/represent/access_streams.h"
#include "query/represent/executions.h"
#include "query/represent/pattern_cursor.h"
#include "query/rows/stride_counts.h"
#include "trace/state.h"
#include "vestige/represent.h"

namespace vestige {

namespace {

struct Summed {
  PatternSummary summary;
  StrideCounts strides;
};
using Sums = std::map<uint64_t, Summed>;  // by key (AccessChunk::Stream)

// One load or store while its thread's paths pass by.
class PatternWalk {
 public:
  PatternWalk(PatternCursor cursor, Summed& sum) : runs_(std::move(cursor)), sum_(&sum) { turn(); }

  // It is executed once more; so many statements were executed up to the path.
  void execute(uint64_t statements) {
    if (run_.count == 0) return;
    if (instance_++ == 0) begun_ = statements;
    if (instance_ != run_.count) return;
    if (run_.count > 1)
      sum_->strides.add(static_cast<int64_t>(run_.stride), run_.count - 1, statements - begun_);
    turn();
  }
  const Error* error() const { return runs_.error(); }

 private:
  void turn() {
    instance_ = 0;
    run_ = {};
    if (!runs_.next(run_)) return;
    ++sum_->summary.runs;
    sum_->summary.accesses += run_.count;
  }
  LongestRuns runs_;
  Summed* sum_;
  PatternRun run_;         // count 0: there is none any more
  uint64_t instance_ = 0;  // how many of the run were executed
  uint64_t begun_ = 0;     // statements executed up to the first of them
};

class SummaryWalk {
 public:
  SummaryWalk(const Trace& trace, const std::set<uint64_t>& wanted, Sums& sums)
      : trace_(trace), wanted_(wanted), sums_(sums) {}

  Result<void> run(const AccessChunk& chunk) {
    for (const AccessChunk::Stream& stream : chunk.streams) {
      if (!wanted_.contains(stream.key / 2)) continue;
      auto cursor = PatternCursor::open(stream);
      if (!cursor) return std::unexpected(std::move(cursor.error()));
      Summed& sum = sums_[stream.key];
      sum.summary.statement_id = stream.key / 2;
      sum.summary.write = stream.key % 2 != 0;
      of_statement_[stream.key / 2].emplace_back(std::move(*cursor), sum);
    }
    if (of_statement_.empty()) return {};
    if (auto walked = walk(chunk.thread); !walked) return walked;
    for (const auto& [id, walks] : of_statement_)
      for (const PatternWalk& walk : walks)
        if (const Error* error = walk.error()) return std::unexpected(*error);
    return {};
  }

 private:
  Result<void> walk(uint32_t thread) {
    auto cursor = trace_.walk(thread);
    if (!cursor) return std::unexpected(std::move(cursor.error()));
    AddressedStatements addressed(trace_);
    std::unordered_map<const Path*, std::vector<PatternWalk*>> of_path;
    for (uint64_t statements = 0; cursor->next(); statements += cursor->path().statements) {
      const auto [at, fresh] = of_path.try_emplace(&cursor->path());
      if (fresh)
        for (const uint32_t id : addressed.of(cursor->path()))
          if (const auto found = of_statement_.find(id); found != of_statement_.end())
            for (PatternWalk& walk : found->second) at->second.push_back(&walk);
      for (PatternWalk* walk : at->second) walk->execute(statements);
    }
    if (const Error* error = cursor->error()) return std::unexpected(*error);
    return {};
  }

  const Trace& trace_;
  const std::set<uint64_t>& wanted_;
  Sums& sums_;
  std::map<uint64_t, std::vector<PatternWalk>> of_statement_;
};

}  // namespace

Result<std::vector<PatternSummary>> summarize_patterns(const Trace& trace,
                                                       const std::set<uint64_t>& statements,
                                                       std::optional<uint32_t> thread) {
  if (representation_of(trace) != Representation::cdr)
    return fail(ErrorKind::unsupported,
                trace.file() + ": this is no cdr; make one with vestige represent");
  Sums sums;
  for (const size_t row : trace.state().access_rows) {
    const auto payload = trace.state().store.payload(row);
    if (!payload) return std::unexpected(payload.error());
    const auto chunk = AccessChunk::decode(*payload);
    if (!chunk) return std::unexpected(chunk.error());
    if (thread && chunk->thread != *thread) continue;
    SummaryWalk walk(trace, statements, sums);
    if (auto done = walk.run(*chunk); !done) return std::unexpected(std::move(done.error()));
  }
  std::vector<PatternSummary> found;
  for (auto& [key, sum] : sums) {
    const auto most = sum.strides.most_frequent();
    sum.summary.stride = most.stride;
    sum.summary.stride_count = most.times;
    sum.summary.statements_between = most.statements_between;
    sum.summary.prefetch_distance = most.prefetch_distance;
    found.push_back(sum.summary);
  }
  return found;
}

}  // namespace vestige
