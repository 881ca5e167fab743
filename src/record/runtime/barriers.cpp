// Barriers. In the file, the first n arrivals at a barrier for n are its first round, the next n
// its second. More than n threads may use it, and then a thread that took its stamp may be
// overtaken by others before it waits. So arrivals take *tickets*, in the order of their stamps,
// and whoever has a ticket of a later round waits at a gate until somebody came back from the round
// before:
//
//   1. A ticket and its stamp are taken under one lock, so they have one order.
//   2. Only the n who have tickets of round k are between the gate and their return before round k is
//      complete. So libc's barrier lets exactly these n go on together.
//   3. They all pass the gate sooner or later, so round k completes, and the gate opens for k + 1.
//
// Where no more than n threads use a barrier nobody ever waits at the gate: who has a ticket of
// round k + 1 came back from round k.
//
// Barriers whose beginning was not seen, and those that processes share, have no tickets.
#include "record/runtime/barriers.h"

#include <pthread.h>

#include "record/runtime/heap.h"
#include "record/runtime/interpose.h"

namespace vestige::runtime {
namespace {

struct RoundsOfBarrier {
  RoundsOfBarrier* next;  // in its bucket; once free: of those that are free
  const pthread_barrier_t* barrier;
  uint64_t participants;
  uint64_t tickets;                // taken
  std::atomic<uint32_t> complete;  // rounds that somebody came back from, modulo 2^32: a futex
  uint32_t beginning;              // another one each time that it is some barrier's
};

// A spin lock: it is held for a few instructions, and never while anything is told. Handlers may
// not use barriers, so none waits for the thread that it interrupted.
struct Bucket {
  std::atomic<bool> locked;
  RoundsOfBarrier* first;
};
constexpr uint32_t kBucketBits = 8;
constexpr uint64_t kChunkBytes = 1 << 16;
Bucket buckets[1 << kBucketBits];
Bucket unused;  // Rounds that are free

Bucket& bucket_of(const pthread_barrier_t* barrier) {
  return buckets[(word_of(barrier) >> 3) * 0x9e3779b97f4a7c15 >> (64 - kBucketBits)];
}

class BucketLock {
 public:
  explicit BucketLock(Bucket& bucket) : bucket_(bucket) {
    while (bucket.locked.exchange(true, std::memory_order_acquire)) system_call(SYS_sched_yield);
  }
  ~BucketLock() { bucket_.locked.store(false, std::memory_order_release); }
  BucketLock(const BucketLock&) = delete;
  BucketLock& operator=(const BucketLock&) = delete;

 private:
  Bucket& bucket_;
};

RoundsOfBarrier* find(const Bucket& bucket, const pthread_barrier_t* barrier) {
  RoundsOfBarrier* rounds = bucket.first;
  while (rounds != nullptr && rounds->barrier != barrier) rounds = rounds->next;
  return rounds;
}

RoundsOfBarrier* new_rounds() {
  BucketLock lock(unused);
  if (unused.first == nullptr) {
    auto* chunk = static_cast<RoundsOfBarrier*>(map_memory(
        nullptr, kChunkBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (chunk == nullptr) return nullptr;
    for (uint64_t i = 0; i < kChunkBytes / sizeof(RoundsOfBarrier); ++i) {
      chunk[i].next = unused.first;
      unused.first = chunk + i;
    }
  }
  RoundsOfBarrier* rounds = unused.first;
  unused.first = rounds->next;
  return rounds;
}

void forget(const pthread_barrier_t* barrier) {
  Bucket& bucket = bucket_of(barrier);
  RoundsOfBarrier* rounds = nullptr;
  {
    BucketLock lock(bucket);
    RoundsOfBarrier** at = &bucket.first;
    while (*at != nullptr && (*at)->barrier != barrier) at = &(*at)->next;
    rounds = *at;
    if (rounds != nullptr) *at = rounds->next;
  }
  if (rounds == nullptr) return;
  BucketLock lock(unused);
  rounds->next = unused.first;
  unused.first = rounds;
}

void begin(const pthread_barrier_t* barrier, unsigned participants) {
  forget(barrier);
  RoundsOfBarrier* rounds = new_rounds();
  if (rounds == nullptr) return;
  rounds->barrier = barrier;
  rounds->participants = participants;
  rounds->tickets = 0;
  rounds->complete.store(0, std::memory_order_relaxed);
  ++rounds->beginning;
  Bucket& bucket = bucket_of(barrier);
  BucketLock lock(bucket);
  rounds->next = bucket.first;
  bucket.first = rounds;
}

struct Ticket {
  RoundsOfBarrier* rounds;
  uint32_t beginning;
  uint32_t round;  // modulo 2^32
  uint64_t stamp;
};

Ticket take_ticket(const pthread_barrier_t* barrier) {
  Bucket& bucket = bucket_of(barrier);
  BucketLock lock(bucket);
  RoundsOfBarrier* rounds = find(bucket, barrier);
  if (rounds == nullptr) return {nullptr, 0, 0, take_stamp()};
  const uint64_t round = rounds->tickets++ / rounds->participants;
  return {rounds, rounds->beginning, static_cast<uint32_t>(round), take_stamp()};
}

bool is_below(uint32_t complete, uint32_t round) {
  return static_cast<int32_t>(complete - round) < 0;
}

void wait_at_gate(const Ticket& ticket) {
  std::atomic<uint32_t>& complete = ticket.rounds->complete;
  for (uint32_t seen; is_below(seen = complete.load(std::memory_order_acquire), ticket.round);)
    system_call(SYS_futex, word_of(&complete), FUTEX_WAIT_PRIVATE, seen);
}

void open_gate(const Ticket& ticket, const pthread_barrier_t* barrier) {
  std::atomic<uint32_t>& complete = ticket.rounds->complete;
  const auto is_open = [&] {
    return !is_below(complete.load(std::memory_order_relaxed), ticket.round + 1);
  };
  if (ticket.rounds->beginning == ticket.beginning && is_open()) return;
  Bucket& bucket = bucket_of(barrier);
  BucketLock lock(bucket);
  // Whoever came back first may have destroyed the barrier, or begun it anew.
  if (find(bucket, barrier) != ticket.rounds || ticket.rounds->beginning != ticket.beginning ||
      is_open())
    return;
  complete.store(ticket.round + 1, std::memory_order_release);
  system_call(SYS_futex, word_of(&complete), FUTEX_WAKE_PRIVATE, INT32_MAX);
}

bool is_shared(const pthread_barrierattr_t* attributes) {
  int shared = PTHREAD_PROCESS_PRIVATE;
  if (attributes != nullptr) pthread_barrierattr_getpshared(attributes, &shared);
  return shared == PTHREAD_PROCESS_SHARED;
}

}  // namespace

void forget_barrier_locks() {
  for (Bucket& bucket : buckets) bucket.locked.store(false, std::memory_order_relaxed);
  unused.locked.store(false, std::memory_order_relaxed);
}

}  // namespace vestige::runtime

using namespace vestige::runtime;
using vestige::protocol::SyncKind;

VESTIGE_INTERPOSE(int, pthread_barrier_init,
                  (pthread_barrier_t * barrier, const pthread_barrierattr_t* attributes,
                   unsigned participants)) {
  int result = VESTIGE_REAL(pthread_barrier_init)(barrier, attributes, participants);
  if (result != 0) return result;
  const bool shared = is_shared(attributes);
  if (shared) {
    forget(barrier);
  } else {
    begin(barrier, participants);
  }
  // Of one that processes share nobody sees all arrivals.
  if (RingWriter* writer = sync_writer())
    tell_sync_with(*writer, SyncKind::barrier_init, barrier, shared ? 0 : participants);
  return result;
}

VESTIGE_INTERPOSE(int, pthread_barrier_destroy, (pthread_barrier_t * barrier)) {
  int result = VESTIGE_REAL(pthread_barrier_destroy)(barrier);
  if (result != 0) return result;
  forget(barrier);
  tell_object_ends(barrier);
  return result;
}

VESTIGE_INTERPOSE(int, pthread_barrier_wait, (pthread_barrier_t * barrier)) {
  RingWriter* writer = sync_writer();
  if (writer == nullptr) return VESTIGE_REAL(pthread_barrier_wait)(barrier);
  const Ticket ticket = take_ticket(barrier);
  tell_sync(*writer, SyncKind::barrier_arrive, barrier, ticket.stamp);
  if (ticket.rounds != nullptr) wait_at_gate(ticket);
  int result = VESTIGE_REAL(pthread_barrier_wait)(barrier);
  if (ticket.rounds != nullptr) open_gate(ticket, barrier);
  writer = sync_writer();
  if (writer == nullptr) return result;
  tell_sync(*writer, SyncKind::barrier_leave, barrier, take_stamp(),
            result == PTHREAD_BARRIER_SERIAL_THREAD ? 1 : result);
  return result;
}
