// What verify() checks of synchronization operations.
//
// Problems: a stamp twice, stamps or times that fall within a thread, counts that do not add up, a
// kind that does not exist, times behind the thread's end. Notes, since an operation may have been
// done where nothing is recorded: a lock taken while another thread had it, and a barrier left
// before it was full.
#pragma once

#include <string>
#include <vector>

#include "vestige/result.h"

namespace vestige {

class Trace;

struct SyncCheck {
  std::vector<std::string> problems;
  std::vector<std::string> notes;
};
Result<SyncCheck> check_syncs(const Trace& trace);

}  // namespace vestige
