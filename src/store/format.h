// What is on disk, frozen: docs/format.md is the specification, this header its C++ spelling.
// Explicit values, explicit widths, little-endian. Changing anything here means a new version.
#pragma once

#include <cstdint>

namespace vestige::format {

inline constexpr uint8_t kFileMagic[8] = {0x89, 'V', 'S', 'T', '\r', '\n', 0x1a, '\n'};
inline constexpr uint16_t kMajor = 1;  // readers refuse another major
inline constexpr uint16_t kMinor = 0;  // readers ignore chunk kinds and meta keys they do not know
inline constexpr uint32_t kChunkMagic = 0x4b484356;            // "VCHK"
inline constexpr uint64_t kTrailerMagic = 0x00444e4554535600;  // "\0VSTEND\0"

// Offset 0. `checksum` covers the bytes before it.
struct FileHeader {
  uint8_t magic[8];
  uint16_t major, minor;
  uint32_t flags;        // 0
  uint8_t trace_id[16];  // random
  uint64_t started;      // nanoseconds since 1970, UTC
  uint8_t reserved[16];  // 0
  uint64_t checksum;
};
static_assert(sizeof(FileHeader) == 64);

enum class ChunkKind : uint16_t {
  meta = 1,
  process = 2,
  module = 3,
  thread = 4,
  control = 5,
  end = 6,
  directory = 7,
  addresses = 8,     // since minor 1
  values = 9,        // since minor 1
  sync = 10,         // since minor 1
  memory = 11,       // since minor 1
  descriptors = 12,  // memory references as descriptors (docs/spmd.md)
  accesses = 13,     // of representations (docs/represent.md)
};

// Before every chunk's payload, at a multiple of 8. `header_checksum` covers the bytes before it
// and, as if they stood in front, the file's trace id: a chunk of another file does not pass.
struct ChunkHeader {
  uint32_t magic;
  ChunkKind kind;
  uint16_t flags;  // 0
  uint64_t payload_size;
  uint64_t sequence;  // 0, 1, 2 … in file order; gaps only where --last dropped chunks
  uint64_t payload_checksum;
  uint64_t header_checksum;
};
static_assert(sizeof(ChunkHeader) == 40);

// The last 32 bytes of a complete file.
struct Trailer {
  uint64_t directory_offset;  // of the directory chunk's header
  uint64_t file_size;
  uint64_t magic;
  uint64_t checksum;  // of the bytes before it
};
static_assert(sizeof(Trailer) == 32);

enum class ThreadKind : uint8_t { thread = 0, handler = 1 };

enum class EndReason : uint8_t {
  exited = 0,   // thread returned or process exited; status: exit code
  killed = 1,   // status: signal
  execed = 2,   // replaced by another program image
  stopped = 3,  // the recorder stopped first: size cap, interrupt
  unknown = 4,  // it was gone when the recorder looked
};

// Events of a thread, between paths. `time` of an event is the number of paths completed before it.
enum class EventKind : uint8_t {
  resync = 1,  // the call stack changed by other means than call and return
  module_load = 2,
  module_unload = 3,
  fatal_signal = 4,
  handler_begin = 5,
  handler_end = 6,
  abandoned = 7,  // the path in progress was left in its middle
  thread_create = 8,
  thread_join = 9,
  fork = 10,
  unregistered = 11,  // paths of code that was not registered yet ran here
};

enum class ResyncReason : uint8_t {
  unwound = 0,   // an exception or longjmp: frames above were left
  gap = 1,       // --start/--stop: what ran meanwhile was not recorded
  switched = 2,  // swapcontext: the thread goes on on another stack, of which nothing is known
};

}  // namespace vestige::format
