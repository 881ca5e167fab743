// Who wants to see values as they come by.
#pragma once

#include <cstdint>

namespace vestige {

// One execution of a statement that has a simple value, or that refers to memory.
struct Observation {
  // Of the path it belongs to. What a path stops at (a call, an atomic operation) is done behind
  // its end, so it is seen late: just before what the activation's next path does.
  uint64_t time = 0;
  uint32_t function = 0;     // Trace::functions()
  uint32_t statement = 0;    // Function::statements
  bool has_value = false;    // and it is known: the result; of a store, what is stored
  bool has_address = false;  // and it is known: where it loads or stores; memcpy: where to
  bool has_source = false;   // memcpy and memmove: where from
  uint64_t value = 0, address = 0, source = 0;
};

class EvaluationObserver {
 public:
  virtual ~EvaluationObserver() = default;
  virtual void see(const Observation& observation) = 0;
};

}  // namespace vestige
