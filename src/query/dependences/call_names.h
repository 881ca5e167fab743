// Which calls may mean which functions, by name.
#pragma once

#include <cstdint>
#include <vector>

#include "vestige/trace.h"

namespace vestige {

// Immutable.
class CallNames {
 public:
  explicit CallNames(const Trace& trace);
  // The last statement of `caller`'s path is a call that may run `callee` (Trace::functions())
  // directly.
  bool may_call(const Path& caller, uint32_t callee) const;

 private:
  const Trace& trace_;
  std::vector<uint32_t> names_;                 // by function
  std::vector<std::vector<uint32_t>> symbols_;  // by function and symbol; kNone: no function's name
};

// The call or synchronization operation that a path stops at; kNone when it does not.
uint32_t stopped_at(const Function& function, const Path& path);

}  // namespace vestige
