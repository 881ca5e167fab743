// Bytes inside a chunk that compress well, as `squeezed` of docs/format.md:
//     squeezed := 0x00, the bytes                              stored
//               | 0x01, varint raw size, zstd frames           compressed
//
// A reader never expands by more than kSqueezeRatio (plus a small allowance), nor past
// kSqueezeLimit: what a few hostile bytes can make it allocate is bounded. The writer pads what
// would compress better than that with a skippable frame.
#pragma once

#include "base/bytes.h"
#include "vestige/result.h"

namespace vestige {

inline constexpr uint64_t kSqueezeRatio = 64;
inline constexpr uint64_t kSqueezeAllowance = 64 * 1024;
inline constexpr uint64_t kSqueezeLimit = uint64_t{1} << 30;

// `level` is zstd's.
Bytes squeeze(Bytes raw, int level = 3);
// `what` names the thing in the error message.
Result<Bytes> unsqueeze(ByteView squeezed, const char* what);

}  // namespace vestige
