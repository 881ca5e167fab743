#include "record/runtime/ring.h"

#include <pthread.h>

#include "record/runtime/abi.h"

namespace vestige::runtime {

using namespace protocol;

namespace {

constexpr long kTimedOut = -110;  // −ETIMEDOUT
constexpr uint64_t kNanosecondsPerTry = 100'000'000;
constexpr int kClaimTries = 100;
constexpr uint64_t kNanosecondsPerClaimTry = 10'000'000;

std::atomic<uint64_t> forbidden[kMaxRings / 64];

bool is_forbidden(uint32_t index) {
  return (forbidden[index / 64].load(std::memory_order_relaxed) >> (index % 64) & 1) != 0;
}

bool session_over() {
  if (session.over.load(std::memory_order_relaxed)) return true;
  if (session.header->state.load(std::memory_order_acquire) ==
      static_cast<uint32_t>(SessionState::open)) {
    return false;
  }
  session.over.store(true, std::memory_order_relaxed);
  return true;
}

// The lowest free ring: its memory most likely exists already.
uint32_t take_free_entry() {
  for (uint32_t i = 0; i < kMaxRings; ++i) {
    RingEntry& entry = session.rings[i];
    uint32_t unclaimed = 0;
    if (entry.claimed.load(std::memory_order_relaxed) != 0 || is_forbidden(i) ||
        !entry.claimed.compare_exchange_strong(unclaimed, 1, std::memory_order_acq_rel)) {
      continue;
    }
    if (entry.state.load(std::memory_order_acquire) == static_cast<uint32_t>(RingState::free)) {
      return i;
    }
    entry.claimed.store(0, std::memory_order_release);
  }
  return kNoRing;
}

void sleep_for(uint64_t nanoseconds) {
  timespec duration{0, static_cast<long>(nanoseconds)};
  system_call(SYS_nanosleep, word_of(&duration), 0);
}

}  // namespace

bool claim(RingWriter& writer, RingKind kind, const RingOrigin& parent, Patience patience) {
  SignalBlock block;
  writer.entry = nullptr;
  writer.committing = false;
  uint32_t index = take_free_entry();
  for (int i = 0; index == kNoRing && patience == Patience::wait && i < kClaimTries; ++i) {
    if (session_over() || !collector_alive()) break;
    ring_doorbell();
    sleep_for(kNanosecondsPerClaimTry);
    index = take_free_entry();
  }
  if (index == kNoRing) return false;
  RingEntry& entry = session.rings[index];
  uint32_t* memory = ring_memory(index);
  if (memory == nullptr) {
    entry.claimed.store(0, std::memory_order_release);
    return false;
  }
  uint32_t count = session.header->ring_count.load(std::memory_order_relaxed);
  while (count <= index && !session.header->ring_count.compare_exchange_weak(count, index + 1)) {
  }
  entry.kind = kind;
  entry.process = session.process;
  entry.tid = thread_id();
  entry.parent_ring = parent.ring;
  entry.parent_serial = parent.serial;
  entry.parent_time = parent.time;
  entry.made = kind == RingKind::thread ? parent.made : 0;
  entry.serial = session.header->next_ring_serial.fetch_add(1, std::memory_order_relaxed);
  entry.pthread_id = pthread_self();
  entry.filled.store(0, std::memory_order_relaxed);
  entry.drained.store(0, std::memory_order_relaxed);
  entry.writer_waits.store(0, std::memory_order_relaxed);
  writer.memory = memory;
  writer.filled = 0;
  writer.serial = entry.serial;
  writer.index = index;
  entry.state.store(static_cast<uint32_t>(RingState::active), std::memory_order_release);
  writer.entry = &entry;
  ring_doorbell();
  return true;
}

bool give_piece(RingWriter& writer) {
  SignalBlock block;
  RingEntry& entry = *writer.entry;
  while (!session_over() &&
         writer.filled - entry.drained.load(std::memory_order_acquire) >= kPieces - 1) {
    uint32_t seen = entry.drained_signal.load();
    entry.writer_waits.store(1);
    if (writer.filled - entry.drained.load() < kPieces - 1) break;
    ring_doorbell();
    timespec duration{0, kNanosecondsPerTry};
    // A handler may run now, write to its own ring, and even leave by siglongjmp: nothing of this
    // ring has moved yet.
    block.unblock();
    long result = system_call(SYS_futex, word_of(&entry.drained_signal), FUTEX_WAIT, seen,
                              word_of(&duration));
    block.block();
    if (result == kTimedOut && !collector_alive()) {
      session.over.store(true, std::memory_order_relaxed);
    }
  }
  entry.writer_waits.store(0, std::memory_order_relaxed);
  if (session_over()) return false;
  ++writer.filled;
  entry.filled.store(writer.filled, std::memory_order_release);
  if (writer.filled - entry.drained.load(std::memory_order_relaxed) > kFewPieces) ring_doorbell();
  return true;
}

bool hand_over(RingWriter& writer) {
  SignalBlock block;
  if (!give_piece(writer)) return false;
  move_to(writer.piece(), writer.limit());
  return true;
}

void close(RingWriter& writer) {
  if (writer.entry == nullptr) return;
  // Only this process's view of the pages goes; what was written stays for the collector.
  system_call(SYS_madvise, word_of(writer.memory), kRingBytes, MADV_DONTNEED);
  writer.entry->state.store(static_cast<uint32_t>(RingState::closed), std::memory_order_release);
  writer.entry = nullptr;
  ring_doorbell();
}

void move_to(uint32_t* next, uint32_t* limit) {
  __vestige_thread.origin += word_of(__vestige_thread.next) - word_of(next);
  __vestige_thread.next = next;
  __vestige_thread.limit = limit;
}

void forbid_ring(uint32_t index) {
  forbidden[index / 64].fetch_or(uint64_t{1} << (index % 64), std::memory_order_relaxed);
}

}  // namespace vestige::runtime
