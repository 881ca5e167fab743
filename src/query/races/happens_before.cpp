#include "query/races/happens_before.h"

#include <algorithm>
#include <deque>
#include <map>
#include <unordered_map>
#include <unordered_set>

namespace vestige::races {

namespace {

// Bits of the result of atomic operations (docs/format.md).
constexpr uint32_t kNotStored = 1 << 8, kUnordered = 1 << 9;

// Memory orders as C11 counts them.
bool acquires(uint32_t order) { return order == 1 || order == 2 || order == 4 || order == 5; }
bool releases(uint32_t order) { return order == 3 || order == 4 || order == 5; }

struct Rwlock {
  Clock writers, readers;
  uint32_t writer = kNone;
};

struct Barrier {
  std::map<uint64_t, Clock> rounds;
};

struct Semaphore {
  bool known = false;  // its initial value
  uint64_t initial = 0, waits = 0;
  Clock all;               // of all posts
  std::deque<Clock> upto;  // of the first posts + 1, posts + 2 …
  uint64_t dropped = 0;    // of those, from the front
};

// A location of atomic operations, or a flag of once.
struct Location {
  Clock clock;            // what a reader that acquires learns
  uint32_t head = kNone;  // the thread that released here last
  Clock head_clock;       // and what
};

// Or a slot of tasks.
struct Thread {
  Clock clock;
  uint32_t own = 1;
  bool begun = false;
  bool learned = true;  // since the last clock was kept
  uint32_t over = 0;    // of slots: own, when the last task ended
  bool fenced = false;
  Clock fence;    // at the last release fence
  Clock pending;  // what an acquire fence would learn
};

using Object = std::pair<uint32_t, uint64_t>;  // process, address
struct ObjectHash {
  size_t operator()(const Object& object) const {
    return (object.second ^ uint64_t{object.first} << 52) * 0x9e3779b97f4a7c15 >> 8;
  }
};
template <class T>
using ByObject = std::unordered_map<Object, T, ObjectHash>;

// Where a handler's operations belong.
struct Interruption {
  uint64_t from = 0;  // the handler's time
  uint32_t thread = 0;
  uint64_t time = 0;  // that thread's
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
  Reader(const Trace& trace, HappensBefore& out)
      : trace_(trace), out_(out), threads_(trace.threads().size()) {
    out_.threads_.resize(threads_.size());
    for (uint32_t t = 0; t < threads_.size(); ++t) {
      threads_[t].clock.set(t, 1);
      out_.processes_.push_back(trace.threads()[t].process);
      const ThreadInfo& info = trace.threads()[t];
      if (!info.handler && info.parent != kNone && info.handle != 0 &&
          trace.threads()[info.parent].process == info.process)
        unborn_[{info.parent, info.handle}].push_back(t);
    }
  }

  Result<void> read(bool tasks, std::set<threads::TaskNumber> own_users) {
    if (auto found = find_refused(); !found) return found;
    if (auto found = find_interruptions(); !found) return found;
    if (tasks) {
      const uint32_t slots = threads::most_slots(tasks_given_);
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
    return {};
  }

 private:
  // ---- what tasks give and take -----------------------------------------------------------------------

  void take(uint32_t strand, uint64_t key) override {
    if (const auto given = given_.find(key); given != given_.end()) acquire(strand, given->second);
  }
  void give(uint32_t strand, uint64_t key) override { release(strand, given_[key]); }
  void forget(uint64_t key) override { given_.erase(key); }
  void open(uint32_t strand, uint32_t process) override {
    threads_.emplace_back().clock.set(strand, 1);
    threads_.back().begun = true;
    out_.threads_.emplace_back();
    out_.processes_.push_back(process);
  }
  void begin(uint32_t slot) override {
    Thread& thread = threads_[slot];
    thread.fenced = false;
    thread.fence.clear();
    thread.pending.clear();
  }
  void over(uint32_t slot) override { threads_[slot].over = threads_[slot].own; }
  bool knows(uint64_t key, uint32_t slot) const override {
    const auto given = given_.find(key);
    return given != given_.end() && given->second.of(slot) >= threads_[slot].over;
  }

  // ---- segments ---------------------------------------------------------------------------------------

  Result<void> find_refused() {
    refused_.resize(threads_.size());
    for (uint32_t t = 0; t < threads_.size(); ++t) {
      auto cursor = SyncCursor::open(trace_, t);
      if (!cursor) return std::unexpected(std::move(cursor.error()));
      while (cursor->next()) {
        if (cursor->operation().kind == SyncKind::refused)
          refused_[t].insert(cursor->operation().number - 1);
        tasks_given_ += threads::gives_task(cursor->operation());
      }
      if (cursor->error()) return std::unexpected(*cursor->error());
    }
    return {};
  }

  Result<void> find_interruptions() {
    interruptions_.resize(threads_.size());
    for (uint32_t t = 0; t < threads_.size(); ++t) {
      if (!trace_.threads()[t].handler) continue;
      auto events = trace_.events(t);
      if (!events) return std::unexpected(std::move(events.error()));
      for (const TraceEvent& event : *events)
        if (event.kind == TraceEvent::Kind::handler_begin && event.numbers.size() >= 3 &&
            event.numbers[1] < threads_.size())
          interruptions_[t].push_back(
              {event.time, static_cast<uint32_t>(event.numbers[1]), event.numbers[2]});
    }
    return {};
  }

  void begin_thread(uint32_t t) {
    if (std::exchange(threads_[t].begun, true)) return;
    push_segment(t, 0);
    begin_piece(t, t);
  }

  void push_segment(uint32_t strand, uint64_t stamp) {
    Thread& thread = threads_[strand];
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

  void acquire(uint32_t t, const Clock& from) {
    if (threads_[t].clock.join(from)) threads_[t].learned = true;
  }
  void next_own(uint32_t t) {
    Thread& thread = threads_[t];
    thread.clock.set(t, ++thread.own);
  }
  void release(uint32_t t, Clock& into) {
    into.join(threads_[t].clock);
    next_own(t);
  }

  // The thread that does a handler's work, and its time.
  std::pair<uint32_t, uint64_t> doer(uint32_t t, uint64_t time) const {
    for (int depth = 0; depth < 16 && trace_.threads()[t].handler; ++depth) {
      const auto& all = interruptions_[t];
      const auto behind = std::ranges::upper_bound(all, time, {}, &Interruption::from);
      if (behind == all.begin()) break;
      t = behind[-1].thread;
      time = behind[-1].time;
    }
    return {t, time};
  }

  void operation(const SyncOperation& op) {
    if (op.kind == SyncKind::refused ||
        (!is_memory(op.kind) && refused_[op.thread].contains(op.number)))
      return;
    const auto [t, doers_time] = doer(op.thread, op.time);
    begin_thread(t);
    // Of a handler's operations the time may fall behind.
    const uint64_t time = std::max(doers_time, last_time(t));
    const uint32_t strand = tasks_ ? tasks_->strand(t) : t;
    const Object object(is_message(op.kind) ? kNone : trace_.threads()[t].process, op.object);
    if (op.kind == SyncKind::allocated && op.other > op.object)
      out_.resets_.push_back({object.first, op.object, op.other - 1, op.stamp});
    if (is_memory(op.kind)) {
      // It orders nothing, but what was accessed before is told from what is accessed behind.
    } else if (is_atomic(op.kind)) {
      atomic(op, t, strand, time, object);
    } else if (!tasks_ || !tasks_->operation(op, t)) {
      synchronize(op, strand, object);
    }
    cut(t, strand, time, op.stamp);
  }

  uint64_t last_time(uint32_t t) const {
    const auto before = [](const auto& all) {
      return all.size() < 2 ? 0 : all[all.size() - 2].last_time;
    };
    return tasks_ ? before(out_.threads_[t].pieces) : before(out_.threads_[t].segments);
  }

  void lock_for_writing(uint32_t t, Rwlock& lock) {
    acquire(t, lock.writers);
    acquire(t, lock.readers);
    lock.writer = t;
  }

  void synchronize(const SyncOperation& op, uint32_t t, const Object& object) {
    switch (op.kind) {
      case SyncKind::mutex_lock:
      case SyncKind::spin_lock:
      case SyncKind::omp_take:
      case SyncKind::mpi_receive:
      case SyncKind::mpi_leave:
        return acquire(t, locks_[object]);
      case SyncKind::mutex_unlock:
      case SyncKind::spin_unlock:
      case SyncKind::omp_give:
      case SyncKind::mpi_send:
      case SyncKind::mpi_arrive:
        return release(t, locks_[object]);
      case SyncKind::cond_wait:
        return release(t, locks_[{object.first, op.other}]);
      case SyncKind::cond_wake:
        return acquire(t, locks_[{object.first, op.other}]);
      case SyncKind::mpi_lock:
        if (message_tag(op.other) == static_cast<uint32_t>(MpiFunction::lock_exclusive))
          return lock_for_writing(t, rwlocks_[object]);
        [[fallthrough]];
      case SyncKind::read_lock:
        return acquire(t, rwlocks_[object].writers);
      case SyncKind::write_lock:
        return lock_for_writing(t, rwlocks_[object]);
      case SyncKind::mpi_unlock:
      case SyncKind::rwlock_unlock: {
        Rwlock& lock = rwlocks_[object];
        if (lock.writer != t) return release(t, lock.readers);
        lock.writer = kNone;
        return release(t, lock.writers);
      }
      case SyncKind::barrier_init:
        barriers_.erase(object);
        return;
      case SyncKind::barrier_arrive: {
        auto& rounds = barriers_[object].rounds;
        if (op.other > 2) rounds.erase(rounds.upper_bound(0), rounds.lower_bound(op.other - 1));
        return release(t, rounds[op.other]);
      }
      case SyncKind::barrier_leave:
        return acquire(t, barriers_[object].rounds[op.other]);
      case SyncKind::sem_init:
        semaphores_[object] = {};
        semaphores_[object].known = true;
        semaphores_[object].initial = op.other;
        return;
      case SyncKind::sem_post: {
        Semaphore& semaphore = semaphores_[object];
        release(t, semaphore.all);
        if (semaphore.known) semaphore.upto.push_back(semaphore.all);
        return;
      }
      case SyncKind::sem_wait:
        return sem_wait(t, semaphores_[object]);
      case SyncKind::once_done: {
        Location& flag = locations_[object];
        release(t, flag.clock);
        return;
      }
      case SyncKind::once:
        return acquire(t, locations_[object].clock);
      case SyncKind::thread_create:
        return create(op, t, object);
      case SyncKind::thread_join:
        if (const auto joined = handles_.find(object); joined != handles_.end())
          acquire(t, threads_[joined->second].clock);
        return;
      default:
        return;
    }
  }

  void sem_wait(uint32_t t, Semaphore& semaphore) {
    if (!semaphore.known) return acquire(t, semaphore.all);
    if (++semaphore.waits <= semaphore.initial) return;
    const uint64_t needed = semaphore.waits - semaphore.initial;
    while (semaphore.dropped + 1 < needed && !semaphore.upto.empty()) {
      semaphore.upto.pop_front();
      ++semaphore.dropped;
    }
    // Posts that were not recorded: whatever there is.
    acquire(t, semaphore.upto.empty() ? semaphore.all : semaphore.upto.front());
  }

  void create(const SyncOperation& op, uint32_t t, const Object& object) {
    const auto found = unborn_.find({op.thread, op.object});
    if (found != unborn_.end() && !found->second.empty()) {
      auto& threads = found->second;
      auto child = std::ranges::find_if(threads, [&](uint32_t candidate) {
        return trace_.threads()[candidate].parent_time == op.time;
      });
      if (child == threads.end()) child = threads.begin();
      Thread& born = threads_[*child];
      born.learned |= born.clock.join(threads_[t].clock);
      handles_[object] = *child;
      threads.erase(child);
    } else {
      handles_.erase(object);
    }
    next_own(t);
  }

  // By strand s in thread t.
  void atomic(const SyncOperation& op, uint32_t t, uint32_t s, uint64_t time,
              const Object& object) {
    Thread& thread = threads_[s];
    if (op.kind == SyncKind::fence) {
      if (acquires(op.result & 15)) acquire(s, thread.pending);
      if (releases(op.result & 15)) {
        thread.fence = thread.clock;
        thread.fenced = true;
        next_own(s);
      }
      return;
    }
    const bool failed = op.kind == SyncKind::atomic_cmpxchg && (op.result & kNotStored) != 0;
    const bool loads = op.kind != SyncKind::atomic_store;
    const bool stores = op.kind != SyncKind::atomic_load && !failed;
    const uint32_t order = failed ? op.result >> 4 & 15 : op.result & 15;
    const bool unordered = (op.result & kUnordered) != 0;
    Location& location = locations_[object];
    if (loads || unordered) {
      if (acquires(order) || unordered)
        acquire(s, location.clock);
      else
        thread.pending.join(location.clock);
    }
    // The access itself: behind what is acquired, before what is released.
    cut(t, s, time, op.stamp);
    ThreadOrder& own = out_.threads_[t];
    const size_t segments = tasks_ ? own.pieces.size() : own.segments.size();
    own.atomics.push_back({op.time, op.object, static_cast<uint32_t>(segments - 1), stores});
    if (stores)
      store(t, s, location, op.kind != SyncKind::atomic_store || unordered, releases(order));
  }

  void store(uint32_t t, uint32_t s, Location& location, bool keeps, bool gives) {
    Thread& thread = threads_[s];
    if (!keeps) {
      if (location.head == t)
        location.clock = location.head_clock;
      else
        location.clock.clear();
    }
    if (gives) {
      location.head = t;
      location.head_clock = thread.clock;
      release(s, location.clock);
    } else {
      if (!keeps && location.head != t) location.head = kNone;
      if (thread.fenced) location.clock.join(thread.fence);
    }
  }

  const Trace& trace_;
  HappensBefore& out_;
  std::vector<Thread> threads_;
  std::vector<std::unordered_set<uint64_t>> refused_;                      // by thread: numbers
  std::vector<std::vector<Interruption>> interruptions_;                   // by thread
  std::map<std::pair<uint32_t, uint64_t>, std::vector<uint32_t>> unborn_;  // by parent and handle
  ByObject<uint32_t> handles_;
  ByObject<Clock> locks_;
  ByObject<Rwlock> rwlocks_;
  ByObject<Barrier> barriers_;
  ByObject<Semaphore> semaphores_;
  ByObject<Location> locations_;
  std::optional<threads::TaskStrands> tasks_;  // when they are apart
  uint64_t tasks_given_ = 0;                   // in the whole trace
  std::unordered_map<uint64_t, Clock> given_;  // by key of tasks_
};

Result<HappensBefore> HappensBefore::read(const Trace& trace, bool tasks,
                                          std::set<threads::TaskNumber> own_users) {
  HappensBefore order;
  if (auto read = Reader(trace, order).read(tasks, std::move(own_users)); !read)
    return std::unexpected(std::move(read.error()));
  return order;
}

Result<HappensBefore> HappensBefore::read(const Trace& trace) { return read(trace, false, {}); }

Result<HappensBefore> HappensBefore::read_with_tasks(const Trace& trace,
                                                     std::set<threads::TaskNumber> own_users) {
  return read(trace, true, std::move(own_users));
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
