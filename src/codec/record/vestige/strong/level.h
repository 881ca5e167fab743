// The sizes of a level's tables; columns.h chooses them. What else levels differ in: data_kinds.h,
// sequence.h.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vestige::strong {

// Sizes of tables, as powers of two.
struct Sizes {
  unsigned slots;   // per context
  unsigned lines;   // per context of literals
  unsigned places;  // instructions
  unsigned rows;    // history
};

inline uint64_t mask_of(unsigned width) {
  return width >= 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * width)) - 1;
}

}  // namespace vestige::strong
