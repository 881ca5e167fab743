// Events in a ring, and the true end of what was written to it.
//
// An event is committed by the store of its header word; __vestige_thread follows. A handler may
// strike between the two, so the writer says beforehand what __vestige_thread will become
// (RingWriter::committed), and settled() completes it if the header is there. For the rest of a
// handler's ignorance, inline code holding `next` in a register, settled() walks to the first
// zero word: only path words and runs can lie in that stretch.
#pragma once

#include "record/runtime/ring.h"

namespace vestige::runtime {

struct ThreadState;

inline uint64_t paths_completed(const VestigeThread& thread) {
  return (thread.origin + word_of(thread.next)) / 4;
}

// Writes an event at __vestige_thread, which is up to date, in the writer's ring. When the session
// turns out to be over, nothing is written.
void write_event(RingWriter& writer, protocol::EventKind kind, const uint32_t* payload = nullptr,
                 uint32_t payload_words = 0);

// Moves __vestige_thread behind an event whose word `at` is not zero once the event is whole.
void commit(RingWriter& writer, uint32_t* at, uint32_t* next, uint64_t origin);

// `seen` is __vestige_thread as a handler found it; returns it with `next` at the true end.
VestigeThread settled(const RingWriter& writer, VestigeThread seen);

// Makes __vestige_thread the settled `seen`, after which the interrupted code never goes on: an
// event it was writing is gone or whole.
void settle(RingWriter& writer, const VestigeThread& seen);

// The same where no handler was: an asynchronous cancellation takes a thread out of the middle of
// its code past us, and what runs next finds __vestige_thread behind the truth. Then the path in
// progress is marked abandoned.
void settle_if_behind(RingWriter& writer);

}  // namespace vestige::runtime
