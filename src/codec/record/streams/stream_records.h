// The record codec `streams`: each column of a block through a stream codec, the one the user named
// or, without a name, the one select_stream_codec finds smallest for that column of that block.
//
// Byte grammar:
//     parameters := u8: the stream codec's number, 0 when each column has its own
//     block      := column*                       one per field of the layout
//     column     := u8 stream codec, varint size, `size` bytes (stream_codec.h): as many values as
//                   the block has rows
// Blocks stand alone; nothing is carried over. Cost: the stream codec's; a block has at most
// kStreamRows rows, so that grammars and dictionaries see far, and memory stays at a few such
// columns.
#pragma once

#include "codec/record_codec.h"
#include "codec/stream_codec.h"

namespace vestige {

inline constexpr size_t kStreamRows = 4 * 1024 * 1024;

// Fails (usage) when options.stream_codec is no codec's name.
Result<std::unique_ptr<RecordEncoder>> make_streams_encoder(const RecordLayout& layout,
                                                            const RecordCodecOptions& options);
Result<std::unique_ptr<RecordDecoder>> make_streams_decoder(const RecordLayout& layout,
                                                            ByteView parameters);

// One column of such a block, for codecs that have some of theirs this way.
void write_stream_column(StreamCodec codec, std::span<const uint64_t> values, ByteWriter& out);
Result<void> read_stream_column(ByteReader& in, const RecordField& field, size_t rows,
                                std::vector<uint64_t>& column);

}  // namespace vestige
