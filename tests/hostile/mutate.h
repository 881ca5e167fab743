// Ways to damage a trace file.
#pragma once

#include <random>

#include "file_parts.h"

namespace vestige::hostile {

// Bits flipped, bytes overwritten, ranges cut out, doubled, moved, zeroed or taken from another
// file, chunks swapped: what disks, copies and crashes do. Checksums stay as they were.
Bytes damage(const Bytes& file, const Bytes& other, std::mt19937_64& random);

// Payloads changed, also behind their compression, and everything signed again.
Bytes forge(const Bytes& file, const Bytes& other, std::mt19937_64& random);

}  // namespace vestige::hostile
