// The plainest codec that has what the container must cope with: a state that goes on from block to
// block (each value as its difference from the one before in its column, a varint), parameters, and
// blocks as small as a test wants them. Its levels are block sizes: 1 is 7 rows, 9 is 50,000.
#pragma once

#include "archive/codec_set.h"
#include "archive/compression.h"
#include "archive/decompression.h"

namespace vestige {

CodecSet delta_codecs();

// Through memory; the format and the level are the options'.
Bytes compressed(ByteView raw, const CompressOptions& options,
                 const CodecSet& codecs = delta_codecs());

struct Decompressed {
  Bytes bytes;
  std::string problem;  // or the error
  bool opened = false;  // the header could be read
};
Decompressed decompressed(ByteView archive, const CodecSet& codecs = delta_codecs(),
                          const DecompressOptions& options = {.threads = 1});

// Bytes of a fixed seed: runs, counters and noise.
Bytes trace_like(size_t size, uint64_t seed);

}  // namespace vestige
