// How far a word repeats.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vestige {

// How many words at the beginning are `word`, `most` at most.
inline size_t same_words(const uint32_t* words, size_t most, uint32_t word) {
  size_t same = 0;
  // In steps that the compiler makes vectors of.
  constexpr size_t kStep = 32;
  for (; most - same >= kStep; same += kStep) {
    uint32_t differs = 0;
    for (size_t i = 0; i < kStep; ++i) differs |= words[same + i] ^ word;
    if (differs != 0) break;
  }
  while (same < most && words[same] == word) ++same;
  return same;
}

}  // namespace vestige
