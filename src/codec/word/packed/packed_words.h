// Codec `packed`: each word as an index into a dictionary of the distinct words, the indices
// packed into a power-of-two number of bits, each block through zstd.
//
// Why it works on traces: a thread runs few distinct paths (thousands among billions), so two
// bytes, often one, name a path; loops make the index stream repeat, which zstd's matcher finds.
// Widths are powers of two so that a repeated run of words is a repeated run of bytes.
//
// Byte grammar (docs/format.md, "Word codecs"):
//     stream     := varint words, varint entries, svarint entry*, row*, block*
//     entry      := this dictionary word minus the one before (the first: minus 0)
//     row        := u8 width, varint size            one per block
//     block      := `size` bytes: a zstd frame of ceil(words in block · width / 8) bytes
// Index i of a block is bits [i·width, (i+1)·width) of its bytes, least significant first.
// Dictionary words stand in order of first use, so blocks are compressed as they fill.
//
// Invariants: 1. width ∈ {1, 2, 4, 8, 16, 32}. 2. Every block but the last holds kWordBlock words.
// 3. Every index is below `entries`. A decoder refuses anything else.
//
// Cost: about 2 ns a word to encode plus zstd level 1 on the indices; decoding is zstd plus a table
// look-up. Memory: the dictionary and one block.
#pragma once

#include <memory>

#include "codec/word_codec.h"

namespace vestige {

std::unique_ptr<WordEncoder> make_packed_encoder();
Result<std::unique_ptr<WordCursor::Blocks>> open_packed_blocks(ByteView bytes);

}  // namespace vestige
