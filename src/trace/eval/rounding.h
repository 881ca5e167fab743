// The way a recorded thread rounded (kRoundingBits of MXCSR, program/derive.h), taken over while
// its operations are repeated. What this thread itself had is back at the end.
#pragma once

#include <xmmintrin.h>

#include <cstdint>

#include "program/derive.h"

namespace vestige {

class Rounding {
 public:
  explicit Rounding(uint32_t bits) {
    if (bits != 0) set(bits);
  }
  ~Rounding() {
    if (taken_) _mm_setcsr(own_);
  }
  Rounding(const Rounding&) = delete;
  Rounding& operator=(const Rounding&) = delete;

  void set(uint32_t bits) {
    if (!taken_) own_ = _mm_getcsr();
    taken_ = true;
    // Exceptions stay masked: the thread's own traps are not ours.
    _mm_setcsr((own_ & ~kRoundingBits) | (bits & kRoundingBits));
  }

 private:
  bool taken_ = false;
  uint32_t own_ = 0;
};

}  // namespace vestige
