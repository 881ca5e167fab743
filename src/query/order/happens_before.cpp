#include "query/order/happens_before.h"

#include <algorithm>
#include <unordered_map>

#include "query/order/doers.h"
#include "query/order/frees.h"
#include "query/order/sync_semantics.h"

namespace vestige::races {

namespace {

constexpr uint64_t kMostMisuses = 100;  // kept

// Or a slot of tasks.
struct StrandState {
  Clock clock;
  uint32_t own = 1;
  bool begun = false;
  bool learned = true;  // since the last clock was kept
  uint32_t over = 0;    // of slots: own, when the last task ended
};

}  // namespace

uint32_t ThreadOrder::segment_of(uint64_t time) const {
  const auto at = std::ranges::lower_bound(segments, time, {}, &Segment::last_time);
  return static_cast<uint32_t>(at - segments.begin());
}

uint32_t ThreadOrder::piece_of(uint64_t time) const {
  const auto at = std::ranges::lower_bound(pieces, time, {}, &Piece::last_time);
  return static_cast<uint32_t>(at - pieces.begin());
}

class HappensBefore::Reader final : threads::StrandClocks {
 public:
  Reader(const Trace& trace, HappensBefore& out, std::shared_ptr<const threads::Rewrites> rewrites)
      : trace_(trace),
        out_(out),
        threads_(trace.threads().size()),
        freed_(trace),
        semantics_(trace, *this, std::move(rewrites)) {
    out_.threads_.resize(threads_.size());
    for (uint32_t t = 0; t < threads_.size(); ++t) {
      threads_[t].clock.set(t, 1);
      out_.processes_.push_back(trace.threads()[t].process);
    }
  }

  Result<void> read(bool tasks, std::set<threads::TaskNumber> own_users) {
    auto doers = threads::Doers::read(trace_);
    if (!doers) return std::unexpected(std::move(doers.error()));
    doers_.emplace(std::move(*doers));
    if (tasks) {
      const uint32_t slots = threads::most_slots(doers_->tasks_given());
      threads_.reserve(threads_.size() + slots);
      out_.threads_.reserve(threads_.size() + slots);
      out_.tasks_.resize(threads_.size());
      tasks_.emplace(trace_, slots, std::move(own_users),
                     static_cast<threads::StrandClocks&>(*this));
    }
    auto order = SyncOrderCursor::open_with_memory(trace_);
    if (!order) return std::unexpected(std::move(order.error()));
    while (order->next()) operation(order->operation());
    if (order->error()) return std::unexpected(*order->error());
    for (uint32_t t = 0; t < trace_.threads().size(); ++t) begin_thread(t);
    if (tasks_) out_.own_memory_ = tasks_->own_memory();
    out_.uses_ = semantics_.lives().uses();
    return {};
  }

 private:
  // ---- what tasks give and take
  // -----------------------------------------------------------------------

  void take(uint32_t strand, uint64_t key) override {
    if (const auto given = given_.find(key); given != given_.end()) take(strand, given->second);
  }
  void give(uint32_t strand, uint64_t key) override { give(strand, given_[key]); }
  void forget(uint64_t key) override { given_.erase(key); }
  void open(uint32_t strand, uint32_t process) override {
    threads_.emplace_back().clock.set(strand, 1);
    threads_.back().begun = true;
    out_.threads_.emplace_back();
    out_.processes_.push_back(process);
  }
  void begin(uint32_t slot) override { semantics_.begin(slot); }
  void over(uint32_t slot) override { threads_[slot].over = threads_[slot].own; }
  bool knows(uint64_t key, uint32_t slot) const override {
    const auto given = given_.find(key);
    return given != given_.end() && given->second.of(slot) >= threads_[slot].over;
  }

  // ---- segments
  // ---------------------------------------------------------------------------------------

  void begin_thread(uint32_t t) {
    if (std::exchange(threads_[t].begun, true)) return;
    push_segment(t, 0);
    begin_piece(t, t);
  }

  void push_segment(uint32_t strand, uint64_t stamp) {
    StrandState& thread = threads_[strand];
    ThreadOrder& order = out_.threads_[strand];
    if (std::exchange(thread.learned, false)) order.clocks.push_back(thread.clock);
    Segment& segment = order.segments.emplace_back();
    segment.first_stamp = stamp;
    segment.own = thread.own;
    segment.known = static_cast<uint32_t>(order.clocks.size() - 1);
  }

  void begin_piece(uint32_t t, uint32_t strand) {
    if (!tasks_) return;
    auto& pieces = out_.threads_[t].pieces;
    pieces.push_back(
        {UINT64_MAX, strand, static_cast<uint32_t>(out_.threads_[strand].segments.size() - 1)});
    auto& since = out_.tasks_[t];
    std::optional<threads::TaskNumber> task;
    if (threads::TaskNumber number; tasks_->in_task(t, number)) task = number;
    if (task != (since.empty() ? std::nullopt : since.back().task))
      since.push_back({static_cast<uint32_t>(pieces.size() - 1), task});
  }

  // Ends the segment of the strand that the thread was in; what follows is the next one, or that of
  // the strand that it goes on with.
  void cut(uint32_t t, uint32_t strand, uint64_t time, uint64_t stamp) {
    ThreadOrder& order = out_.threads_[strand];
    order.segments.back().last_time = time;
    order.segments.back().last_stamp = stamp;
    push_segment(strand, stamp);
    if (!tasks_) return;
    out_.threads_[t].pieces.back().last_time = time;
    const uint32_t next = tasks_->strand(t);
    if (next != strand) {
      // Since it was left it may have learned something, and nobody was in it.
      if (!out_.threads_[next].segments.empty()) out_.threads_[next].segments.pop_back();
      push_segment(next, stamp);
    }
    begin_piece(t, next);
  }

  // ---- what operations give and take (order::SyncSemantics)
  // -------------------------------------------

  friend order::SyncSemantics<Reader>;
  using Given = Clock;

  void take(uint32_t strand, const Clock& from) {
    if (threads_[strand].clock.join(from)) threads_[strand].learned = true;
  }
  void give(uint32_t strand, Clock& into) {
    into.join(threads_[strand].clock);
    next_own(strand);
  }
  static void join(Clock& into, const Clock& other) { into.join(other); }

  void fork(uint32_t strand, uint32_t child) {
    if (child != kNone) take(child, threads_[strand].clock);
    next_own(strand);
  }
  void join_thread(uint32_t strand, uint32_t child) { take(strand, threads_[child].clock); }
  bool excludes(const SyncOperation&, uint32_t) const { return false; }
  // It has a segment to itself.
  void access(const SyncOperation& op, bool stores) {
    cut(now_.who.thread, now_.who.strand, now_.time, op.stamp);
    ThreadOrder& own = out_.threads_[now_.who.thread];
    const size_t segments = tasks_ ? own.pieces.size() : own.segments.size();
    own.atomics.push_back({op.time, op.object, static_cast<uint32_t>(segments - 1), stores});
  }
  void misused(const SyncOperation& op, uint32_t, uint32_t holder) {
    if (out_.misuses_++ < kMostMisuses) out_.first_misuses_.push_back({op, holder});
  }
  void next_own(uint32_t strand) {
    StrandState& thread = threads_[strand];
    thread.clock.set(strand, ++thread.own);
  }

  void operation(const SyncOperation& op) {
    if (op.kind == SyncKind::refused) return;
    const auto [t, doers_time] = doers_->of(op);
    if (doers_->failed(op)) return semantics_.refused(op, {t, tasks_ ? tasks_->strand(t) : t});
    begin_thread(t);
    // Of a handler's operations the time may fall behind.
    const uint64_t time = std::max(doers_time, last_time(t));
    const uint32_t strand = tasks_ ? tasks_->strand(t) : t;
    const uint32_t process = trace_.threads()[t].process;
    now_ = {{t, strand}, time};
    if (op.kind == SyncKind::allocated && op.other > op.object)
      out_.resets_.push_back({process, op.object, op.other - 1, op.stamp});
    if (semantics_.is_memory_alone(op, process)) {
      // It orders nothing, but what was accessed before is told from what is accessed behind.
      if (const auto block = tasks_ ? freed_.of(op) : std::nullopt)
        out_.threads_[t].freed.push_back(
            {op.time, block->address, block->bytes, block->statement_id,
             static_cast<uint32_t>(out_.threads_[t].pieces.size() - 1)});
    } else if (is_atomic(op.kind) || !tasks_ || !tasks_->operation(op, t)) {
      semantics_.operation(op, now_.who);
    }
    cut(t, strand, time, op.stamp);
  }

  uint64_t last_time(uint32_t t) const {
    const auto before = [](const auto& all) {
      return all.size() < 2 ? 0 : all[all.size() - 2].last_time;
    };
    return tasks_ ? before(out_.threads_[t].pieces) : before(out_.threads_[t].segments);
  }

  const Trace& trace_;
  HappensBefore& out_;
  std::vector<StrandState> threads_;
  std::optional<threads::Doers> doers_;
  // Of the operation that is being read.
  struct {
    threads::LockUser who;
    uint64_t time = 0;
  } now_;
  threads::FreedBlocks freed_;
  order::SyncSemantics<Reader> semantics_;
  std::optional<threads::TaskStrands> tasks_;  // when they are apart
  std::unordered_map<uint64_t, Clock> given_;  // by key of tasks_
};

Result<HappensBefore> HappensBefore::read(const Trace& trace, bool tasks,
                                          std::set<threads::TaskNumber> own_users,
                                          std::shared_ptr<const threads::Rewrites> rewrites) {
  HappensBefore order;
  if (auto read = Reader(trace, order, std::move(rewrites)).read(tasks, std::move(own_users));
      !read)
    return std::unexpected(std::move(read.error()));
  return order;
}

Result<HappensBefore> HappensBefore::read(const Trace& trace) {
  return read(trace, false, {}, nullptr);
}

Result<HappensBefore> HappensBefore::read_with_tasks(
    const Trace& trace, std::set<threads::TaskNumber> own_users,
    std::shared_ptr<const threads::Rewrites> rewrites) {
  return read(trace, true, std::move(own_users), std::move(rewrites));
}

const HappensBefore::TaskSince* HappensBefore::task_at(uint32_t thread, uint32_t piece) const {
  const auto& since = tasks_[thread];
  const auto behind = std::ranges::upper_bound(since, piece, {}, &TaskSince::piece);
  return behind == since.begin() || !behind[-1].task ? nullptr : &behind[-1];
}

threads::TaskNumber HappensBefore::task(uint32_t thread, uint32_t piece) const {
  const TaskSince* since = task_at(thread, piece);
  return since == nullptr ? threads::TaskNumber{} : *since->task;
}

bool HappensBefore::uses_own(uint32_t thread, uint32_t piece, uint64_t first, uint64_t last) const {
  if (tasks_[thread].empty() || task_at(thread, piece) == nullptr) return false;
  return std::ranges::any_of(own_memory_, [&](const threads::OwnMemory& own) {
    return own.thread == thread && first < own.end && last >= own.first;
  });
}

std::vector<HappensBefore::Range> HappensBefore::concurrent(uint32_t a, uint32_t b) const {
  const ThreadOrder& mine = threads_[a];
  const ThreadOrder& other = threads_[b];
  std::vector<Range> ranges(mine.segments.size());
  const uint32_t count = static_cast<uint32_t>(other.segments.size());
  uint32_t first = 0, end = 0;
  for (uint32_t s = 0; s < ranges.size(); ++s) {
    const uint32_t known = mine.clock(s).of(b);
    while (first < count && other.segments[first].own <= known) ++first;
    while (end < count && other.clock(end).of(a) < mine.segments[s].own) ++end;
    ranges[s] = {first, std::max(first, end)};
  }
  return ranges;
}

}  // namespace vestige::races
