// Hashes of contexts. Multiplication and a fold: cheap, and good in the upper bits, which index
// tables.
#pragma once

#include <cstdint>

namespace vestige::mix {

inline constexpr uint64_t kHashA = 0x9e3779b97f4a7c15;
inline constexpr uint64_t kHashB = 0xd6e8feb86659fd93;

inline uint64_t hashed(uint64_t x) {
  x *= kHashA;
  return x ^ (x >> 32);
}

}  // namespace vestige::mix
