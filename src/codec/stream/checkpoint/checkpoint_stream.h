// Codec `checkpoint`: a stream in small blocks that are decoded whole when a cursor enters them.
// The alternative to stepping on the compressed form (bidirectional_stream.h): backwards costs what
// forwards does, a jump costs one small block.
//
// The idea. Small blocks alone compress badly: each has to learn what the stream looks like. So 16
// blocks of 4,096 values make a segment, and what they have in common is said once per segment: the
// dictionary of its distinct values, and the text of its first four blocks, which the others (each
// by itself) may refer back to through zstd's matcher. That text is the checkpoint: whoever enters
// a segment reads it first, then any block on its own.
//
// Why it works on traces: a program does in a block what it did a little earlier; four blocks hold
// most of the patterns, and the dictionary most of the bits.
//
// Byte grammar:
//     stream  := segments (pack/segments.h) of 65,536 values
//     segment := u8 kind, dictionary if kind = 1, block size*, block*
//     kind    := 0: each block is `values` (pack/values.h)
//                1: each block is u8 form, body
//     dictionary := `values`: the segment's distinct values in ascending order
//     block size := varint bytes of a block; none for the last one, which takes what is left
//     form    := 0 `values`: the block's values; not in the first four blocks of a segment
//                1 `values`: the block's indices into the dictionary
//                2 a zstd frame of the block's index text, its prefix being the index text of the
//                  blocks before it in the segment, of the first four at most
//     index text := one byte an index when the dictionary has at most 256 values, otherwise two,
//                little-endian
// A block holds 4,096 values, the last one of a segment as many as are left.
//
// Cost: 200–600 million values a second either way. A jump: one block (5–10 µs), and the dictionary
// and the text of up to four blocks when the segment is a new one (10–60 µs). Memory of a cursor:
// 32 KiB for the block, up to 32 KiB of text and 512 KiB of dictionary.
#pragma once

#include <memory>

#include "codec/stream_codec.h"

namespace vestige {

inline constexpr size_t kCheckpointBlock = 4096;
inline constexpr size_t kCheckpointBlocks = 16;  // of a segment
inline constexpr size_t kCheckpointText = 4;     // blocks that later ones refer to
inline constexpr size_t kCheckpointSegment = kCheckpointBlocks * kCheckpointBlock;

std::unique_ptr<StreamEncoder> make_checkpoint_encoder();
Result<std::unique_ptr<StreamCursor>> open_checkpoint(ByteView bytes);

}  // namespace vestige
