// The activations of a control-flow trace: an event that enters a function (upper bits 01) starts
// one, an event that leaves (10) ends it, and the events in between belong to the caller's no more.
// Any 32-bit column can be read so; where the reading makes no sense, its contexts are learnt to be
// worthless.
#pragma once

#include <array>
#include <cstdint>

#include "codec/record/vestige/strong/hash.h"

namespace vestige::strong {

class Nesting {
 public:
  // A hash of the function and the last 1, 2 or 4 events of the activation (i = 0, 1, 2).
  uint64_t context(size_t i) const {
    constexpr std::array<int, 3> kKept = {16, 32, 64};
    const Activation& top = activations_[depth_ % activations_.size()];
    return combined(top.function, top.recent << (64 - kKept[i]));
  }
  void append(uint64_t event, uint64_t hash) {
    if (event >> 30 == 1) {
      ++depth_;
      activations_[depth_ % activations_.size()] = {hash, 0};
      return;
    }
    if (event >> 30 == 2) --depth_;
    Activation& top = activations_[depth_ % activations_.size()];
    top.recent = top.recent << 16 | hash >> 48;
  }

 private:
  struct Activation {
    uint64_t function = 0;
    uint64_t recent = 0;  // 16 bits of each event's hash
  };
  // Deeper recursion forgets its outermost activations.
  std::array<Activation, 1024> activations_{};
  uint64_t depth_ = 0;
};

}  // namespace vestige::strong
