// Where in the program a fatal signal struck.
//
// The recorder looks the pc up when it can (event numbers 3 and 4: the first path id of the
// function, and the block; behind the registers, line and column). When it could not (the pc is in
// unrecorded code, or the binary carries no map), what the call stack tells is used: the path the
// signal interrupted was never completed, but the innermost activation and the path it completed
// last are known, hence the segment it went on to, or the callee it had just called.
#pragma once

#include "vestige/trace.h"

namespace vestige {

// Fills function, block and line of a fatal_signal event as far as the trace tells; leaves them
// alone otherwise.
void find_fatal_place(const Trace& trace, uint32_t thread, TraceEvent& event);

// Of an event whose place was found: the statement's location there with all that is inlined around
// it (Function::locations), whereas the event's line is that of the outermost function. kNone: not
// known.
uint32_t innermost_location(const Trace& trace, const TraceEvent& event);

}  // namespace vestige
