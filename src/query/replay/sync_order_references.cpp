#include <algorithm>

#include "program/library.h"
#include "query/replay/interleave.h"
#include "query/rows/reference_source.h"
#include "query/threads/events.h"
#include "vestige/order.h"
#include "vestige/query.h"
#include "vestige/replay.h"
#include "vestige/sync.h"

namespace vestige {

namespace {

// What all threads' feeds look at.
struct Recorded {
  const Trace& trace;
  std::vector<uint32_t> threads;                     // the feeds', by number
  std::vector<bool> atomic;                          // statements, by #ID
  std::vector<uint32_t> numbers;                     // theirs in their functions, by #ID
  std::vector<std::vector<ThreadFeed::Mark>> marks;  // by thread, where the trace has its order
  uint64_t unknown = 0;

  static uint64_t place(uint64_t time) { return 2 * time; }
  // An atomic operation's access is behind the mark of its stamp; any other operation's path is
  // before it.
  static ThreadFeed::Mark mark(const SyncOperation& operation) {
    return {place(operation.time) + (is_atomic(operation.kind) ? 0 : 1), operation.stamp};
  }

  // Stamps of memory that changed hands order accesses, too: all of them in one row for each
  // thread.
  Result<void> read_marks() {
    marks.resize(trace.threads().size());
    auto order = SyncOrderCursor::open_with_memory(trace);
    if (!order) return std::unexpected(order.error());
    while (order->next()) {
      const SyncOperation& operation = order->operation();
      std::vector<ThreadFeed::Mark>& own = marks[operation.thread];
      ThreadFeed::Mark next = mark(operation);
      // Told with an earlier stamp than others of the same moment (the creation of a thread).
      if (!own.empty()) next.place = std::max(next.place, own.back().place);
      own.push_back(next);
    }
    if (order->error()) return std::unexpected(*order->error());
    return {};
  }
};

class RecordedFeed final : public ThreadFeed {
 public:
  static Result<std::unique_ptr<RecordedFeed>> open(Recorded& recorded, uint32_t thread) {
    auto source = ReferenceSource::open(recorded.trace);
    if (!source) return std::unexpected(source.error());
    if (auto begun = source->seek(thread, 0); !begun) return std::unexpected(begun.error());
    auto marks = SyncCursor::open(recorded.trace, thread);
    if (!marks) return std::unexpected(marks.error());
    auto edges = OrderCursor::open(recorded.trace, thread);
    if (!edges) return std::unexpected(edges.error());
    return std::unique_ptr<RecordedFeed>(new RecordedFeed(recorded, thread, std::move(*source),
                                                          std::move(*marks), std::move(*edges)));
  }
  Result<void> read(std::vector<Placed>& out) override {
    const uint64_t before = source_.unknown();
    if (auto read = source_.read(piece_); !read) return read;
    recorded_.unknown += source_.unknown() - before;
    out.clear();
    for (const TimedReference& timed : piece_)
      out.push_back({Recorded::place(timed.time) + recorded_.atomic[timed.reference.statement_id],
                     timed.reference, timed.time, recorded_.numbers[timed.reference.statement_id]});
    return {};
  }
  Result<std::optional<Mark>> next_mark() override {
    if (!recorded_.marks.empty()) {
      const std::vector<Mark>& marks = recorded_.marks[thread_];
      return next_mark_ < marks.size() ? std::optional(marks[next_mark_++]) : std::nullopt;
    }
    if (!marks_.next()) {
      if (marks_.error()) return std::unexpected(*marks_.error());
      return std::optional<Mark>();
    }
    return std::optional<Mark>(Recorded::mark(marks_.operation()));
  }
  Result<std::optional<Edge>> next_edge() override {
    if (!edges_.next()) {
      if (edges_.error()) return std::unexpected(*edges_.error());
      return std::optional<Edge>();
    }
    const OrderEdge& edge = edges_.edge();
    const auto from = std::ranges::find(recorded_.threads, edge.before.thread);
    return std::optional<Edge>({static_cast<uint32_t>(from - recorded_.threads.begin()),
                                edge.before.time, edge.before.statement, edge.after.time,
                                edge.after.statement, Recorded::place(edge.before.time) + 1});
  }
  bool comes_first(uint32_t statement, const Placed& of) const override {
    const auto ref = statement_by_id(recorded_.trace, of.reference.statement_id);
    if (!ref) return false;
    const Function& function = recorded_.trace.functions()[ref->function];
    return statement < function.statements.size() &&
           has_library_effects(function.statements[statement]);
  }

 private:
  RecordedFeed(Recorded& recorded, uint32_t thread, ReferenceSource source, SyncCursor marks,
               OrderCursor edges)
      : recorded_(recorded),
        thread_(thread),
        source_(std::move(source)),
        marks_(std::move(marks)),
        edges_(std::move(edges)) {}

  Recorded& recorded_;
  const uint32_t thread_;
  ReferenceSource source_;
  SyncCursor marks_;
  size_t next_mark_ = 0;
  OrderCursor edges_;
  std::vector<TimedReference> piece_;
};

}  // namespace

Result<uint64_t> read_references_in_sync_order(const Trace& trace, uint64_t turn,
                                               const std::function<bool(const Reference&)>& take) {
  const auto with_values = ReferenceSource::open(trace);
  if (!with_values) return std::unexpected(with_values.error());
  Recorded recorded{trace, with_values->threads(), threads::atomic_statements(trace), {}, {}};
  for (const Function& function : trace.functions())
    for (uint32_t i = 0; i < function.statements.size(); ++i) recorded.numbers.push_back(i);
  if (has_order(trace))
    if (auto read = recorded.read_marks(); !read) return std::unexpected(read.error());
  std::vector<InterleavedThread> threads;
  for (const uint32_t number : recorded.threads) {
    auto feed = RecordedFeed::open(recorded, number);
    if (!feed) return std::unexpected(feed.error());
    InterleavedThread thread;
    thread.feed = std::move(*feed);
    const ThreadInfo& info = trace.threads()[number];
    for (uint32_t i = 0; i < recorded.threads.size(); ++i)
      if (recorded.threads[i] == info.parent && i != threads.size()) thread.parent = i;
    thread.parent_place = Recorded::place(info.parent_time) + 1;
    threads.push_back(std::move(thread));
  }
  if (auto done = interleave(std::move(threads), turn, take); !done)
    return std::unexpected(done.error());
  return recorded.unknown;
}

}  // namespace vestige
