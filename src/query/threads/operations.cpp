#include "query/threads/operations.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <unordered_map>

#include "query/threads/barrier_rounds.h"
#include "query/threads/doers.h"
#include "query/threads/lock_watch.h"

namespace vestige::threads {

namespace {

constexpr uint32_t kNotStored = 1 << 8, kUnordered = 1 << 9;  // docs/format.md: atomic operations

bool acquires(uint32_t order) { return order == 1 || order == 2 || order == 4 || order == 5; }
bool releases(uint32_t order) { return order == 3 || order == 4 || order == 5; }

using Known = std::vector<uint64_t>;  // by strand: the last operation known

uint64_t of(const Known& known, uint32_t thread) {
  return thread < known.size() ? known[thread] : 0;
}
void join(Known& into, const Known& from) {
  if (into.size() < from.size()) into.resize(from.size());
  for (size_t i = 0; i < from.size(); ++i) into[i] = std::max(into[i], from[i]);
}

// Something that an operation gave, for others to take.
struct Gift {
  uint32_t strand = 0;
  uint64_t index = 0;                  // of the operation
  std::shared_ptr<const Known> known;  // by its strand, then
};

// What there is to take: the last gift of each strand that gave.
struct Gifts {
  std::vector<Gift> each;
  void add(const Gift& gift) {
    for (Gift& one : each)
      if (one.strand == gift.strand) {
        if (one.index < gift.index) one = gift;
        return;
      }
    each.push_back(gift);
  }
  void add(const Gifts& others) {
    for (const Gift& gift : others.each) add(gift);
  }
};

struct Semaphore {
  bool known = false;  // its initial value
  uint64_t initial = 0, waits = 0, dropped = 0;
  Gifts all;
  std::deque<Gifts> upto;  // of the first posts + 1, posts + 2 …, less those dropped
};

struct Location {
  Gifts gifts;
  uint32_t head = kNone;
  Gifts head_gifts;
  Gifts stored, loaded;  // OperationOptions::outcomes
};

struct Rwlock {
  Gifts writers, readers;
};

// How a lock is used, over the whole trace.
struct Lock {
  uint32_t number = kNone;     // of itself
  bool irregular = false;      // edges have to do
  std::set<uint32_t> readers;  // of rwlocks
  std::map<uint32_t, uint32_t> reader_numbers;
};

// Who has a lock, and how often.
struct Holders {
  uint32_t writer = kNone;
  uint64_t depth = 0;
  std::map<uint32_t, uint64_t> readers;
};

enum class Use : uint8_t { none, take, give, take_shared, give_any };

}  // namespace

struct OperationReader::State final : StrandClocks {
  State(const Trace& trace, const OperationOptions& options, Doers doers)
      : trace(trace),
        options(options),
        known(trace.threads().size()),
        fence(known.size()),
        pending(known.size()),
        doers(std::move(doers)),
        lives(options.rewrites),
        locks_had(trace) {
    for (uint32_t t = 0; t < known.size(); ++t) {
      const ThreadInfo& info = trace.threads()[t];
      if (!info.handler && info.parent != kNone && info.handle != 0 &&
          trace.threads()[info.parent].process == info.process)
        unborn[{info.parent, info.handle}].push_back(t);
    }
  }

  // ---- the first reading: what locks are ----------------------------------------------------------

  Result<void> find_locks() {
    auto all = SyncOrderCursor::open_with_memory(trace);
    if (!all) return std::unexpected(std::move(all.error()));
    // Only who runs what is of interest: without slots.
    NoClocks nothing;
    TaskStrands running(trace, 0, {}, nothing);
    std::map<TaskNumber, uint32_t> numbers;
    ObjectLives lives_of_locks(options.rewrites);
    while (all->next()) {
      const SyncOperation& op = all->operation();
      if (doers.left_out(op)) continue;
      const uint32_t thread = doers.of(op).first;
      const uint32_t process = trace.threads()[thread].process;
      if (lives_of_locks.operation(op, process)) continue;
      uint32_t t = thread;
      TaskNumber task;
      if (options.tasks) {
        tasks_given += gives_task(op);
        running.operation(op, thread);
        if (running.in_task(thread, task))
          t = static_cast<uint32_t>(known.size()) +
              numbers.try_emplace(task, static_cast<uint32_t>(numbers.size())).first->second;
      }
      // All of them: numbers of objects are the same in both readings.
      const uint32_t object = object_of(op, process, lives_of_locks);
      const Use use = use_of(op.kind);
      if (use == Use::none || failed_wait(op)) continue;
      const uint32_t number = lock_of(op, process, object, lives_of_locks);
      Lock& lock = locks[number];
      Holders& holders = held[number];
      if (use == Use::take_shared) lock.readers.insert(t);
      if (use == Use::take_shared && t != thread) lock.irregular = true;
      if (!hold(holders, use, t)) lock.irregular = true;
    }
    if (all->error()) return std::unexpected(*all->error());
    held.clear();
    uint32_t number = 0;
    std::map<uint32_t, Lock*> in_order;
    for (auto& [object, lock] : locks) in_order[object] = &lock;
    for (auto& [object, found] : in_order) {
      Lock& lock = *found;
      lock.number = number++;
      for (const uint32_t reader : lock.readers) lock.reader_numbers[reader] = number++;
    }
    return {};
  }

  static Use use_of(SyncKind kind) {
    switch (kind) {
      case SyncKind::mutex_lock:
      case SyncKind::spin_lock:
      case SyncKind::cond_wake:
      case SyncKind::write_lock:
        return Use::take;
      case SyncKind::mutex_unlock:
      case SyncKind::spin_unlock:
      case SyncKind::cond_wait:
        return Use::give;
      case SyncKind::read_lock:
        return Use::take_shared;
      case SyncKind::rwlock_unlock:
        return Use::give_any;
      default:
        return Use::none;
    }
  }

  // Follows who has a lock. False: nobody could have done that.
  static bool hold(Holders& holders, Use use, uint32_t t) {
    switch (use) {
      case Use::take: {
        const bool fine =
            (holders.writer == kNone || holders.writer == t) && holders.readers.empty();
        holders.depth = holders.writer == t ? holders.depth + 1 : 1;
        holders.writer = t;
        return fine;
      }
      case Use::take_shared: {
        const bool fine = holders.writer == kNone;
        ++holders.readers[t];
        return fine;
      }
      case Use::give:
      case Use::give_any: {
        if (holders.writer == t) {
          if (--holders.depth == 0) holders.writer = kNone;
          return true;
        }
        const auto reader = holders.readers.find(t);
        if (reader == holders.readers.end()) return false;
        if (--reader->second == 0) holders.readers.erase(reader);
        return true;
      }
      default:
        return true;
    }
  }

  // The object of an operation that is about one in memory; else kNone.
  static uint32_t object_of(const SyncOperation& op, uint32_t process, ObjectLives& lives) {
    return has_object(op.kind) ? lives.of(op, process) : kNone;
  }
  // The lock: of waits, the mutex.
  static uint32_t lock_of(const SyncOperation& op, uint32_t process, uint32_t object,
                          ObjectLives& lives) {
    const bool waits = op.kind == SyncKind::cond_wait || op.kind == SyncKind::cond_wake;
    return waits ? lives.at({process, op.other}, op.stamp) : object;
  }

  // ---- the second reading --------------------------------------------------------------------------

  const Operation* next() {
    while (order->next()) {
      const SyncOperation& op = order->operation();
      if (doers.left_out(op)) continue;
      now.sync = op;
      ++now.index;
      std::tie(now.thread, now.time) = doers.of(op);
      now.strand = tasks ? tasks->strand(now.thread) : now.thread;
      now.role = Operation::Role::none;
      now.locks.clear();
      now.behind.clear();
      now.behind_next.clear();
      now.other = kNone;
      Known& mine = known[now.strand];
      if (mine.size() <= now.strand) mine.resize(now.strand + 1);
      mine[now.strand] = now.index;
      if (!lives.operation(op, trace.threads()[now.thread].process) &&
          (!tasks || !tasks->operation(op, now.thread)))
        apply();
      now.next_strand = tasks ? tasks->strand(now.thread) : now.thread;
      now.tasks = tasks ? &*tasks : nullptr;
      return &now;
    }
    return nullptr;
  }

  void take(const Gifts& gifts) { take(now.strand, gifts); }
  void take(uint32_t strand, const Gifts& gifts) {
    std::vector<const Gift*> unknown;
    for (const Gift& gift : gifts.each)
      if (gift.strand != strand && gift.index > of(known[strand], gift.strand))
        unknown.push_back(&gift);
    // A later one may know of an earlier one.
    std::ranges::sort(unknown, std::greater(), &Gift::index);
    for (const Gift* gift : unknown) {
      if (gift->index <= of(known[strand], gift->strand)) continue;
      (strand == now.strand ? now.behind : now.behind_next).push_back(gift->index);
      join(known[strand], *gift->known);
    }
  }
  Gift gift() const {
    return {now.strand, now.index, std::make_shared<const Known>(known[now.strand])};
  }

  // ---- what tasks give and take; only the strand that does the operation gives ---------------------------

  void take(uint32_t strand, uint64_t key) override {
    if (const auto found = given.find(key); found != given.end()) take(strand, found->second);
  }
  void give(uint32_t strand, uint64_t key) override {
    if (strand == now.strand) given[key].add(gift());
  }
  void forget(uint64_t key) override { given.erase(key); }
  void open(uint32_t, uint32_t) override {
    known.emplace_back();
    fence.emplace_back();
    pending.emplace_back();
    slot_over.push_back(0);
  }
  void begin(uint32_t slot) override { fence[slot] = pending[slot] = {}; }
  void over(uint32_t slot) override { slot_over[slot - trace.threads().size()] = now.index; }
  bool knows(uint64_t key, uint32_t slot) const override {
    const auto found = given.find(key);
    if (found == given.end()) return false;
    const uint64_t end = slot_over[slot - trace.threads().size()];
    return std::ranges::any_of(found->second.each,
                               [&](const Gift& gift) { return of(*gift.known, slot) >= end; });
  }

  void apply() {
    const SyncOperation& op = now.sync;
    const uint32_t process = trace.threads()[now.thread].process;
    const Object object(is_descriptor(op.kind) ? kNone : process, op.object);
    const uint32_t life = object_of(op, process, lives);
    if (lives.ended() != kNone) {
      semaphores.erase(lives.ended());
      locations.erase(lives.ended());
    }
    if (use_of(op.kind) != Use::none) {
      if (op.kind == SyncKind::cond_wake && options.outcomes) take(signals[life]);
      if (!failed_wait(op)) use_lock(lock_of(op, process, life, lives));
      return;
    }
    if (is_atomic(op.kind)) return atomic(life);
    switch (op.kind) {
      case SyncKind::omp_take:
      case SyncKind::descriptor_take:
        return take(plain[object]);
      case SyncKind::omp_give:
      case SyncKind::descriptor_give:
        return plain[object].add(gift());
      case SyncKind::cond_signal:
      case SyncKind::cond_broadcast:
        if (options.outcomes) signals[life].add(gift());
        return;
      case SyncKind::barrier_arrive:
        return rounds[life].arrive(op.other).add(gift());
      case SyncKind::barrier_leave:
        return take(rounds[life].leave(op.other));
      case SyncKind::sem_init:
        semaphores[life].known = true;
        semaphores[life].initial = op.other;
        return;
      case SyncKind::sem_post: {
        Semaphore& semaphore = semaphores[life];
        semaphore.all.add(gift());
        if (semaphore.known) semaphore.upto.push_back(semaphore.all);
        return;
      }
      case SyncKind::sem_wait:
        return sem_wait(semaphores[life]);
      case SyncKind::once_done:
        return locations[life].gifts.add(gift());
      case SyncKind::once:
        return take(locations[life].gifts);
      case SyncKind::thread_create:
        return create(object);
      case SyncKind::thread_join:
        if (const auto joined = handles.find(object); joined != handles.end()) {
          now.role = Operation::Role::joins;
          now.other = joined->second;
          join(known[now.strand], known[now.other]);
        }
        return;
      default:
        return;
    }
  }

  void use_lock(uint32_t object) {
    const Use use = use_of(now.sync.kind);
    const Lock& lock = locks[object];
    if (lock.irregular) return use_by_edges(use, object);
    Holders& holders = held[object];
    const bool wrote = holders.writer == now.strand;
    const uint64_t depth = wrote ? holders.depth : 0;
    const auto reads = [&] {
      const auto found = holders.readers.find(now.strand);
      return found == holders.readers.end() ? uint64_t{0} : found->second;
    };
    const uint64_t read = reads();
    hold(holders, use, now.strand);
    const bool gives = use == Use::give || use == Use::give_any;
    // Only the outermost of a recursive lock counts.
    const bool writer_changes =
        (holders.writer == now.strand) != wrote && (gives ? depth == 1 : depth == 0);
    const bool reader_changes = (reads() == 0) != (read == 0);
    if (!writer_changes && !reader_changes) return;
    now.role = gives ? Operation::Role::releases : Operation::Role::acquires;
    if (reader_changes) {
      now.locks.push_back(lock.reader_numbers.at(now.strand));
      return;
    }
    now.locks.push_back(lock.number);
    for (const auto& [thread, number] : lock.reader_numbers) now.locks.push_back(number);
  }

  void use_by_edges(Use use, uint32_t object) {
    Rwlock& lock = rwlocks[object];
    const LockUser who = {now.thread, now.strand};
    if (use == Use::take_shared) {
      locks_had.take(object, who, true);
      return take(lock.writers);
    }
    if (use == Use::give || use == Use::give_any) {
      const Had had = locks_had.give(object, who);
      if (now.sync.kind == SyncKind::cond_wait) locks_had.wait(object, now.thread);
      if (had == Had::nothing) return;
      if (had == Had::again) take(lock.writers);
      const bool shared = use == Use::give_any && had != Had::alone;
      return (shared ? lock.readers : lock.writers).add(gift());
    }
    locks_had.take(object, who, false);
    take(lock.writers);
    take(lock.readers);
  }

  void sem_wait(Semaphore& semaphore) {
    if (!semaphore.known) return take(semaphore.all);
    if (semaphore.initial > 0 && !options.chances) return;
    if (++semaphore.waits <= semaphore.initial) return;
    const uint64_t needed = semaphore.waits - semaphore.initial;
    while (semaphore.dropped + 1 < needed && !semaphore.upto.empty()) {
      semaphore.upto.pop_front();
      ++semaphore.dropped;
    }
    take(semaphore.upto.empty() ? semaphore.all : semaphore.upto.front());
  }

  void create(const Object& object) {
    handles.erase(object);
    const auto found = unborn.find({now.sync.thread, now.sync.object});
    if (found == unborn.end() || found->second.empty()) return;
    auto& threads = found->second;
    auto child = std::ranges::find_if(threads, [&](uint32_t candidate) {
      return trace.threads()[candidate].parent_time == now.sync.time;
    });
    if (child == threads.end()) child = threads.begin();
    now.role = Operation::Role::forks;
    now.other = *child;
    handles[object] = *child;
    join(known[*child], known[now.strand]);
    threads.erase(child);
  }

  void atomic(uint32_t object) {
    const SyncOperation& op = now.sync;
    if (op.kind == SyncKind::fence) {
      if (acquires(op.result & 15)) take(pending[now.strand]);
      if (releases(op.result & 15)) fence[now.strand] = {{gift()}};
      return;
    }
    const bool failed = op.kind == SyncKind::atomic_cmpxchg && (op.result & kNotStored) != 0;
    const bool loads = op.kind != SyncKind::atomic_store;
    const bool stores = op.kind != SyncKind::atomic_load && !failed;
    const uint32_t memory_order = failed ? op.result >> 4 & 15 : op.result & 15;
    const bool unordered = (op.result & kUnordered) != 0;
    Location& location = locations[object];
    if (options.outcomes) {
      take(location.stored);
      if (stores) take(location.loaded);
      (stores ? location.stored : location.loaded).add(gift());
    }
    const bool exchanges = op.kind == SyncKind::atomic_rmw || op.kind == SyncKind::atomic_cmpxchg;
    if ((loads || unordered) && (options.chances || !exchanges)) {
      if (acquires(memory_order) || unordered)
        take(location.gifts);
      else
        pending[now.strand].add(location.gifts);
    }
    if (!stores) return;
    const bool keeps = op.kind != SyncKind::atomic_store || unordered;
    if (!keeps) location.gifts = location.head == now.thread ? location.head_gifts : Gifts{};
    if (releases(memory_order)) {
      location.head = now.thread;
      location.head_gifts = {{gift()}};
      location.gifts.add(location.head_gifts);
    } else {
      if (!keeps && location.head != now.thread) location.head = kNone;
      location.gifts.add(fence[now.strand]);
    }
  }

  const Trace& trace;
  const OperationOptions options;
  std::vector<Known> known;  // by strand: through edges
  std::vector<Gifts> fence, pending;
  const Doers doers;
  std::map<std::pair<uint32_t, uint64_t>, std::vector<uint32_t>> unborn;  // by parent and handle
  std::map<Object, uint32_t> handles;
  std::map<Object, Gifts> plain;  // numbers of OpenMP
  ObjectLives lives;
  LockWatch locks_had;  // irregular ones
  // By number of the object's life.
  std::unordered_map<uint32_t, Lock> locks;
  std::unordered_map<uint32_t, Holders> held;
  std::unordered_map<uint32_t, Rwlock> rwlocks;  // irregular ones
  std::unordered_map<uint32_t, Gifts> signals;
  std::unordered_map<uint32_t, BarrierRounds<Gifts>> rounds;
  std::unordered_map<uint32_t, Semaphore> semaphores;
  std::unordered_map<uint32_t, Location> locations;
  std::optional<SyncOrderCursor> order;
  std::optional<TaskStrands> tasks;           // when they are apart
  uint64_t tasks_given = 0;                   // in the whole trace
  std::unordered_map<uint64_t, Gifts> given;  // by key of tasks
  std::vector<uint64_t> slot_over;            // by slot: the operation that ended its last task
  Operation now;
};

OperationReader::OperationReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
OperationReader::OperationReader(OperationReader&&) noexcept = default;
OperationReader& OperationReader::operator=(OperationReader&&) noexcept = default;
OperationReader::~OperationReader() = default;

Result<OperationReader> OperationReader::open(const Trace& trace, const OperationOptions& options) {
  auto doers = Doers::read(trace);
  if (!doers) return std::unexpected(std::move(doers.error()));
  auto state = std::make_unique<State>(trace, options, std::move(*doers));
  if (auto found = state->find_locks(); !found) return std::unexpected(std::move(found.error()));
  auto order = SyncOrderCursor::open_with_memory(trace);
  if (!order) return std::unexpected(std::move(order.error()));
  state->order.emplace(std::move(*order));
  if (options.tasks)
    state->tasks.emplace(trace, most_slots(state->tasks_given), options.own_users,
                         static_cast<StrandClocks&>(*state));
  return OperationReader(std::move(state));
}

const Operation* OperationReader::next() { return state_->next(); }
const Error* OperationReader::error() const { return state_->order->error(); }

}  // namespace vestige::threads
