// Packing a sequence of bits: the hit flags of a predictor, mostly zeros.
//
// Byte grammar; the reader knows how many bits there are, and no bits take no bytes:
//     bits  := u8 form, body
//     form  := 0 all zero | 1 all one
//              2 the bits themselves, eight to a byte, least significant first
//              3 varint size, a zstd frame of those bytes
//              4 values: how many zeros precede each one (values.h)
//              5 values: how many ones precede each zero
//              6 values: the lengths of runs, of zeros first, alternating; they add up to the bits
// Cost: unpacking at a few hundred million bits a second at worst, a copy at best.
#pragma once

#include <span>
#include <vector>

#include "base/bytes.h"
#include "vestige/result.h"

namespace vestige {

inline size_t words_for_bits(size_t bits) { return bits / 64 + (bits % 64 != 0); }

// Bit i is bit i % 64 of word i / 64; bits past the end must be zero.
void pack_bits(std::span<const uint64_t> words, size_t bits, ByteWriter& out);
// Gives words_for_bits(bits) words; bits past the end are zero.
Result<std::vector<uint64_t>> unpack_bits(ByteReader& in, size_t bits);

}  // namespace vestige
