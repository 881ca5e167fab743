// The payload of each kind of chunk, as a value, with its encoder and decoder. The byte grammars
// are in docs/format.md. Decoders accept any bytes and fail cleanly.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "codec/stream_codec.h"
#include "codec/word_codec.h"
#include "program/told_value.h"
#include "store/format.h"
#include "vestige/program.h"
#include "vestige/result.h"
#include "vestige/sync_kind.h"

namespace vestige {

// Ordered text pairs about the whole recording: "vestige", "what", "command", "host", "filters" …
struct MetaChunk {
  std::vector<std::pair<std::string, std::string>> entries;
  Bytes encode() const;
  static Result<MetaChunk> decode(ByteView payload);
};

// A program image: a process between two execs.
struct ProcessChunk {
  uint32_t index = 0;
  uint32_t pid = 0;
  uint32_t parent_pid = 0;
  uint32_t forked_from = kNone;  // process index, when it came by fork
  std::string executable;
  std::vector<std::string> arguments;
  Bytes encode() const;
  static Result<ProcessChunk> decode(ByteView payload);
};

// An executable's or library's program table. Path ids are unique in the trace; processes that
// load the same file share one module.
struct ModuleChunk {
  struct Entry {
    uint32_t first_path = 0;
    Bytes record;  // program/record.h
  };
  uint32_t index = 0;
  std::string name;
  uint64_t load_address = 0;
  uint32_t first_path = 0;
  uint32_t path_count = 0;
  std::vector<Entry> functions;
  Bytes encode() const;  // zstd inside
  static Result<ModuleChunk> decode(ByteView payload);
};

// Where the loader put what a module's functions name: for each function, in the module's order,
// its own address (0: it cannot tell who called it) and those of its symbols. Processes that have
// the module elsewhere have other tables; who has which is in the events of loads.
struct AddressChunk {
  uint32_t module = 0;
  uint64_t load_address = 0;
  std::vector<std::vector<uint64_t>> functions;
  std::optional<uint32_t> table;  // its number; nothing in files where tables were not told apart
  Bytes encode() const;           // zstd inside
  static Result<AddressChunk> decode(ByteView payload);
};

// The told values of one thread, in the order they came up.
struct ValuesChunk {
  uint32_t thread = 0;
  uint64_t count = 0;
  Bytes rows = {};  // value_rows.h
  // Of a chunk without values: those of paths up to this time are in the file, if any were told.
  uint64_t complete = 0;
  Bytes encode() const;
  static Result<ValuesChunk> decode(ByteView payload);
};

// Synchronization operations of one thread, in order.
struct SyncRow {
  SyncKind kind = SyncKind::mutex_lock;
  uint32_t result = 0;
  uint64_t time = 0;  // paths completed before it
  uint64_t stamp = 0;
  uint64_t object = 0;
  uint64_t other = 0;  // of some kinds (sync_rows.h)
  bool operator==(const SyncRow&) const = default;
};
struct SyncChunk {
  bool memory = false;  // a chunk of the kind memory: the same with other operations
  uint32_t thread = 0;
  uint64_t first = 0;  // operations of the thread before this chunk
  uint64_t count = 0;
  uint64_t atomics = 0;  // of those, atomic ones: paths tell of them too
  uint64_t last_time = 0;
  Bytes rows;  // sync_rows.h
  Bytes encode() const;
  static Result<SyncChunk> decode(ByteView payload);
  // The same without copying the rows.
  struct View;
  static Result<View> view(ByteView payload);
};
struct SyncChunk::View {
  uint32_t thread = 0;
  uint64_t first = 0, count = 0, atomics = 0, last_time = 0;
  ByteView rows;
};

// Memory accesses of one thread, as `represent` writes them (docs/threads.md). DOR: one stream, of
// accesses in order. CDR: a stream of addresses per access that may touch shared memory.
struct AccessChunk {
  struct Stream {
    uint64_t key = 0;    // CDR: twice the statement's #ID, plus 1 where it writes; they rise
    uint64_t count = 0;  // of accesses
    uint64_t base = 0;   // added to each value
    StreamCodec codec = StreamCodec::runs;
    std::shared_ptr<const Bytes> bytes;  // where several streams have the same, they share them
  };
  uint32_t thread = 0;
  std::vector<Stream> streams;
  Bytes encode() const;
  static Result<AccessChunk> decode(ByteView payload);
};

struct ThreadChunk {
  uint32_t index = 0;
  uint32_t process = 0;
  uint32_t tid = 0;
  format::ThreadKind kind = format::ThreadKind::thread;
  uint32_t parent = kNone;   // thread that created it, was forked, or was interrupted
  uint64_t parent_time = 0;  // paths the parent had completed
  uint64_t handle = 0;       // what pthread_self() gives in it; 0: not known
  Bytes encode() const;
  static Result<ThreadChunk> decode(ByteView payload);
};

struct EndChunk {
  bool is_process = false;  // otherwise a thread
  uint32_t index = 0;
  format::EndReason reason = format::EndReason::unknown;
  int32_t status = 0;
  uint64_t paths = 0;  // threads: completed in all
  Bytes encode() const;
  static Result<EndChunk> decode(ByteView payload);
};

// An activation on the call stack: the last path it completed (which ends in the call that is
// pending), and when. An activation that was there before recording began has the first path seen
// of it; one about which nothing is known is not listed.
struct Frame {
  uint32_t path = 0;
  uint64_t time = 0;
  bool operator==(const Frame&) const = default;
};

// The call stack as a change: keep the `keep` outermost frames of what was, then push `frames`.
struct StackChange {
  uint64_t keep = 0;
  std::vector<Frame> frames;
  bool operator==(const StackChange&) const = default;
};

struct Event {
  format::EventKind kind = format::EventKind::abandoned;
  uint64_t time = 0;  // paths completed before it
  // resync
  format::ResyncReason reason = format::ResyncReason::unwound;
  StackChange stack;
  // The numbers of the other kinds, in the order docs/format.md lists for each: module; signal, pc,
  // fault address, registers; signal, interrupted thread, its time; pthread id; pid; count.
  std::vector<uint64_t> numbers;
  bool operator==(const Event&) const = default;
};

// A stretch of one thread's paths. It decodes alone: `stack` turns the call stack at the start of
// the thread's previous control chunk into that at the start of this one, so the stack at any chunk
// is found from the small stack parts alone, without decoding paths.
struct ControlChunk {
  uint32_t thread = 0;
  uint64_t first_time = 1;  // time of the first path
  uint64_t path_count = 0;
  StackChange stack;
  // Activations on the stack before each further block of kWordBlock paths, and before the events
  // at that time: so a walk that enters a chunk in its middle knows its depth at once.
  std::vector<uint64_t> depths;
  std::vector<Event> events;
  WordCodec codec = WordCodec::packed;
  Bytes words;  // codec output

  Bytes encode() const;
  static Result<ControlChunk> decode(ByteView payload);
  // The same without copying the words, for readers that keep the file mapped.
  struct View;
  static Result<View> view(ByteView payload);
};

struct ControlChunk::View {
  uint32_t thread = 0;
  uint64_t first_time = 1;
  uint64_t path_count = 0;
  WordCodec codec = WordCodec::packed;
  ByteView stack, events, words;  // the three sections, still encoded
};
struct StackSection {
  StackChange change;
  std::vector<uint64_t> depths;
};
Result<StackSection> decode_stack(ByteView section);
Result<std::vector<Event>> decode_events(ByteView section);

// One row per chunk of the file, plus what a reader wants before it reads any of them.
struct DirectoryChunk {
  struct Row {
    format::ChunkKind kind = format::ChunkKind::meta;
    uint64_t offset = 0;  // of the chunk header
    uint64_t payload_size = 0;
    uint32_t thread = kNone;  // control chunks
    uint64_t first_time = 0;
    uint64_t path_count = 0;
    uint64_t stack_bytes = 0, event_bytes = 0, word_bytes = 0;
  };
  std::vector<Row> rows;
  Bytes encode() const;
  static Result<DirectoryChunk> decode(ByteView payload);
};

}  // namespace vestige
