// The accesses of one thread in order, for events.h: evaluated, or as a cdr keeps them.
//
// What library functions did comes apart: an entry of time t comes behind what the path of this
// time does, or, of writes, before what the one behind it does.
//
// One owner thread.
#pragma once

#include <memory>
#include <vector>

#include "query/rows/reference_source.h"

namespace vestige::threads {

class AccessSource {
 public:
  struct LibraryEntry {
    uint64_t time = 0;   // of the call
    uint64_t until = 0;  // given to those who ask for accesses up to this time
    Reference reference;
  };
  virtual ~AccessSource() = default;
  // The next references of the program's own in the place of what `out` holds; empty at the end.
  virtual Result<void> read(std::vector<TimedReference>& out) = 0;
  // The next entry; null when there is none that is given to those who ask for accesses up to this
  // time.
  virtual Result<const LibraryEntry*> peek_library(uint64_t until) = 0;
  virtual void next_library() = 0;
  // How many had no known address and were left out, so far.
  virtual uint64_t unknown() const = 0;
};

// Null: nothing is known of the thread's accesses.
Result<std::unique_ptr<AccessSource>> open_accesses(const Trace& trace, uint32_t thread);
// ErrorKind::unsupported when nothing is known of any thread's.
Result<void> need_accesses(const Trace& trace);

}  // namespace vestige::threads
