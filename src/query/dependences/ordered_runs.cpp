#include "query/dependences/ordered_runs.h"

#include <algorithm>

#include "trace/state.h"
#include "vestige/order.h"
#include "vestige/sync.h"

namespace vestige {

namespace {

struct Mark {
  uint64_t time = 0, stamp = 0;
  bool atomic = false;
};
struct ThreadEdge {
  uint64_t to_time = 0;
  uint32_t from_thread = 0;
  uint64_t from_time = 0;
  bool whole = false;  // the path with the operation that it ends in
};

struct RunStrand {
  bool told = false, begun = false;
  uint64_t next = 1, end = 1;  // paths
  std::vector<Mark> marks;
  std::vector<ThreadEdge> edges;
  size_t mark = 0, edge = 0;
  // The last paths taken, from this one on, are early, and these are the edges that they did not
  // wait for.
  uint64_t early_from = 0;
  std::vector<ThreadEdge> owed;
  std::vector<size_t> early;  // OrderedRuns::early
  bool asked = false;
  bool over() const { return !told || (next >= end && mark == marks.size() && owed.empty()); }
};

class Merging {
 public:
  explicit Merging(const Trace& trace) : trace_(trace), strands_(trace.threads().size()) {}

  Result<void> read(const std::vector<uint32_t>& threads) {
    for (const uint32_t t : threads) {
      const auto& chunks = trace_.state().chunks[t];
      if (chunks.empty()) continue;
      RunStrand& strand = strands_[t];
      strand.told = true;
      strand.next = trace_.threads()[t].first_time;
      strand.end = chunks.back().end_time();
      auto cursor = OrderCursor::open(trace_, t);
      if (!cursor) return std::unexpected(cursor.error());
      while (cursor->next()) {
        const OrderEdge& edge = cursor->edge();
        strand.edges.push_back({edge.after.time, edge.before.thread, edge.before.time,
                                edge.before.statement == OrderedAccess::kWholePath});
      }
      if (cursor->error()) return std::unexpected(*cursor->error());
    }
    auto order = SyncOrderCursor::open_with_memory(trace_);
    if (!order) return std::unexpected(order.error());
    while (order->next()) {
      const SyncOperation& operation = order->operation();
      RunStrand& strand = strands_[operation.thread];
      if (!strand.told) continue;
      uint64_t time = operation.time;
      // The creation of a thread is told behind others of its moment.
      if (!strand.marks.empty()) time = std::max(time, strand.marks.back().time);
      strand.marks.push_back({time, operation.stamp, is_atomic(operation.kind)});
      stamps_.push_back(operation.stamp);
    }
    if (order->error()) return std::unexpected(*order->error());
    return {};
  }

  // False: the order does not hold.
  bool merge() {
    while (true) {
      bool moved = false, left = false;
      for (uint32_t t = 0; t < strands_.size(); ++t) {
        while (!strands_[t].over() && advance(t)) moved = true;
        left |= !strands_[t].over();
      }
      if (!left) break;
      if (!moved && !force()) return false;
    }
    for (OrderedRuns::Early& early : result.early) early.settled = std::min(early.settled, taken_);
    return true;
  }
  OrderedRuns result;

 private:
  bool has_done(const ThreadEdge& edge) {
    const RunStrand& strand = strands_[edge.from_thread];
    if (edge.whole && strand.told && strand.mark < strand.marks.size() &&
        strand.marks[strand.mark].time <= edge.from_time)
      return false;
    return has_done(edge.from_thread, edge.from_time);
  }
  // Whether a path is there, and all that comes before it.
  bool has_done(uint32_t thread, uint64_t time) {
    RunStrand& strand = strands_[thread];
    if (!strand.told) return true;
    if (strand.next <= time && strand.next < strand.end) return false;
    if (strand.asked || strand.owed.empty() || time < strand.early_from) return true;
    strand.asked = true;
    const bool settled =
        std::ranges::all_of(strand.owed, [&](const ThreadEdge& edge) { return has_done(edge); });
    strand.asked = false;
    return settled;
  }
  bool is_next(const Mark& mark) const { return mark.stamp == stamps_[next_stamp_]; }
  bool may_begin(uint32_t t) {
    const ThreadInfo& info = trace_.threads()[t];
    return info.handler || info.parent >= strands_.size() ||
           trace_.threads()[info.parent].process != info.process ||
           has_done(info.parent, info.parent_time);
  }
  void take(uint32_t t, uint64_t behind) {
    RunStrand& strand = strands_[t];
    if (!result.runs.empty() && result.runs.back().thread == t)
      result.runs.back().paths += behind - strand.next;
    else
      result.runs.push_back({t, strand.next, behind - strand.next, 0});
    taken_ += behind - strand.next;
    strand.next = behind;
  }
  // Takes paths of a thread up to what it must look at next, or a stamp. Whether it could.
  bool advance(uint32_t t) {
    RunStrand& strand = strands_[t];
    if (!strand.begun && !may_begin(t)) return false;
    strand.begun = true;
    if (!strand.owed.empty()) {
      if (!has_done(t, strand.next - 1)) return false;
      for (const size_t early : strand.early) result.early[early].settled = taken_;
      strand.owed.clear();
      strand.early.clear();
      return true;
    }
    const Mark* mark = strand.mark < strand.marks.size() ? &strand.marks[strand.mark] : nullptr;
    // Behind its path, or the thread has none any more.
    if (mark && (mark->time < strand.next || strand.next >= strand.end)) {
      if (!is_next(*mark)) return false;
      ++strand.mark;
      ++next_stamp_;
      return true;
    }
    if (mark && mark->atomic && mark->time == strand.next && !is_next(*mark)) return false;
    for (; strand.edge < strand.edges.size() && strand.edges[strand.edge].to_time <= strand.next;
         ++strand.edge)
      if (!has_done(strand.edges[strand.edge])) return false;
    uint64_t behind = strand.end;
    if (mark)
      behind =
          std::min(behind, mark->atomic && mark->time > strand.next ? mark->time : mark->time + 1);
    if (strand.edge < strand.edges.size())
      behind = std::min(behind, strand.edges[strand.edge].to_time);
    take(t, behind);
    return true;
  }
  // Nobody can go on: a path that waits for edges alone is taken early; if there is none, one
  // behind others that are early already.
  bool force() { return force(false) || force(true); }
  bool force(bool again) {
    for (uint32_t t = 0; t < strands_.size(); ++t) {
      RunStrand& strand = strands_[t];
      if (strand.over() || !strand.begun || strand.next >= strand.end ||
          strand.owed.empty() == again)
        continue;
      const Mark* mark = strand.mark < strand.marks.size() ? &strand.marks[strand.mark] : nullptr;
      if (mark && (mark->time < strand.next ||
                   (mark->atomic && mark->time == strand.next && !is_next(*mark))))
        continue;
      for (; strand.edge < strand.edges.size() && strand.edges[strand.edge].to_time <= strand.next;
           ++strand.edge)
        if (const ThreadEdge& edge = strand.edges[strand.edge]; !has_done(edge))
          strand.owed.push_back(edge);
      if (strand.early.empty()) strand.early_from = strand.next;
      strand.early.push_back(result.early.size());
      result.early.push_back({taken_, UINT64_MAX});
      take(t, strand.next + 1);
      return true;
    }
    return false;
  }

  const Trace& trace_;
  std::vector<RunStrand> strands_;
  std::vector<uint64_t> stamps_;
  size_t next_stamp_ = 0;
  uint64_t taken_ = 0;  // paths
};

}  // namespace

Result<std::optional<OrderedRuns>> ordered_runs(const Trace& trace,
                                                const std::vector<uint32_t>& threads) {
  if (!has_order(trace)) return std::nullopt;
  Merging merging(trace);
  if (auto read = merging.read(threads); !read) return std::unexpected(read.error());
  if (!merging.merge()) return std::nullopt;
  return std::move(merging.result);
}

}  // namespace vestige
