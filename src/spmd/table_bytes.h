// The values of a label's table as bytes.
//
// Bases of stacks and blocks lie at a few distances from each other that come again and again, with
// jumps between. So a value is told by its difference from the one before, and that by its place in
// a list of recent differences, the most recent first (new ones last); or as a new one:
//
//     table  := values*
//     values := varint 16 × (count - 1) + place, place from 1 to 8: so many with this place, one
//               after the other
//             | varint 0, svarint difference - steady: one
//             | varint 16 × count + 9, svarint jump: so many with the last place, and one whose difference
//               is jump × unit more than the one that has it then; the list goes on as if it
//               had been that one
//
// and `unit` is what the first jump has before it: varint z, 2^z.
//
// where `steady` is the last difference that was told by its place (0 before there is one), with a
// jump or without. Two distances that alternate are one pair of a count and place 2, and go on
// alternating behind a jump. (Version 3 of the payload has no jumps.)
#pragma once

#include <span>
#include <vector>

#include "base/bytes.h"

namespace vestige::spmd {

// In version 4 without the first value, which is 0.
void put_table(std::span<const uint64_t> values, ByteWriter& out);
// So many values, those there already among them, as put_table wrote them. False when the bytes
// make no sense.
bool get_table(ByteReader& in, size_t count, std::vector<uint64_t>& values);

}  // namespace vestige::spmd
