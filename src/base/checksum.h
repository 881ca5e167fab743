// The checksum of everything on disk: XXH3, 64 bits, seed 0.
#pragma once

#include "base/bytes.h"

namespace vestige {

uint64_t checksum(ByteView bytes);

}  // namespace vestige
