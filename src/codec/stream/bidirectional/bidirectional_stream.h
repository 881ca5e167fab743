// The bidirectional codecs fcm1 … last8_stride as streams: segments, differences, cursors.
//
// A stream is cut into segments of a fixed number of values, each compressed by itself (fcm_walk.h,
// last_walk.h), so that a jump is: find the segment, load it, step. Segment beginnings are the
// checkpoints; at one, all state is what the segment's bytes say. Within a segment a cursor steps
// both ways on the compressed form. It keeps the segment it came from beside the one it is in, so
// going to and fro over a boundary costs nothing; going backwards into a segment not at hand costs
// one walk through it first.
//
// Spacing: 65,536 values for FCM and DFCM, 16,384 for last-n. Tables start empty in each segment.
// On load values and store addresses of real programs, cut by PC, FCM segments four times as long
// are less than 1 % smaller; for whole columns 10–20 %, at four times the time of a jump and the
// memory of a cursor. Last-n learns at once, so its segments are shorter.
//
// The `d` of DFCM and the stride versions of last-n predict differences: number = value − value
// before, modulo 2^64. A cursor knows the value at its position, so it adds going forwards and
// subtracts going backwards; a segment says which value precedes it.
//
// Byte grammar:
//     stream  := segments (pack/segments.h)
//     segment := [varint value before it: difference codecs, all segments but the first], body
//     body    := fcm_walk.h or last_walk.h
//
// Cost: see the walks; a jump is half a segment of steps, 0.1–0.5 ms where a stream is that long,
// and loading it. Memory of a cursor: two segments' walks at most, whatever the stream's length:
// for FCM up to 0.5 MiB of tables and 1 MiB of entries each, for predictable streams a few KiB.
#pragma once

#include <memory>

#include "codec/stream_codec.h"

namespace vestige {

// `codec` must be one of fcm1 … last8_stride.
std::unique_ptr<StreamEncoder> make_bidirectional_encoder(StreamCodec codec);
Result<std::unique_ptr<StreamCursor>> open_bidirectional(StreamCodec codec, ByteView bytes);

}  // namespace vestige
