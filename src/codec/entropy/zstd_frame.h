// One zstd frame at a time, by contexts that belong to the thread: cursors and encoders are many
// and small, a zstd context is not.
#pragma once

#include <span>

#include "base/bytes.h"

namespace vestige {

inline constexpr int kZstdLevel = 3;

// `prefix` is text that precedes the raw bytes on both sides: matches may reach into it.
Bytes zstd_compress(ByteView raw, ByteView prefix = {});
// Fills `out` exactly; false when the bytes are not a frame of that many.
bool zstd_decompress(ByteView frame, std::span<uint8_t> out, ByteView prefix = {});

}  // namespace vestige
