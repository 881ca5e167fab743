#include "query/threads/operations.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>

namespace vestige::threads {

namespace {

constexpr uint32_t kNotStored = 1 << 8, kUnordered = 1 << 9;  // docs/format.md: atomic operations

bool acquires(uint32_t order) { return order == 1 || order == 2 || order == 4 || order == 5; }
bool releases(uint32_t order) { return order == 3 || order == 4 || order == 5; }

using Object = std::pair<uint32_t, uint64_t>;  // process, address
using Known = std::vector<uint64_t>;           // by strand: the last operation known

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
  uint32_t writer = kNone;
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

struct Interruption {
  uint64_t from = 0;  // the handler's time
  uint32_t thread = 0;
  uint64_t time = 0;  // that thread's
};

// Nobody gives, nobody takes.
struct NoClocks final : StrandClocks {
  void take(uint32_t, uint64_t) override {}
  void give(uint32_t, uint64_t) override {}
  void forget(uint64_t) override {}
  void open(uint32_t, uint32_t) override {}
  void begin(uint32_t) override {}
  void over(uint32_t) override {}
  bool knows(uint64_t, uint32_t) const override { return false; }
};

enum class Use : uint8_t { none, take, give, take_shared, give_any };

}  // namespace

struct OperationReader::State final : StrandClocks {
  State(const Trace& trace, const OperationOptions& options)
      : trace(trace),
        options(options),
        known(trace.threads().size()),
        fence(known.size()),
        pending(known.size()),
        refused(known.size()),
        interruptions(known.size()) {
    for (uint32_t t = 0; t < known.size(); ++t) {
      const ThreadInfo& info = trace.threads()[t];
      if (!info.handler && info.parent != kNone && info.handle != 0 &&
          trace.threads()[info.parent].process == info.process)
        unborn[{info.parent, info.handle}].push_back(t);
    }
  }

  // ---- the first reading: what locks are, and what failed ------------------------------------------

  Result<void> find_handlers() {
    for (uint32_t t = 0; t < known.size(); ++t) {
      if (!trace.threads()[t].handler) continue;
      const auto events = trace.events(t);
      if (!events) return std::unexpected(events.error());
      for (const TraceEvent& event : *events)
        if (event.kind == TraceEvent::Kind::handler_begin && event.numbers.size() >= 3 &&
            event.numbers[1] < known.size())
          interruptions[t].push_back(
              {event.time, static_cast<uint32_t>(event.numbers[1]), event.numbers[2]});
    }
    return {};
  }

  Result<void> find_refused() {
    for (uint32_t t = 0; t < known.size(); ++t) {
      auto cursor = SyncCursor::open(trace, t);
      if (!cursor) return std::unexpected(std::move(cursor.error()));
      while (cursor->next())
        if (cursor->operation().kind == SyncKind::refused)
          refused[t].insert(cursor->operation().number - 1);
      if (cursor->error()) return std::unexpected(*cursor->error());
    }
    return {};
  }

  Result<void> find_locks() {
    auto all = SyncOrderCursor::open(trace);
    if (!all) return std::unexpected(std::move(all.error()));
    // Only who runs what is of interest: without slots.
    NoClocks nothing;
    TaskStrands running(trace, 0, {}, nothing);
    std::map<TaskNumber, uint32_t> numbers;
    while (all->next()) {
      const SyncOperation& op = all->operation();
      if (left_out(op)) continue;
      const auto [thread, time] = doer(op.thread, op.time);
      uint32_t t = thread;
      TaskNumber task;
      if (options.tasks) {
        tasks_given += gives_task(op);
        running.operation(op, thread);
        if (running.in_task(thread, task))
          t = static_cast<uint32_t>(known.size()) +
              numbers.try_emplace(task, static_cast<uint32_t>(numbers.size())).first->second;
      }
      const Object object = lock_object(op, thread);
      const Use use = use_of(op.kind);
      if (use == Use::none) continue;
      Lock& lock = locks[object];
      Holders& holders = held[object];
      if (use == Use::take_shared) lock.readers.insert(t);
      if (use == Use::take_shared && t != thread) lock.irregular = true;
      if (!hold(holders, use, t)) lock.irregular = true;
    }
    if (all->error()) return std::unexpected(*all->error());
    held.clear();
    uint32_t number = 0;
    for (auto& [object, lock] : locks) {
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

  bool left_out(const SyncOperation& op) const {
    return op.kind == SyncKind::refused ||
           (!is_memory(op.kind) && refused[op.thread].contains(op.number));
  }

  // The lock that an operation is about: of waits, the mutex.
  Object lock_object(const SyncOperation& op, uint32_t t) const {
    const bool waits = op.kind == SyncKind::cond_wait || op.kind == SyncKind::cond_wake;
    return {trace.threads()[t].process, waits ? op.other : op.object};
  }

  // The thread that does a handler's work, and its time.
  std::pair<uint32_t, uint64_t> doer(uint32_t t, uint64_t time) const {
    for (int depth = 0; depth < 16 && trace.threads()[t].handler; ++depth) {
      const auto& all = interruptions[t];
      const auto behind = std::ranges::upper_bound(all, time, {}, &Interruption::from);
      if (behind == all.begin()) break;
      t = behind[-1].thread;
      time = behind[-1].time;
    }
    return {t, time};
  }

  // ---- the second reading --------------------------------------------------------------------------

  const Operation* next() {
    while (order->next()) {
      const SyncOperation& op = order->operation();
      if (left_out(op)) continue;
      now.sync = op;
      ++now.index;
      std::tie(now.thread, now.time) = doer(op.thread, op.time);
      now.strand = tasks ? tasks->strand(now.thread) : now.thread;
      now.role = Operation::Role::none;
      now.locks.clear();
      now.behind.clear();
      now.behind_next.clear();
      now.other = kNone;
      Known& mine = known[now.strand];
      if (mine.size() <= now.strand) mine.resize(now.strand + 1);
      mine[now.strand] = now.index;
      if (!is_memory(op.kind) && (!tasks || !tasks->operation(op, now.thread))) apply();
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
    const Object object(trace.threads()[now.thread].process, op.object);
    if (use_of(op.kind) != Use::none) return use_lock(lock_object(op, now.thread), object);
    if (is_atomic(op.kind)) return atomic(object);
    switch (op.kind) {
      case SyncKind::omp_take:
        return take(plain[object]);
      case SyncKind::omp_give:
        return plain[object].add(gift());
      case SyncKind::cond_signal:
      case SyncKind::cond_broadcast:
        if (options.outcomes) signals[object].add(gift());
        return;
      case SyncKind::barrier_init:
        rounds.erase(object);
        return;
      case SyncKind::barrier_arrive: {
        auto& all = rounds[object];
        if (op.other > 2) all.erase(all.upper_bound(0), all.lower_bound(op.other - 1));
        return all[op.other].add(gift());
      }
      case SyncKind::barrier_leave:
        return take(rounds[object][op.other]);
      case SyncKind::sem_init:
        semaphores[object] = {};
        semaphores[object].known = true;
        semaphores[object].initial = op.other;
        return;
      case SyncKind::sem_post: {
        Semaphore& semaphore = semaphores[object];
        semaphore.all.add(gift());
        if (semaphore.known) semaphore.upto.push_back(semaphore.all);
        return;
      }
      case SyncKind::sem_wait:
        return sem_wait(semaphores[object]);
      case SyncKind::once_done:
        return locations[object].gifts.add(gift());
      case SyncKind::once:
        return take(locations[object].gifts);
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

  void use_lock(const Object& object, const Object& condition) {
    const Use use = use_of(now.sync.kind);
    if (now.sync.kind == SyncKind::cond_wake && options.outcomes) take(signals[condition]);
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

  void use_by_edges(Use use, const Object& object) {
    Rwlock& lock = rwlocks[object];
    switch (use) {
      case Use::take:
        take(lock.writers);
        take(lock.readers);
        lock.writer = now.strand;
        return;
      case Use::take_shared:
        return take(lock.writers);
      case Use::give:
        return lock.writers.add(gift());
      default: {
        const bool writes = lock.writer == now.strand;
        if (writes) lock.writer = kNone;
        return (writes ? lock.writers : lock.readers).add(gift());
      }
    }
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

  void atomic(const Object& object) {
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
  std::vector<std::set<uint64_t>> refused;
  std::vector<std::vector<Interruption>> interruptions;
  std::map<std::pair<uint32_t, uint64_t>, std::vector<uint32_t>> unborn;  // by parent and handle
  std::map<Object, uint32_t> handles;
  std::map<Object, Lock> locks;
  std::map<Object, Holders> held;
  std::map<Object, Rwlock> rwlocks;  // irregular ones
  std::map<Object, Gifts> plain, signals;
  std::map<Object, std::map<uint64_t, Gifts>> rounds;
  std::map<Object, Semaphore> semaphores;
  std::map<Object, Location> locations;
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
  auto state = std::make_unique<State>(trace, options);
  if (auto found = state->find_handlers(); !found) return std::unexpected(std::move(found.error()));
  if (auto found = state->find_refused(); !found) return std::unexpected(std::move(found.error()));
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
