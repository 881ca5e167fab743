// Levels 4 … 6 of our own codec: rows that repeat (repeat/model.h), every decision predicted by
// mixed evidence and coded with as little as it is worth.
//
//   parameters := level:u8
//   block := mode:u8 (length:varint payload)*   the leading column first, the others in layout
//                                               order; nothing when the block has no rows
//   mode  := 0: the lead's values; 1: their differences, zigzag (never for a PC)
//   payload: range coder bytes (range_coder.h) of lead_coder.h or value_coder.h
//
// Models live on from block to block. While one thread codes the lead's next stretch, others can
// code the values of the stretches before: with two threads, encoder and decoder do.
//
// Cost: memory constant; time 5 to 10 ns per row and column that is as foreseen, 300 to 600 ns for
// one that is not.
#pragma once

#include "codec/record_codec.h"

namespace vestige::mix {

std::unique_ptr<RecordEncoder> make_rows_encoder(const RecordLayout& layout,
                                                 const RecordCodecOptions& options);
Result<std::unique_ptr<RecordDecoder>> make_rows_decoder(const RecordLayout& layout,
                                                         ByteView parameters, unsigned threads);

}  // namespace vestige::mix
