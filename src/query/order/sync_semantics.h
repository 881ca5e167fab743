// What each synchronization operation takes and gives. This is the only place that says it: clocks,
// prediction, sharing, exports and dependences all come here.
//
//   mutexes, spin locks        unlock → the next lock; of a robust mutex, the end of the thread that
//                              had it → the next lock
//   rwlocks                    a writer's unlock → any lock, a reader's unlock → a writer's lock
//   condition variables        a wait is an unlock, its end a lock; a signal orders nothing by itself
//   barriers                   arrivals → departures of the same round
//   semaphores                 the k-th post → every wait from the (k + initial value)-th on
//   once                       the initialization → everybody who knows it complete; an attempt that
//                              was left → the next one
//   threads                    creation → the beginning; the end → join
//   atomic operations          release → acquire, through release sequences and fences. A store ends
//                              the sequences of other threads at its location (its own go on, as in
//                              C11); a read-modify-write keeps them.
//   OpenMP, MPI, descriptors   what gives → what takes of the same thing; an MPI window is a rwlock
//
// Who gives back a lock without having it gives nothing (lock_watch.h). An object that begins anew
// at an address has been given nothing (object_lives.h). What tasks of OpenMP give is in tasks.h.
//
// What is given depends on who asks, so it is a template. `Knowledge` brings
//
//   using Given                               what was given to something; empty when new
//   void take(uint32_t strand, const Given&)  the strand learns it
//   void give(uint32_t strand, Given& into)   adds what the strand knows now
//   static void join(Given& into, const Given&)
//   void fork(uint32_t strand, uint32_t child)       kNone: a thread that was not recorded
//   void join_thread(uint32_t strand, uint32_t child)
//   void access(const SyncOperation&, bool stores)   the atomic access: behind what it takes, before
//                                                    what it gives
//   bool excludes(const SyncOperation&, uint32_t lock)  the lock's order is left open: it takes and
//                                                    gives nothing
//   void misused(const SyncOperation&, uint32_t lock, uint32_t holder)
//
// One owner thread. Memory: what was given to each object that is in use.
#pragma once

#include <algorithm>
#include <cerrno>
#include <deque>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "query/order/barrier_rounds.h"
#include "query/order/lock_watch.h"
#include "query/order/object_lives.h"
#include "vestige/sync.h"
#include "vestige/trace.h"

namespace vestige::order {

using threads::Had;
using threads::LockUser;
using threads::Object;

// How an operation uses a lock.
enum class LockUse : uint8_t { none, take, give, take_shared, give_any };
LockUse lock_use(SyncKind kind);

// The memory orders of an atomic operation, as C11 counts them, and what it did.
struct AtomicOperation {
  bool loads = false, stores = false;
  bool acquires = false, releases = false;
  bool unordered = false;  // its stamp says nothing of the order at its location
  bool exchanges = false;  // it reads and writes, in one
  explicit AtomicOperation(const SyncOperation& op);
};

// Which orders are wanted beside those that hold in every run.
struct SyncChoice {
  // What only matters for what could have been: from signals to the waits they ended, and between
  // atomic operations on one location of which one writes, whatever their memory order.
  bool outcomes = false;
  // To those whose turn it is by chance, as with locks: atomic read-modify-writes, and waits for
  // semaphores that begin above 0.
  bool chances = true;
};

// The children that are not born yet, by who created them.
class UnbornThreads {
 public:
  explicit UnbornThreads(const Trace& trace);
  // The thread that the operation created; kNone: it was not recorded.
  uint32_t born(const SyncOperation& create);

 private:
  const Trace& trace_;
  std::map<std::pair<uint32_t, uint64_t>, std::vector<uint32_t>> by_parent_;  // and handle
};

template <class Knowledge>
class SyncSemantics {
 public:
  using Given = typename Knowledge::Given;

  SyncSemantics(const Trace& trace, Knowledge& knowledge,
                std::shared_ptr<const threads::Rewrites> rewrites, SyncChoice choice = {})
      : trace_(trace),
        knowledge_(knowledge),
        choice_(choice),
        unborn_(trace),
        lives_(std::move(rewrites)),
        locks_had_(trace) {}

  // Comes first for every operation, by rising stamp. True: it is about memory and objects alone
  // and orders nothing.
  bool is_memory_alone(const SyncOperation& op, uint32_t process) {
    return lives_.operation(op, process);
  }
  void operation(const SyncOperation& op, const LockUser& who);
  // It failed. One that would have given a lock away is misuse too.
  void refused(const SyncOperation& op, const LockUser& who);
  // Something else goes on in the strand: fences of what was there do not count.
  void begin(uint32_t strand) {
    if (strand < strands_.size()) strands_[strand] = {};
  }
  const threads::ObjectLives& lives() const { return lives_; }

 private:
  struct Strand {
    bool fenced = false;
    Given fence;    // at the last release fence
    Given pending;  // what an acquire fence would learn
  };
  struct Lock {
    Given writers, readers;
  };
  struct Window {
    Lock lock;
    uint32_t writer = kNone;
  };
  struct Barrier {
    threads::BarrierRounds<Given> rounds;
    bool over = false;  // its life is; some may still leave
  };
  struct Semaphore {
    bool known = false;  // its initial value
    uint64_t initial = 0, waits = 0;
    Given all;               // of all posts
    std::deque<Given> upto;  // of the first posts + 1, posts + 2 …
    uint64_t dropped = 0;    // of those, from the front
  };
  // A location of atomic operations, or a flag of once.
  struct Location {
    Given given;            // what a reader that acquires learns
    uint32_t head = kNone;  // the thread that released here last
    Given head_given;       // and what
    Given stored, loaded;   // SyncChoice::outcomes
  };
  template <class T>
  using ByNumber = std::unordered_map<uint32_t, T>;  // ObjectLives
  template <class T>
  using ByObject = std::unordered_map<Object, T, threads::ObjectHash>;

  Strand& strand(uint32_t number) {
    if (number >= strands_.size()) strands_.resize(number + 1);
    return strands_[number];
  }
  Given alone(uint32_t strand) {
    Given given;
    knowledge_.give(strand, given);
    return given;
  }

  uint32_t fresh(uint32_t number);
  void use_lock(const SyncOperation& op, uint32_t lock, const LockUser& who);
  void use_window(const SyncOperation& op, uint32_t strand, const Object& object);
  void leave_barrier(const SyncOperation& op, uint32_t strand, uint32_t number);
  void wait_for(Semaphore& semaphore, uint32_t strand);
  void create(const SyncOperation& op, uint32_t strand, const Object& object);
  void fence(const AtomicOperation& how, uint32_t strand);
  void atomic(const SyncOperation& op, const LockUser& who, uint32_t number);
  void store(Location& location, const AtomicOperation& how, bool keeps, const LockUser& who);

  const Trace& trace_;
  Knowledge& knowledge_;
  const SyncChoice choice_;
  UnbornThreads unborn_;
  threads::ObjectLives lives_;
  threads::LockWatch locks_had_;
  std::vector<Strand> strands_;
  ByObject<uint32_t> handles_;
  ByObject<Given> things_;  // of OpenMP, MPI and descriptors
  ByObject<Window> windows_;
  ByNumber<Lock> locks_;
  ByNumber<Barrier> barriers_;
  ByNumber<Semaphore> semaphores_;
  ByNumber<Location> locations_;
  ByNumber<Given> signals_;
};

// ---- objects
// ----------------------------------------------------------------------------------------

// What the number before it in its place was given is nobody's any longer.
template <class Knowledge>
uint32_t SyncSemantics<Knowledge>::fresh(uint32_t number) {
  const uint32_t ended = lives_.ended();
  if (ended == kNone) return number;
  locks_.erase(ended);
  semaphores_.erase(ended);
  locations_.erase(ended);
  signals_.erase(ended);
  locks_had_.forget(ended);
  if (const auto barrier = barriers_.find(ended); barrier != barriers_.end()) {
    if (barrier->second.rounds.deserted())
      barriers_.erase(barrier);
    else
      barrier->second.over = true;
  }
  return number;
}

template <class Knowledge>
void SyncSemantics<Knowledge>::operation(const SyncOperation& op, const LockUser& who) {
  const uint32_t s = who.strand;
  const uint32_t process = trace_.threads()[who.thread].process;
  const bool of_all = is_message(op.kind) || is_descriptor(op.kind);
  const Object object(of_all ? kNone : process, op.object);
  const uint32_t life = threads::has_object(op.kind) ? fresh(lives_.of(op, process)) : kNone;
  if (is_atomic(op.kind)) return atomic(op, who, life);
  switch (op.kind) {
    case SyncKind::omp_take:
    case SyncKind::mpi_receive:
    case SyncKind::mpi_leave:
    case SyncKind::descriptor_take:
      return knowledge_.take(s, things_[object]);
    case SyncKind::omp_give:
    case SyncKind::mpi_send:
    case SyncKind::mpi_arrive:
    case SyncKind::descriptor_give:
      return knowledge_.give(s, things_[object]);
    case SyncKind::mpi_lock:
    case SyncKind::mpi_unlock:
      return use_window(op, s, object);
    case SyncKind::mutex_lock:
    case SyncKind::spin_lock:
    case SyncKind::mutex_unlock:
    case SyncKind::spin_unlock:
    case SyncKind::read_lock:
    case SyncKind::write_lock:
    case SyncKind::rwlock_unlock:
      return use_lock(op, life, who);
    case SyncKind::cond_wake:
      if (choice_.outcomes) knowledge_.take(s, signals_[life]);
      if (threads::failed_wait(op)) return;
      [[fallthrough]];
    case SyncKind::cond_wait:
      return use_lock(op, fresh(lives_.at({process, op.other}, op.stamp)), who);
    case SyncKind::cond_signal:
    case SyncKind::cond_broadcast:
      if (choice_.outcomes) knowledge_.give(s, signals_[life]);
      return;
    case SyncKind::barrier_arrive:
      return knowledge_.give(s, barriers_[life].rounds.arrive(op.other));
    case SyncKind::barrier_leave:
      return leave_barrier(op, s, life);
    case SyncKind::sem_init:
      semaphores_[life].known = true;
      semaphores_[life].initial = op.other;
      return;
    case SyncKind::sem_post: {
      Semaphore& semaphore = semaphores_[life];
      knowledge_.give(s, semaphore.all);
      if (semaphore.known) semaphore.upto.push_back(semaphore.all);
      return;
    }
    case SyncKind::sem_wait:
      return wait_for(semaphores_[life], s);
    case SyncKind::once_done:
      return knowledge_.give(s, locations_[life].given);
    case SyncKind::once:
      return knowledge_.take(s, locations_[life].given);
    case SyncKind::thread_create:
      return create(op, s, object);
    case SyncKind::thread_join:
      if (const auto joined = handles_.find(object); joined != handles_.end())
        knowledge_.join_thread(s, joined->second);
      return;
    // These order nothing.
    case SyncKind::barrier_init:
    case SyncKind::refused:
    case SyncKind::mpi_access:
    case SyncKind::allocated:
    case SyncKind::freed:
    case SyncKind::thread_exit:
    case SyncKind::object_begins:
    case SyncKind::object_ends:
    // Handled above.
    case SyncKind::atomic_load:
    case SyncKind::atomic_store:
    case SyncKind::atomic_rmw:
    case SyncKind::atomic_cmpxchg:
    case SyncKind::fence:
      return;
  }
}

// ---- locks
// ------------------------------------------------------------------------------------------

template <class Knowledge>
void SyncSemantics<Knowledge>::use_lock(const SyncOperation& op, uint32_t lock,
                                        const LockUser& who) {
  if (knowledge_.excludes(op, lock)) return;
  const LockUse use = lock_use(op.kind);
  Lock& of = locks_[lock];
  if (use == LockUse::take || use == LockUse::take_shared) {
    // Of a robust mutex: whoever had it is over.
    const uint32_t before = op.result == EOWNERDEAD ? locks_had_.holder(lock) : kNone;
    if (before != kNone && before != who.thread) knowledge_.join_thread(who.strand, before);
    locks_had_.take(lock, who, use == LockUse::take_shared);
    knowledge_.take(who.strand, of.writers);
    if (use == LockUse::take) knowledge_.take(who.strand, of.readers);
    return;
  }
  const Had had = locks_had_.give(lock, who);
  if (had == Had::nothing) {
    knowledge_.misused(op, lock, locks_had_.holder(lock));
  } else {
    if (had == Had::again) knowledge_.take(who.strand, of.writers);
    const bool shared = use == LockUse::give_any && had != Had::alone;
    knowledge_.give(who.strand, shared ? of.readers : of.writers);
  }
  if (op.kind == SyncKind::cond_wait) locks_had_.wait(lock, who.thread);
}

template <class Knowledge>
void SyncSemantics<Knowledge>::refused(const SyncOperation& op, const LockUser& who) {
  if (!threads::gives_lock(op.kind)) return;
  const uint32_t lock = fresh(lives_.of(op, trace_.threads()[who.thread].process));
  const Had had = locks_had_.give(lock, who);
  if (had == Had::nothing) knowledge_.misused(op, lock, locks_had_.holder(lock));
  locks_had_.undo_give(lock, who, had);
}

// Windows are no memory: they have one life.
template <class Knowledge>
void SyncSemantics<Knowledge>::use_window(const SyncOperation& op, uint32_t strand,
                                          const Object& object) {
  Window& window = windows_[object];
  if (op.kind == SyncKind::mpi_lock) {
    knowledge_.take(strand, window.lock.writers);
    if (message_tag(op.other) != static_cast<uint32_t>(MpiFunction::lock_exclusive)) return;
    window.writer = strand;
    return knowledge_.take(strand, window.lock.readers);
  }
  const bool alone = window.writer == strand;
  if (alone) window.writer = kNone;
  knowledge_.give(strand, alone ? window.lock.writers : window.lock.readers);
}

// ---- barriers, semaphores, threads
// --------------------------------------------------------------------

template <class Knowledge>
void SyncSemantics<Knowledge>::leave_barrier(const SyncOperation& op, uint32_t strand,
                                             uint32_t number) {
  Barrier& barrier = barriers_[number];
  knowledge_.take(strand, barrier.rounds.leave(op.other));
  if (barrier.over && barrier.rounds.deserted()) barriers_.erase(number);
}

template <class Knowledge>
void SyncSemantics<Knowledge>::wait_for(Semaphore& semaphore, uint32_t strand) {
  if (!semaphore.known) return knowledge_.take(strand, semaphore.all);
  if (semaphore.initial > 0 && !choice_.chances) return;
  if (++semaphore.waits <= semaphore.initial) return;
  const uint64_t needed = semaphore.waits - semaphore.initial;
  while (semaphore.dropped + 1 < needed && !semaphore.upto.empty()) {
    semaphore.upto.pop_front();
    ++semaphore.dropped;
  }
  // Posts that were not recorded: whatever there is.
  knowledge_.take(strand, semaphore.upto.empty() ? semaphore.all : semaphore.upto.front());
}

template <class Knowledge>
void SyncSemantics<Knowledge>::create(const SyncOperation& op, uint32_t strand,
                                      const Object& object) {
  const uint32_t child = unborn_.born(op);
  if (child == kNone)
    handles_.erase(object);
  else
    handles_[object] = child;
  knowledge_.fork(strand, child);
}

// ---- atomic operations
// --------------------------------------------------------------------------------

template <class Knowledge>
void SyncSemantics<Knowledge>::fence(const AtomicOperation& how, uint32_t number) {
  Strand& of = strand(number);
  if (how.acquires) knowledge_.take(number, of.pending);
  if (!how.releases) return;
  of.fence = alone(number);
  of.fenced = true;
}

template <class Knowledge>
void SyncSemantics<Knowledge>::atomic(const SyncOperation& op, const LockUser& who,
                                      uint32_t number) {
  const AtomicOperation how(op);
  if (op.kind == SyncKind::fence) return fence(how, who.strand);
  Location& location = locations_[number];
  if (choice_.outcomes) {
    knowledge_.take(who.strand, location.stored);
    if (how.stores) knowledge_.take(who.strand, location.loaded);
    knowledge_.give(who.strand, how.stores ? location.stored : location.loaded);
  }
  if ((how.loads || how.unordered) && (choice_.chances || !how.exchanges)) {
    if (how.acquires || how.unordered)
      knowledge_.take(who.strand, location.given);
    else
      Knowledge::join(strand(who.strand).pending, location.given);
  }
  knowledge_.access(op, how.stores);
  if (how.stores) store(location, how, op.kind != SyncKind::atomic_store || how.unordered, who);
}

template <class Knowledge>
void SyncSemantics<Knowledge>::store(Location& location, const AtomicOperation& how, bool keeps,
                                     const LockUser& who) {
  if (!keeps) location.given = location.head == who.thread ? location.head_given : Given();
  if (how.releases) {
    location.head = who.thread;
    location.head_given = alone(who.strand);
    Knowledge::join(location.given, location.head_given);
    return;
  }
  if (!keeps && location.head != who.thread) location.head = kNone;
  if (const Strand& of = strand(who.strand); of.fenced) Knowledge::join(location.given, of.fence);
}

}  // namespace vestige::order
