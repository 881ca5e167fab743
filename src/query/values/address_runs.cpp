#include <algorithm>
#include <cmath>
#include <map>

#include "query/rows/run_folder.h"
#include "query/rows/stride_counts.h"
#include "vestige/values.h"

namespace vestige {

namespace {

struct Folded {
  RunFolder folder;
  uint64_t instance = 0;         // in the thread that is read
  uint64_t statements_then = 0;  // executed up to the path of the last access
  RunSummary summary;
  StrideCounts strides;
};

// How many statements a thread has executed before its paths, asked by rising time.
class StatementClock {
 public:
  StatementClock(const Trace& trace, uint32_t thread) {
    if (auto cursor = trace.walk(thread)) cursor_.emplace(std::move(*cursor));
  }
  uint64_t before(uint64_t time) {
    while (cursor_ && time_ < time && cursor_->next()) {
      executed_ += last_;
      last_ = cursor_->path().statements;
      time_ = cursor_->time();
    }
    return executed_;
  }

 private:
  std::optional<PathCursor> cursor_;
  uint64_t time_ = 0, executed_ = 0, last_ = 0;
};

class Folding {
 public:
  Folding(const Trace& trace, const std::vector<StatementRef>& statements,
          const std::function<bool(const AddressRun&)>& take)
      : trace_(trace), take_(take) {
    for (const StatementRef& ref : statements) {
      Folded& folded = statements_[static_cast<uint32_t>(statement_id(trace, ref))];
      folded.summary.statement = ref;
    }
  }

  bool read(const ColumnPiece& piece) {
    if (!clock_ || thread_ != piece.thread) {
      if (!end_thread()) return false;
      thread_ = piece.thread;
      clock_.emplace(trace_, thread_);
    }
    for (size_t i = 0; i < piece.known.size(); ++i) {
      Folded& folded = statements_[piece.statement_ids[i]];
      ++folded.instance;
      if (!(piece.known[i] & ColumnPiece::kAddress)) {
        ++folded.summary.unknown;
        folded.folder.finish(done_);
      } else {
        add(folded, piece.addresses[i], clock_->before(piece.times[i]));
      }
      if (!done_.empty() && !give(folded)) return false;
    }
    return true;
  }

  bool end_thread() {
    for (auto& [id, folded] : statements_) {
      folded.folder.finish(done_);
      if (!give(folded)) return false;
      folded.instance = 0;
    }
    return true;
  }

  std::vector<RunSummary> summaries() {
    std::vector<RunSummary> all;
    for (auto& [id, folded] : statements_) {
      RunSummary& summary = folded.summary;
      if (summary.accesses + summary.unknown == 0) continue;
      const auto most = folded.strides.most_frequent();
      summary.stride = most.stride;
      summary.stride_count = most.times;
      summary.statements_between = most.statements_between;
      summary.prefetch_distance = most.prefetch_distance;
      all.push_back(summary);
    }
    return all;
  }

 private:
  void add(Folded& folded, uint64_t address, uint64_t statements) {
    folded.folder.add(address, folded.instance, done_);
    ++folded.summary.accesses;
    if (folded.folder.inside())
      folded.strides.add(folded.folder.stride(), 1, statements - folded.statements_then);
    folded.statements_then = statements;
  }

  bool give(Folded& folded) {
    for (AddressRun& run : done_) {
      ++folded.summary.runs;
      run.thread = thread_;
      run.statement = folded.summary.statement;
      if (!take_(run)) return false;
    }
    done_.clear();
    return true;
  }

  const Trace& trace_;
  const std::function<bool(const AddressRun&)>& take_;
  std::map<uint32_t, Folded> statements_;  // by #ID
  uint32_t thread_ = 0;
  std::optional<StatementClock> clock_;
  std::vector<AddressRun> done_;
};

}  // namespace

uint64_t prefetch_distance(int64_t stride, double statements_between) {
  if (stride == 0) return 0;
  const double bytes = std::abs(static_cast<double>(stride));
  const double for_latency = std::ceil(kPrefetchCycles / std::max(1.0, statements_between));
  const double for_line = std::ceil(kLineBytes / bytes);
  return static_cast<uint64_t>(std::max({1.0, for_latency, for_line}));
}

Result<std::vector<RunSummary>> fold_addresses(const Trace& trace,
                                               const std::vector<StatementRef>& statements,
                                               std::optional<uint32_t> thread,
                                               const std::function<bool(const AddressRun&)>& take) {
  ColumnOptions options;
  options.statements = statements;
  options.thread = thread;
  options.values = false;
  options.addresses = options.statement_ids = options.times = true;
  Folding folding(trace, statements, take);
  bool wanted = true;
  const auto read = read_columns(
      trace, options, [&](const ColumnPiece& piece) { return wanted = folding.read(piece); });
  if (!read) return std::unexpected(read.error());
  if (wanted) folding.end_thread();
  return folding.summaries();
}

}  // namespace vestige
