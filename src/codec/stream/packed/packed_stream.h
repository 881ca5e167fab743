// Codec `packed` for streams of 64-bit values: blocks of 64 Ki values, each packed by itself in the
// form that is smallest for it (values.h): dictionary, differences, plain numbers, zstd behind.
//
// Why it works on traces: a loop's values repeat in order, which zstd's matcher sees across the
// whole block; addresses advance by steps; the rest is few distinct values or close ones.
//
// Byte grammar:
//     stream := segments (segments.h) of kPackedBlock values, each a block
//     block  := values (values.h)
//
// Cost: 100–500 million values a second either way, a jump unpacks one block. Memory of a cursor:
// one block, 512 KiB.
#pragma once

#include <memory>

#include "codec/stream_codec.h"

namespace vestige {

inline constexpr size_t kPackedBlock = 64 * 1024;

std::unique_ptr<StreamEncoder> make_packed_stream_encoder();
Result<std::unique_ptr<StreamCursor>> open_packed_stream(ByteView bytes);

}  // namespace vestige
