#include "query/races/happens_before.h"

#include <algorithm>
#include <deque>
#include <map>
#include <unordered_map>

#include "query/threads/barrier_rounds.h"
#include "query/threads/doers.h"
#include "query/threads/frees.h"
#include "query/threads/lock_watch.h"

namespace vestige::races {

namespace {

// Bits of the result of atomic operations (docs/format.md).
constexpr uint32_t kNotStored = 1 << 8, kUnordered = 1 << 9;

constexpr uint64_t kMostMisuses = 100;  // kept

// Memory orders as C11 counts them.
bool acquires(uint32_t order) { return order == 1 || order == 2 || order == 4 || order == 5; }
bool releases(uint32_t order) { return order == 3 || order == 4 || order == 5; }

struct Rwlock {
  Clock writers, readers;
};

// Of MPI.
struct RankWindow {
  Rwlock lock;
  uint32_t writer = kNone;
};

struct Barrier {
  threads::BarrierRounds<Clock> rounds;
  bool over = false;  // its life is; some may still leave
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

using threads::Had;
using threads::Object;
template <class T>
using ByObject = std::unordered_map<Object, T, threads::ObjectHash>;
template <class T>
using ByNumber = std::unordered_map<uint32_t, T>;  // ObjectLives

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
        lives_(std::move(rewrites)),
        locks_had_(trace) {
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
    out_.uses_ = lives_.uses();
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

  void operation(const SyncOperation& op) {
    if (op.kind == SyncKind::refused) return;
    if (doers_->failed(op)) return refused(op);
    const auto [t, doers_time] = doers_->of(op);
    begin_thread(t);
    // Of a handler's operations the time may fall behind.
    const uint64_t time = std::max(doers_time, last_time(t));
    const uint32_t strand = tasks_ ? tasks_->strand(t) : t;
    const bool of_all = is_message(op.kind) || is_descriptor(op.kind);
    const Object object(of_all ? kNone : trace_.threads()[t].process, op.object);
    if (op.kind == SyncKind::allocated && op.other > op.object)
      out_.resets_.push_back({object.first, op.object, op.other - 1, op.stamp});
    if (lives_.operation(op, object.first)) {
      // It orders nothing, but what was accessed before is told from what is accessed behind.
      if (const auto block = tasks_ ? freed_.of(op) : std::nullopt)
        out_.threads_[t].freed.push_back(
            {op.time, block->address, block->bytes, block->statement_id,
             static_cast<uint32_t>(out_.threads_[t].pieces.size() - 1)});
    } else if (is_atomic(op.kind)) {
      atomic(op, t, strand, time, object);
    } else if (!tasks_ || !tasks_->operation(op, t)) {
      synchronize(op, t, strand, object);
    }
    cut(t, strand, time, op.stamp);
  }

  uint64_t last_time(uint32_t t) const {
    const auto before = [](const auto& all) {
      return all.size() < 2 ? 0 : all[all.size() - 2].last_time;
    };
    return tasks_ ? before(out_.threads_[t].pieces) : before(out_.threads_[t].segments);
  }

  // The number of the object in the life that it is in.
  uint32_t life(const SyncOperation& op, const Object& object) {
    return fresh(lives_.of(op, object.first));
  }
  uint32_t mutex_of_wait(const SyncOperation& op, const Object& object) {
    return fresh(lives_.at({object.first, op.other}, op.stamp));
  }
  uint32_t fresh(uint32_t number) {
    const uint32_t ended = lives_.ended();
    if (ended == kNone) return number;
    locks_.erase(ended);
    rwlocks_.erase(ended);
    semaphores_.erase(ended);
    locations_.erase(ended);
    locks_had_.forget(ended);
    if (const auto barrier = barriers_.find(ended); barrier != barriers_.end()) {
      if (barrier->second.rounds.deserted())
        barriers_.erase(barrier);
      else
        barrier->second.over = true;
    }
    return number;
  }

  void misused(const SyncOperation& op, uint32_t lock) {
    if (out_.misuses_++ < kMostMisuses)
      out_.first_misuses_.push_back({op, locks_had_.holder(lock)});
  }
  // It failed. Of one that would have given a lock away that is misuse too.
  void refused(const SyncOperation& op) {
    if (!threads::gives_lock(op.kind)) return;
    const auto [t, time] = doers_->of(op);
    const threads::LockUser who = {t, tasks_ ? tasks_->strand(t) : t};
    const uint32_t lock = life(op, {trace_.threads()[t].process, op.object});
    const Had had = locks_had_.give(lock, who);
    if (had == Had::nothing) misused(op, lock);
    locks_had_.undo_give(lock, who, had);
  }

  void take_lock(uint32_t lock, const threads::LockUser& who) {
    locks_had_.take(lock, who, false);
    acquire(who.strand, locks_[lock]);
  }
  void give_lock(const SyncOperation& op, uint32_t lock, const threads::LockUser& who) {
    const Had had = locks_had_.give(lock, who);
    if (had == Had::nothing) return misused(op, lock);
    if (had == Had::again) acquire(who.strand, locks_[lock]);
    release(who.strand, locks_[lock]);
  }
  void take_alone(uint32_t t, Rwlock& lock) {
    acquire(t, lock.writers);
    acquire(t, lock.readers);
  }
  void give_rwlock(const SyncOperation& op, uint32_t number, const threads::LockUser& who) {
    const Had had = locks_had_.give(number, who);
    if (had == Had::nothing) return misused(op, number);
    Rwlock& lock = rwlocks_[number];
    release(who.strand, had == Had::alone ? lock.writers : lock.readers);
  }
  // Windows are no memory: they have one life.
  void synchronize_window(const SyncOperation& op, uint32_t t, const Object& object) {
    auto& [lock, writer] = windows_[object];
    const bool alone = message_tag(op.other) == static_cast<uint32_t>(MpiFunction::lock_exclusive);
    if (op.kind == SyncKind::mpi_lock) {
      if (!alone) return acquire(t, lock.writers);
      writer = t;
      return take_alone(t, lock);
    }
    if (writer != t) return release(t, lock.readers);
    writer = kNone;
    release(t, lock.writers);
  }

  // By strand s in thread t.
  void synchronize(const SyncOperation& op, uint32_t t, uint32_t s, const Object& object) {
    const threads::LockUser who = {t, s};
    switch (op.kind) {
      case SyncKind::omp_take:
      case SyncKind::mpi_receive:
      case SyncKind::mpi_leave:
      case SyncKind::descriptor_take:
        return acquire(s, things_[object]);
      case SyncKind::omp_give:
      case SyncKind::mpi_send:
      case SyncKind::mpi_arrive:
      case SyncKind::descriptor_give:
        return release(s, things_[object]);
      case SyncKind::mpi_lock:
      case SyncKind::mpi_unlock:
        return synchronize_window(op, s, object);
      case SyncKind::mutex_lock:
      case SyncKind::spin_lock:
        return take_lock(life(op, object), who);
      case SyncKind::mutex_unlock:
      case SyncKind::spin_unlock:
        return give_lock(op, life(op, object), who);
      case SyncKind::cond_wait: {
        const uint32_t mutex = mutex_of_wait(op, object);
        give_lock(op, mutex, who);
        return locks_had_.wait(mutex, t);
      }
      case SyncKind::cond_wake:
        if (threads::failed_wait(op)) return;
        return take_lock(mutex_of_wait(op, object), who);
      case SyncKind::read_lock: {
        const uint32_t lock = life(op, object);
        locks_had_.take(lock, who, true);
        return acquire(s, rwlocks_[lock].writers);
      }
      case SyncKind::write_lock: {
        const uint32_t lock = life(op, object);
        locks_had_.take(lock, who, false);
        return take_alone(s, rwlocks_[lock]);
      }
      case SyncKind::rwlock_unlock:
        return give_rwlock(op, life(op, object), who);
      case SyncKind::barrier_arrive:
        return release(s, barriers_[life(op, object)].rounds.arrive(op.other));
      case SyncKind::barrier_leave: {
        const uint32_t number = life(op, object);
        Barrier& barrier = barriers_[number];
        acquire(s, barrier.rounds.leave(op.other));
        if (barrier.over && barrier.rounds.deserted()) barriers_.erase(number);
        return;
      }
      case SyncKind::sem_init: {
        Semaphore& semaphore = semaphores_[life(op, object)];
        semaphore.known = true;
        semaphore.initial = op.other;
        return;
      }
      case SyncKind::sem_post: {
        Semaphore& semaphore = semaphores_[life(op, object)];
        release(s, semaphore.all);
        if (semaphore.known) semaphore.upto.push_back(semaphore.all);
        return;
      }
      case SyncKind::sem_wait:
        return sem_wait(s, semaphores_[life(op, object)]);
      case SyncKind::once_done:
        return release(s, locations_[life(op, object)].clock);
      case SyncKind::once:
        return acquire(s, locations_[life(op, object)].clock);
      case SyncKind::thread_create:
        return create(op, s, object);
      case SyncKind::thread_join:
        if (const auto joined = handles_.find(object); joined != handles_.end())
          acquire(s, threads_[joined->second].clock);
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
    Location& location = locations_[life(op, object)];
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
  std::optional<threads::Doers> doers_;
  std::map<std::pair<uint32_t, uint64_t>, std::vector<uint32_t>> unborn_;  // by parent and handle
  ByObject<uint32_t> handles_;
  ByObject<Clock> things_;  // of OpenMP, MPI and descriptors
  ByObject<RankWindow> windows_;
  threads::FreedBlocks freed_;
  threads::ObjectLives lives_;
  threads::LockWatch locks_had_;
  ByNumber<Clock> locks_;
  ByNumber<Rwlock> rwlocks_;
  ByNumber<Barrier> barriers_;
  ByNumber<Semaphore> semaphores_;
  ByNumber<Location> locations_;
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
