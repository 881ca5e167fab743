// Codec `context`: each word predicted from the three before it; what was predicted costs a bit or
// less, the rest an index into the block's dictionary of the words that were not.
//
// Why it works on traces: given the last few paths the next one is the same as last time in 80–97 %
// of the cases, and one of the last two in 92–99 %. So almost all of a stream is one flag per word,
// and the flags are skewed enough for zstd's Huffman stage to bring them well below a bit.
//
// The predictor is a direct-mapped table of 2^14 pairs (latest, the one before), indexed by a hash
// of the three previous words (0 before the start of a block). Block 0 starts with an empty table;
// every later block starts with the table as block 0 left it. So any block decodes after block 0
// alone, pays for no training of its own, and the blocks are encoded in parallel.
//
//     hash(a, b, c) = (a·K + rotl32(b·K, 13) + rotl32(c·K, 23)) >> 18,  K = 0x9e3779b1
//                      a the word just before, b and c the ones before that; 32-bit arithmetic
//     coding word w with pair (p, q): w = p       flag 0
//                                     w = q ≠ p   flag 1, second flag 0; pair becomes (w, p)
//                                     otherwise   flag 1, second flag 1, miss; pair becomes (w, p)
//
// Byte grammar (docs/format.md, "Word codecs"):
//     stream  := varint words, size*, block*          one size (varint) per block
//     block   := varint f, varint s, varint m, varint d, varint entries, u8 width, then four zstd
//                frames of f, s, m and d bytes:
//                flags       one bit a word
//                seconds     one bit per flag that is 1
//                misses      `width` bytes (1, 2 or 4) per second that is 1: index of the word
//                dictionary  `entries` svarints: a word minus the one before (the first: minus 0),
//                            in order of first use as a miss
// Bits are least significant first, padded with 0 to a byte. An empty section is 0 bytes long.
//
// Invariants: 1. Every block but the last holds kWordBlock words. 2. Every miss is below `entries`.
// A decoder refuses anything else; it never reads outside its buffers whatever the bytes.
//
// Cost: 1–2 ns a word to encode and 4 ns to decode, plus zstd level 1 on what is left. Memory: two
// tables of 128 KiB and one block, per thread that encodes or decodes.
//
// Related: the FCM predictors of the VPC paper (section 3), with the two values per line of its
// DFCM; here one table is shared by all paths, and flags take the place of predictor codes.
#pragma once

#include <memory>

#include "codec/word_codec.h"

namespace vestige {

std::unique_ptr<WordEncoder> make_context_encoder(WorkerPool* pool);
Result<std::unique_ptr<WordCursor::Blocks>> open_context_blocks(ByteView bytes);

}  // namespace vestige
