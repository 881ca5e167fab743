// When threads did their operations, and on what: what it takes to say which objects an access
// rewrites (object_lives.h), before the operations themselves are looked at.
//
// Memory: 16 bytes an operation.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "query/order/object_lives.h"
#include "vestige/result.h"
#include "vestige/trace.h"

namespace vestige::threads {

class OperationTimes {
 public:
  static Result<OperationTimes> read(const Trace& trace);

  const std::vector<ObjectUse>& uses() const { return uses_; }
  // The stamps of the thread's operations before and behind an access of this time.
  std::pair<uint64_t, uint64_t> around(uint32_t thread, uint64_t time) const;

 private:
  struct Done {
    uint64_t time = 0, stamp = 0;
  };
  std::vector<std::vector<Done>> done_;  // by thread
  std::vector<ObjectUse> uses_;
};

}  // namespace vestige::threads
