// The ring of values and the shadow of a thread whose functions tell values (program/derive.h).
//
// Every thread has somewhere to put them, since functions that cannot be duplicated have only the
// body that does: without a ring of its own the thread shares a sink and a shadow with all such
// threads, and nobody reads either.
#pragma once

#include "record/runtime/ring.h"

namespace vestige::runtime {

// Nothing is told by what this thread runs from now on.
void tell_nothing();
// For a thread or a depth of handlers that has just got its ring: a shadow and a ring of values,
// when they are asked for.
void begin_values(RingWriter& values, const RingWriter& thread, Patience patience);
// For the thread of a process that was just forked: another ring of values, or none.
void move_values(RingWriter& values, const RingWriter& thread);
// The thread ends; nothing of it runs any more.
void end_values(RingWriter& values, uint8_t* shadow);
// A record of this thread's ring of values; `time` is how many paths it has completed.
void tell_record(uint64_t time, uint64_t index, uint64_t value);
// What the thread has seen is void: a path was left in its middle.
void forget_values();

}  // namespace vestige::runtime
