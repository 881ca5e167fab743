#include "trace/verify/order_check.h"

#include <algorithm>

#include "base/sort_stably.h"
#include "program/library.h"
#include "store/order_chunk.h"
#include "trace/state.h"
#include "vestige/order.h"
#include "vestige/sync.h"

namespace vestige {

namespace {

constexpr size_t kMostMessages = 20;

// Where in its path: its beginning, calls that came back before it, then statements in order, then
// the stamp of an atomic operation and the operation itself, then other stamps.
constexpr uint32_t kUnplaced = 0, kBegins = 1, kCameBack = 2, kFirst = 3,
                   kAtomicStamp = UINT32_MAX - 2, kAtomic = UINT32_MAX - 1, kStamp = UINT32_MAX;

struct RankedPosition {
  uint64_t time = 0;
  uint32_t rank = kUnplaced;
  auto operator<=>(const RankedPosition&) const = default;
};

struct CheckedEdge {
  uint32_t from_thread = 0;
  RankedPosition from, to;
};

struct OrderItem {
  RankedPosition position;
  uint64_t stamp = 0;  // 0: an edge
  size_t edge = 0;
};

struct AccessUse {
  uint64_t time = 0;
  uint32_t statement = 0;
  uint32_t* rank = nullptr;
  uint32_t of_whole = kUnplaced;  // its place when the whole path is meant
};

bool is_access(const Statement& statement) {
  switch (statement.op) {
    case Op::load:
    case Op::store:
    case Op::cmpxchg:
    case Op::atomic_rmw:
    case Op::call:
    case Op::invoke:
      return true;
    default:
      return false;
  }
}

uint32_t rank_in(const Function& function, const Path& path, uint32_t statement) {
  if (statement >= function.statements.size() || !is_access(function.statements[statement]))
    return kUnplaced;
  uint32_t rank = kFirst;
  for (const uint32_t s : path.segments) {
    const Segment& segment = function.segments[s];
    if (statement >= segment.first_statement &&
        statement < segment.first_statement + segment.statement_count) {
      const bool ends = statement + 1 == segment.first_statement + segment.statement_count &&
                        s == path.segments.back() && path.end == SegmentEnd::sync;
      // What a path that ends in a library call has of it comes back with a later path.
      if (!has_library_effects(function.statements[statement]))
        return ends ? kAtomic : rank + (statement - segment.first_statement);
    }
    rank += segment.statement_count;
  }
  return has_library_effects(function.statements[statement]) ? kCameBack : kUnplaced;
}

class Checker {
 public:
  Checker(const Trace& trace, OrderCheck& check)
      : trace_(trace), check_(check), threads_(trace.threads().size()) {}

  Result<void> run() {
    if (auto read = read_edges(); !read) return read;
    // A dor keeps the edges and no paths: where in a path an access was is not known there.
    if (!has_paths()) return {};
    for (uint32_t t = 0; t < threads_.size(); ++t)
      if (auto placed = place(t); !placed) return placed;
    if (!check_.problems.empty()) return {};
    if (auto read = read_stamps(); !read) return read;
    follow();
    return {};
  }

 private:
  struct Thread {
    std::vector<CheckedEdge> edges;
    std::vector<AccessUse> uses;
    std::vector<OrderItem> items;
    size_t next = 0;
    bool done() const { return next == items.size(); }
  };

  bool has_paths() const {
    return std::ranges::any_of(trace_.threads(), [](const ThreadInfo& t) { return t.paths != 0; });
  }

  void problem(uint32_t thread, uint64_t time, const char* what) {
    if (check_.problems.size() >= kMostMessages) return;
    check_.problems.push_back(trace_.file() + ": the order of accesses at time " +
                              std::to_string(time) + " of thread " + std::to_string(thread) + " " +
                              what);
  }

  Result<void> read_edges() {
    for (uint32_t t = 0; t < threads_.size(); ++t) {
      auto cursor = OrderCursor::open(trace_, t);
      if (!cursor) return std::unexpected(cursor.error());
      std::vector<uint32_t> statements;
      std::vector<uint32_t> from_statements;
      while (cursor->next()) {
        const OrderEdge& edge = cursor->edge();
        if (trace_.threads()[edge.before.thread].process != trace_.threads()[t].process)
          problem(t, edge.after.time, "names a thread of another process");
        threads_[t].edges.push_back(
            {edge.before.thread, {edge.before.time, kUnplaced}, {edge.after.time, kUnplaced}});
        statements.push_back(edge.after.statement);
        from_statements.push_back(edge.before.statement);
      }
      if (cursor->error()) return std::unexpected(*cursor->error());
      // Now that they stay where they are.
      for (size_t i = 0; i < threads_[t].edges.size(); ++i) {
        CheckedEdge& edge = threads_[t].edges[i];
        threads_[t].uses.push_back({edge.to.time, statements[i], &edge.to.rank, kBegins});
        threads_[edge.from_thread].uses.push_back(
            {edge.from.time, from_statements[i], &edge.from.rank, kStamp});
      }
    }
    return {};
  }

  Result<void> place(uint32_t t) {
    std::vector<AccessUse>& uses = threads_[t].uses;
    if (uses.empty()) return {};
    std::ranges::sort(uses, {}, &AccessUse::time);
    // Paths that were left are not there, but their accesses were made.
    std::vector<uint64_t> abandoned;
    auto events = trace_.events(t);
    if (!events) return std::unexpected(events.error());
    for (const TraceEvent& event : *events)
      if (event.kind == TraceEvent::Kind::abandoned) abandoned.push_back(event.time + 1);
    auto cursor = trace_.walk(t);
    if (!cursor) return std::unexpected(cursor.error());
    for (const AccessUse& use : uses) {
      const bool there = cursor->time() == use.time ? use.time != 0 : cursor->seek(use.time);
      if (cursor->error()) return std::unexpected(*cursor->error());
      if (there && use.statement == kWholePath)
        *use.rank = use.of_whole;
      else if (there)
        *use.rank = rank_in(trace_.functions()[cursor->function()], cursor->path(), use.statement);
      if (*use.rank == kUnplaced && std::ranges::binary_search(abandoned, use.time))
        *use.rank = kFirst;
      // The path that a program was killed in is not there either.
      if (*use.rank == kUnplaced && !there && cursor->time() == use.time) *use.rank = kFirst;
      if (*use.rank == kUnplaced) problem(t, use.time, "names a statement that is no access there");
    }
    return {};
  }

  Result<void> read_stamps() {
    auto order = SyncOrderCursor::open_with_memory(trace_);
    if (!order) return std::unexpected(order.error());
    while (order->next()) {
      const SyncOperation& operation = order->operation();
      Thread& thread = threads_[operation.thread];
      RankedPosition position{operation.time, is_atomic(operation.kind) ? kAtomicStamp : kStamp};
      // The creation of a thread is told behind others of its moment.
      if (!thread.items.empty()) position = std::max(position, thread.items.back().position);
      thread.items.push_back({position, operation.stamp, 0});
      stamps_.push_back(operation.stamp);
    }
    if (order->error()) return std::unexpected(*order->error());
    for (Thread& thread : threads_) {
      for (size_t i = 0; i < thread.edges.size(); ++i)
        thread.items.push_back({thread.edges[i].to, 0, i});
      sort_stably(thread.items, {}, &OrderItem::position);
    }
    return {};
  }

  bool passed(uint32_t thread, RankedPosition position) const {
    const Thread& other = threads_[thread];
    return other.done() || other.items[other.next].position > position;
  }
  bool is_ready(uint32_t t) const {
    const Thread& thread = threads_[t];
    const OrderItem& item = thread.items[thread.next];
    const ThreadInfo& info = trace_.threads()[t];
    if (thread.next == 0 && !info.handler && info.parent < threads_.size() &&
        trace_.threads()[info.parent].process == info.process &&
        !passed(info.parent, {info.parent_time, kAtomic}))
      return false;
    if (item.stamp != 0 && item.stamp != stamps_[next_stamp_]) return false;
    // An atomic operation takes place at its stamp: what is before the one is before the other.
    for (size_t i = thread.next; i < thread.items.size(); ++i) {
      const OrderItem& other = thread.items[i];
      if (i != thread.next &&
          (item.position.rank != kAtomicStamp || other.position.rank != kAtomic ||
           other.position.time != item.position.time))
        break;
      if (other.stamp != 0) continue;
      const CheckedEdge& edge = thread.edges[other.edge];
      if (!passed(edge.from_thread, edge.from)) return false;
    }
    return true;
  }
  void follow() {
    for (bool moved = true; moved;) {
      moved = false;
      for (uint32_t t = 0; t < threads_.size(); ++t)
        for (Thread& thread = threads_[t]; !thread.done() && is_ready(t); moved = true)
          next_stamp_ += thread.items[thread.next++].stamp != 0;
    }
    for (uint32_t t = 0; t < threads_.size(); ++t)
      if (!threads_[t].done()) {
        const OrderItem& item = threads_[t].items[threads_[t].next];
        return problem(t, item.position.time, "goes round in a circle");
      }
  }

  const Trace& trace_;
  OrderCheck& check_;
  std::vector<Thread> threads_;
  std::vector<uint64_t> stamps_;
  size_t next_stamp_ = 0;
};

}  // namespace

Result<OrderCheck> check_order(const Trace& trace) {
  OrderCheck check;
  const auto& rows = trace.state().store.rows();
  if (!has_order(trace) &&
      std::ranges::find(rows, kOrderChunk, &DirectoryChunk::Row::kind) == rows.end())
    return check;
  if (auto run = Checker(trace, check).run(); !run) return std::unexpected(run.error());
  if (const auto unable = trace.meta("order-unable"))
    check.notes.push_back(trace.file() + ": " + *unable +
                          " functions were compiled without the order of accesses");
  if (const auto lost = trace.meta("order-lost"))
    check.notes.push_back(trace.file() + ": " + *lost + " accesses have no place in the order");
  return check;
}

}  // namespace vestige
