#include "record/runtime/events.h"

#include "record/runtime/abi.h"
#include "record/runtime/values.h"

namespace vestige::runtime {

using namespace protocol;

namespace {

void store_header(uint32_t* at, uint32_t word) { __atomic_store_n(at, word, __ATOMIC_RELEASE); }

// What __vestige_thread becomes is known before the word at `at` is there, and only then done.
void prepare(RingWriter& writer, uint32_t* at, uint32_t* next, uint64_t origin) {
  writer.commit_at = at;
  writer.committed = __vestige_thread;
  writer.committed.next = next;
  writer.committed.origin = origin;
  compiler_barrier();
  writer.committing = true;
  compiler_barrier();
}

void finish(RingWriter& writer) {
  compiler_barrier();
  __vestige_thread.next = writer.committed.next;
  __vestige_thread.origin = writer.committed.origin;
  compiler_barrier();
  writer.committing = false;
}

}  // namespace

void write_event(RingWriter& writer, EventKind kind, const uint32_t* payload,
                 uint32_t payload_words) {
  // fatal_signal takes the reserve: it cannot wait for the collector.
  bool last_words = kind == EventKind::fatal_signal;
  uint32_t* end = writer.piece_end() - (last_words ? 0 : kReservedWords);
  if (__vestige_thread.next + 1 + payload_words > end && (last_words || !hand_over(writer))) return;
  uint32_t* at = __vestige_thread.next;
  for (uint32_t i = 0; i < payload_words; ++i) {
    __atomic_store_n(at + 1 + i, payload[i], __ATOMIC_RELAXED);
  }
  uint32_t words = 1 + payload_words;
  prepare(writer, at, at + words, __vestige_thread.origin - 4 * words);
  store_header(at, event_word(kind, payload_words));
  finish(writer);
}

void commit(RingWriter& writer, uint32_t* at, uint32_t* next, uint64_t origin) {
  prepare(writer, at, next, origin);
  finish(writer);
}

VestigeThread settled(const RingWriter& writer, VestigeThread seen) {
  if (writer.committing && __atomic_load_n(writer.commit_at, __ATOMIC_RELAXED) != 0) {
    return writer.committed;
  }
  const uint32_t* end = writer.piece_end();
  while (seen.next < end) {
    const uint32_t word = __atomic_load_n(seen.next, __ATOMIC_RELAXED);
    if (word == 0) break;
    const uint32_t payload_words = word < kFirstPath ? word >> 8 & 0xff : 0;
    if (payload_words != 0) {
      seen.origin += 4 * run_of(seen.next + 1, payload_words).count - 4 * (1 + payload_words);
    }
    seen.next += 1 + payload_words;
  }
  return seen;
}

void settle(RingWriter& writer, const VestigeThread& seen) {
  __vestige_thread = settled(writer, seen);
  writer.committing = false;
  uint32_t* end = writer.piece_end();
  for (uint32_t i = 0; i < kReservedWords && __vestige_thread.next + i < end; ++i) {
    __vestige_thread.next[i] = 0;
  }
}

void settle_if_behind(RingWriter& writer) {
  if (__atomic_load_n(__vestige_thread.next, __ATOMIC_RELAXED) == 0) return;
  SignalBlock block;
  settle(writer, __vestige_thread);
  write_event(writer, EventKind::abandoned);
  forget_values();
}

}  // namespace vestige::runtime
