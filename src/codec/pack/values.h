// Packing a list of 64-bit values: what every codec here uses for the values it could not predict.
//
// The idea: values of a trace are close to each other (addresses, counters), few (flags, pointers
// into a small heap) or repeat in order. So a list is first turned into smaller numbers (not at
// all, into differences, or into differences of differences) and then laid out (bit-packed in
// frames of 256, bit-packed uniformly, or byte by byte in planes), with zstd behind where that
// pays; or it is turned into a dictionary and indices, each packed in one of those ways. The
// encoder measures and keeps the smallest.
//
// Byte grammar:
//     values     := varint count, (nothing when count = 0) | body
//     body       := u8 method, numbers
//     method     := bits 0–1 transform, bits 2–3 layout, bit 4 zstd; the others are 0
//     transform  := 0 plain: the numbers are the values
//                   1 delta: number = zigzag(value − value before), the first against 0
//                   2 delta of delta: number = zigzag(delta − delta before)
//                   3 dictionary, with layout and zstd 0: instead of numbers come `values`,
//                     the distinct ones in ascending order, at most `count`, and a body, the
//                     `count` indices into them; neither is a dictionary again
//     layout 0   := frame*          a frame is: u8 width, varint base, bits; 256 numbers each, the
//                                   last one as many as are left
//     layout 1   := frame           one for all numbers
//     layout 2   := u8 planes, plane*   plane k holds byte k of every number:
//                   u8 kind: 0 raw bytes | 1 one byte that all are | 2 zstd: varint size, frame
//     layout 3   := varint number*
//     bits       := number − base in `width` bits (0 … 64), least significant first, padded to a
//                   byte with zeros
//     zstd       := varint raw size, varint size, a zstd frame of the layout's bytes
//                   (layouts 1 and 3 only)
// All arithmetic is modulo 2^64, so extremes cost bits, never exactness.
//
// Cost: unpacking without zstd runs at about a billion values a second, with it at a third of that;
// packing tries about fifteen forms, 5–30 million values a second. Memory: a few copies of the
// list.
#pragma once

#include <span>
#include <vector>

#include "base/bytes.h"
#include "vestige/result.h"

namespace vestige {

enum class PackGoal : uint8_t {
  size,   // the smallest form
  speed,  // the smallest form that needs no zstd to unpack
};

void pack_values(std::span<const uint64_t> values, ByteWriter& out, PackGoal goal = PackGoal::size);
Bytes pack_values(std::span<const uint64_t> values, PackGoal goal = PackGoal::size);

// Reads one list and stops behind it. A few bytes can stand for any number of equal values, so the
// caller says how many there may be at most; more is an error, found before anything is allocated.
Result<std::vector<uint64_t>> unpack_values(ByteReader& in, size_t most);
// The same into memory the caller has; the list must have exactly out.size() values.
Result<void> unpack_values(ByteReader& in, std::span<uint64_t> out);

}  // namespace vestige
