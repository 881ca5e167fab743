// What a representation knows of accesses besides their addresses (docs/format.md, "access
// details").
//
// The n-th address of a load or store is that of its n-th execution, and the program says how many
// bytes it has. Where that is not so, columns here say it, a number for each access:
//
//   addresses  of library functions, which have no stream among the accesses
//   sizes      where the program does not tell
//   times      of the path that does it, each minus the one before (the first: minus 0); where
//              executions do not tell
//   delays     paths from there to the one behind which it counts; of library functions
#pragma once

#include <array>
#include <vector>

#include "store/chunks.h"

namespace vestige {

// A chunk kind since minor 1.
inline constexpr format::ChunkKind kAccessDetailsChunk{16};

struct AccessDetailsChunk {
  enum Column : uint8_t { addresses, sizes, times, delays };
  static constexpr size_t kColumns = 4;
  struct Encoded {
    StreamCodec codec = StreamCodec::packed;
    std::shared_ptr<const Bytes> bytes;  // null: no such column
  };
  struct Stream {
    uint64_t key = 0;    // as of AccessChunk; they rise
    uint64_t count = 0;  // of accesses
    std::array<Encoded, kColumns> columns;
  };
  uint32_t thread = 0;
  uint64_t unknown = 0;  // accesses of the thread whose address nobody knows
  std::vector<Stream> streams;

  Bytes encode() const;
  static Result<AccessDetailsChunk> decode(ByteView payload);
};

}  // namespace vestige
