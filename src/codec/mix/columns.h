// Our own codec (mix.h): one model per column.
//
//   block   := (length:varint payload) per column: the PC's first, then the others in layout order
//   payload := way:u8 [bits]      way 0: range-coded (range_coder.h, the column's model)
//                                 way 1: nothing follows; each value is its instruction's last one
//
// Models live on from block to block. Columns are independent for the encoder, which knows the PCs,
// so with two threads it codes them side by side.
#pragma once

#include "codec/record_codec.h"

namespace vestige::mix {

std::unique_ptr<RecordEncoder> make_column_encoder(const RecordLayout& layout,
                                                   const RecordCodecOptions& options);
Result<std::unique_ptr<RecordDecoder>> make_column_decoder(const RecordLayout& layout,
                                                           ByteView parameters);

}  // namespace vestige::mix
