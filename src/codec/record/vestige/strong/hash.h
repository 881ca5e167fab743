// Hashes of what makes up a context.
#pragma once

#include <cstdint>

#include "codec/entropy/hashing.h"

namespace vestige::strong {

using mix::hashed;
using mix::kHashA;
using mix::kHashB;

// Order matters; upper and lower bits are both good.
inline uint64_t combined(uint64_t a, uint64_t b) {
  return hashed((a ^ a >> 29) * kHashB + b * kHashA + 0x1234567);
}

}  // namespace vestige::strong
