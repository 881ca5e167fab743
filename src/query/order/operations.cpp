#include "query/order/operations.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "query/order/doers.h"
#include "query/order/sync_semantics.h"

namespace vestige::threads {

namespace {

using order::LockUse;

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

}  // namespace

struct OperationReader::State final : StrandClocks {
  State(const Trace& trace, const OperationOptions& options, Doers doers)
      : trace(trace),
        options(options),
        known(std::max<size_t>(trace.threads().size(), options.strands)),
        doers(std::move(doers)),
        semantics(trace, *this, options.rewrites, {options.outcomes, options.chances}) {}

  // ---- the first reading: what locks are
  // ----------------------------------------------------------

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
      uint32_t t = options.strand_of ? options.strand_of(op) : thread;
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
      const LockUse use = order::lock_use(op.kind);
      if (use == LockUse::none || failed_wait(op)) continue;
      const uint32_t number = lock_of(op, process, object, lives_of_locks);
      Lock& lock = locks[number];
      Holders& holders = held[number];
      if (use == LockUse::take_shared) lock.readers.insert(t);
      if (use == LockUse::take_shared && t != thread) lock.irregular = true;
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

  // Follows who has a lock. False: nobody could have done that.
  static bool hold(Holders& holders, LockUse use, uint32_t t) {
    switch (use) {
      case LockUse::take: {
        const bool fine =
            (holders.writer == kNone || holders.writer == t) && holders.readers.empty();
        holders.depth = holders.writer == t ? holders.depth + 1 : 1;
        holders.writer = t;
        return fine;
      }
      case LockUse::take_shared: {
        const bool fine = holders.writer == kNone;
        ++holders.readers[t];
        return fine;
      }
      case LockUse::give:
      case LockUse::give_any: {
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

  // ---- the second reading
  // --------------------------------------------------------------------------

  const Operation* next() {
    while (operations->next()) {
      const SyncOperation& op = operations->operation();
      if (doers.left_out(op)) continue;
      now.sync = op;
      ++now.index;
      std::tie(now.thread, now.time) = doers.of(op);
      now.strand = strand_of(op);
      now.role = Operation::Role::none;
      now.locks.clear();
      now.behind.clear();
      now.behind_next.clear();
      now.other = kNone;
      Known& mine = known[now.strand];
      if (mine.size() <= now.strand) mine.resize(now.strand + 1);
      mine[now.strand] = now.index;
      if (!semantics.is_memory_alone(op, trace.threads()[now.thread].process) &&
          (!tasks || !tasks->operation(op, now.thread)))
        semantics.operation(op, {now.thread, now.strand});
      now.next_strand = tasks ? tasks->strand(now.thread) : now.strand;
      now.tasks = tasks ? &*tasks : nullptr;
      return &now;
    }
    return nullptr;
  }

  uint32_t strand_of(const SyncOperation& op) const {
    if (tasks) return tasks->strand(now.thread);
    return options.strand_of ? options.strand_of(op) : now.thread;
  }

  // ---- what operations give and take (order::SyncSemantics)
  // -----------------------------------------

  using Given = Gifts;

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
      vestige::threads::join(known[strand], *gift->known);
    }
  }
  // Only the strand that does the operation gives.
  void give(uint32_t strand, Gifts& into) const {
    if (strand == now.strand)
      into.add(Gift{strand, now.index, std::make_shared<const Known>(known[strand])});
  }
  static void join(Gifts& into, const Gifts& other) { into.add(other); }

  void fork(uint32_t strand, uint32_t child) {
    if (child == kNone) return;
    now.role = Operation::Role::forks;
    now.other = child;
    vestige::threads::join(known[child], known[strand]);
  }
  void join_thread(uint32_t strand, uint32_t child) {
    now.role = Operation::Role::joins;
    now.other = child;
    vestige::threads::join(known[strand], known[child]);
  }
  void access(const SyncOperation&, bool) {}
  void misused(const SyncOperation&, uint32_t, uint32_t) {}

  // ---- what tasks give and take
  // ----------------------------------------------------------------------

  void take(uint32_t strand, uint64_t key) override {
    if (const auto found = given.find(key); found != given.end()) take(strand, found->second);
  }
  void give(uint32_t strand, uint64_t key) override { give(strand, given[key]); }
  void forget(uint64_t key) override { given.erase(key); }
  void open(uint32_t, uint32_t) override {
    known.emplace_back();
    slot_over.push_back(0);
  }
  void begin(uint32_t slot) override { semantics.begin(slot); }
  void over(uint32_t slot) override { slot_over[slot - trace.threads().size()] = now.index; }
  bool knows(uint64_t key, uint32_t slot) const override {
    const auto found = given.find(key);
    if (found == given.end()) return false;
    const uint64_t end = slot_over[slot - trace.threads().size()];
    return std::ranges::any_of(found->second.each,
                               [&](const Gift& gift) { return of(*gift.known, slot) >= end; });
  }

  // ---- locks: the operation's role, unless only edges can say what happened
  // -------------------------

  bool excludes(const SyncOperation& op, uint32_t object) {
    const Lock& lock = locks[object];
    if (lock.irregular) return false;
    use_lock(order::lock_use(op.kind), object, lock);
    return true;
  }
  void use_lock(LockUse use, uint32_t object, const Lock& lock) {
    Holders& holders = held[object];
    const bool wrote = holders.writer == now.strand;
    const uint64_t depth = wrote ? holders.depth : 0;
    const auto reads = [&] {
      const auto found = holders.readers.find(now.strand);
      return found == holders.readers.end() ? uint64_t{0} : found->second;
    };
    const uint64_t read = reads();
    hold(holders, use, now.strand);
    const bool gives = use == LockUse::give || use == LockUse::give_any;
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

  const Trace& trace;
  const OperationOptions options;
  std::vector<Known> known;  // by strand: through edges
  const Doers doers;
  order::SyncSemantics<State> semantics;
  // By number of the object's life.
  std::unordered_map<uint32_t, Lock> locks;
  std::unordered_map<uint32_t, Holders> held;
  std::optional<SyncOrderCursor> operations;
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
  state->operations.emplace(std::move(*order));
  if (options.tasks)
    state->tasks.emplace(trace, most_slots(state->tasks_given), options.own_users,
                         static_cast<StrandClocks&>(*state));
  return OperationReader(std::move(state));
}

const Operation* OperationReader::next() { return state_->next(); }
const Error* OperationReader::error() const { return state_->operations->error(); }

}  // namespace vestige::threads
