// Finds the execution that a slice is about.
#pragma once

#include "query/dependences/block_cursor.h"
#include "trace/windows/windows.h"
#include "vestige/slice.h"

namespace vestige {

struct CriterionPlace {
  uint32_t thread = 0;
  uint64_t instance = 0;
  uint64_t time = 0;
};

// ErrorKind::missing when there is no such execution.
Result<CriterionPlace> find_criterion(const Trace& trace, const Windows& windows,
                                      const SliceOptions& options);

// When the execution is a call that came back: the path that goes on behind it, and whether a
// recorded function returned its result.
struct CallReturn {
  uint64_t time = 0;  // 0: it is no call, or did not come back
  bool returned = false;
};
Result<CallReturn> find_return(DependenceBlockCursor& cursor, StatementRef statement,
                               uint64_t time);

}  // namespace vestige
