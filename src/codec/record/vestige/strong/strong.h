// The strong levels, 7 … 9, of our own codec for traces of records: many predictors, mixed in two
// layers, at a few MB/s. Every value is a series of decisions "is it this candidate?" (guesses.h)
// under a probability made from all predictors' evidence; what none foresaw is spelt out bit by bit
// (literal.h). data.h and sequence.h hold the models of columns, the levels differ in how many
// predictors these ask and how large their tables are.
//
//   parameters := level:u8
//   block      := order:u8 (length:varint payload)*   the PC's column first, then the others as
//                                                     laid out; payload: coder.h
//   order      := 0   column by column: all of the block's PCs are known to the other columns
//                 1   row by row, for a PC and one more field: each PC knows both fields of all
//                     rows before it, each value its own PC and those rows
//
// Column by column suits loads and stores, where the path ahead says what was loaded; row by row
// suits branches, whose targets make the path. The first block decides (order.h). Models live on
// from block to block; their memory is fixed by the level: about 500 MiB at level 9, 170 at 8, 100
// at 7.
//
// Both ways a column's payload depends, for the encoder, on values it knows: with more threads it
// codes columns side by side. A decoder uses one.
#pragma once

#include <memory>

#include "codec/record_codec.h"

namespace vestige {

// `options.level` below 7 counts as 7, beyond 9 as 9.
std::unique_ptr<RecordEncoder> make_strong_encoder(const RecordLayout& layout,
                                                   const RecordCodecOptions& options);
// Fails with `corrupt` when the parameters are not those of a strong level.
Result<std::unique_ptr<RecordDecoder>> make_strong_decoder(const RecordLayout& layout,
                                                           ByteView parameters);

}  // namespace vestige
