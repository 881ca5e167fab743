// Codec `hybrid`: PCs by a grammar, values by predictors.
//
// The VPC paper's conclusions name it: where a program goes repeats in long pieces, which a grammar
// keeps once (sequitur/), while what it loads and stores follows from the values before
// (record/vpc/). A PC that the grammar tells costs nothing beside the value; codec `vpc` spends a
// bit on it at least.
//
// Byte grammar:
//     parameters := the values' plan (record/vpc/vpc_plan.h)
//     block      := column of PCs?, part*
//     column     := u8 stream codec, varint size, stream       stream_records.h; with a PC field
//     part       := varint size, a block of vpc2 without the PC field   of kVpcBlockRows rows, the last
//                                                               of what is left; none without other
//                                                               fields
// Grammars stand alone, one a block; predictors, codes and the zstd window live on from part to
// part and block to block.
//
// Cost: the grammar's and vpc2's, without the PC's tables. Memory: a block of kStreamRows rows, its
// grammar, and 26.5 MiB of tables for each field beside the PC.
#pragma once

#include "codec/record_codec.h"

namespace vestige {

Result<std::unique_ptr<RecordEncoder>> make_hybrid_encoder(const RecordLayout& layout,
                                                           const RecordCodecOptions& options);
Result<std::unique_ptr<RecordDecoder>> make_hybrid_decoder(const RecordLayout& layout,
                                                           ByteView parameters);

}  // namespace vestige
