// A member of the slice as the other end of a dependence.
#pragma once

#include <cstdint>

#include "vestige/program.h"

namespace vestige {

struct Token {
  uint32_t of = kNone;     // member of the slice, when members are kept
  uint32_t depth = kNone;  // dependences from the criterion; kNone: there is none
  explicit operator bool() const { return depth != kNone; }
};

inline void lower(Token& token, Token other) {
  if (other.depth < token.depth) token = other;
}

}  // namespace vestige
