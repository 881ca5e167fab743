// Accesses and synchronization operations of all threads in one order.
//
// Operations come as they were stamped. A thread's accesses come right before its next operation,
// or before its join; those behind its last one at the end, by thread. So every access stands
// behind what happened before it and before what happened behind it. Where nothing orders two
// accesses, neither does the trace: which of them comes first here is a choice.
//
// What library functions read and write counts, and so does giving memory back (frees.h). Reads of
// a call lie behind what the program did before it, writes before what it does behind it; of one
// that ran recorded code meanwhile both do.
//
// What signal handlers access is left out, as in query/races. So are accesses of unknown address.
//
// Memory: what the evaluation of each thread needs (query/rows/reference_source.h), while it runs.
#pragma once

#include <functional>

#include "query/order/operations.h"
#include "query/rows/reference_source.h"

namespace vestige::threads {

// Longer ones are of no program; they are left out, as those that wrap around are.
inline constexpr uint64_t kLongestAccess = uint64_t{1} << 28;
inline bool is_sound(const Reference& reference) {
  return reference.bytes != 0 && reference.bytes <= kLongestAccess &&
         reference.address + (reference.bytes - 1) >= reference.address;
}

// By #ID: which statements are atomic accesses. The operations tell what they order.
std::vector<bool> atomic_statements(const Trace& trace);

class EventVisitor {
 public:
  virtual ~EventVisitor() = default;
  // False ends the reading.
  virtual bool access(uint64_t time, const Reference& reference) = 0;
  // A write of a whole block that is given back, right before the operation that says so.
  virtual bool frees(uint64_t time, const Reference& reference) { return access(time, reference); }
  virtual bool operation(const Operation& operation) = 0;
};

struct EventCounts {
  uint64_t unknown = 0;  // accesses that were left out
};

// ErrorKind::unsupported when the trace has no values.
Result<EventCounts> read_events(const Trace& trace, const OperationOptions& options,
                                EventVisitor& visitor);

// The accesses alone, thread by thread, of the same threads; then the blocks that were given back.
// `time`: an access of that path's own lies in the same segment.
Result<void> read_accesses(const Trace& trace,
                           const std::function<bool(uint64_t time, const Reference&)>& take);

}  // namespace vestige::threads
