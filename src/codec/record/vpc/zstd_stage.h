// The general compressor behind `vpc2` (the VPC paper takes gzip): one zstd frame for all blocks,
// flushed at each block's end, so that what one block taught helps the next.
#pragma once

#include "base/bytes.h"
#include "base/zstd_context.h"

namespace vestige::vpc {

class ZstdCompressor {
 public:
  ZstdCompressor();
  // The next part of the frame: everything needed to get `bytes` back.
  Bytes compress(ByteView bytes);

 private:
  ZstdCompression context_;
};

class ZstdDecompressor {
 public:
  ZstdDecompressor();
  // False when the bytes are damaged or give more than `most` bytes.
  bool decompress(ByteView bytes, size_t most, Bytes& out);

 private:
  ZstdDecompression context_;
};

}  // namespace vestige::vpc
