// A cdr's accesses in the order in which a thread made them, address by address: for questions
// about that order. They are not expanded in memory.
#pragma once

#include "query/threads/access_source.h"

namespace vestige {

// Null: the cdr has nothing of the thread. ErrorKind::unsupported when the trace is another
// representation, or an old one.
Result<std::unique_ptr<threads::AccessSource>> open_kept_references(const Trace& trace,
                                                                    uint32_t thread);
Result<void> need_kept_references(const Trace& trace);

}  // namespace vestige
