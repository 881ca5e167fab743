// What an open trace consists of. Immutable after open, except the path table, which fills itself;
// a trace that is followed grows between its owner's reads.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "store/reader.h"
#include "trace/open_grammars.h"
#include "trace/path_table.h"
#include "trace/program_table.h"
#include "vestige/trace.h"

namespace vestige {

// A control chunk of a thread, as the directory lists it.
struct ChunkPlace {
  size_t row = 0;
  uint64_t offset = 0;  // in the file, for messages
  uint64_t first_time = 1;
  uint64_t path_count = 0;
  bool has_events = false;  // lets readers of events leave the chunk's pages alone
  uint64_t end_time() const { return first_time + path_count; }  // one past its last path
};

// All but the program, as its chunks list it.
struct TraceParts {
  std::vector<std::pair<std::string, std::string>> meta;
  std::vector<ProcessInfo> processes;
  std::vector<ThreadInfo> threads;
  std::vector<AddressChunk> addresses;  // as they came
  std::vector<size_t> value_rows;       // of the directory: chunks of told values, all threads
  std::vector<size_t> sync_rows;        // chunks of synchronization operations, all threads
  std::vector<size_t> memory_rows;      // the same of memory that changed hands
  std::vector<size_t> access_rows;      // chunks of accesses (represent), all threads
  std::vector<size_t> index_rows;       // sync indexes (represent), all threads
  std::vector<size_t> wet_rows;         // chunks of a stored WET but control (store/wet_chunk.h)
  std::vector<std::vector<ChunkPlace>> chunks;  // per thread, by rising time, not overlapping
};

struct Trace::State : TraceParts {
  State(std::string file, StoreReader store, ProgramTable program, TraceParts parts)
      : TraceParts(std::move(parts)),
        file(std::move(file)),
        store(std::move(store)),
        program(std::move(program)),
        paths(this->program) {}

  std::string file;
  StoreReader store;
  ProgramTable program;
  PathTable paths;
  OpenGrammars grammars;

  // The chunk's sections; checks that it is what the directory says.
  Result<ControlChunk::View> view(uint32_t thread, size_t chunk) const;
  // Its words. Grammars are decoded once for all that read them at the same time.
  Result<WordCursor> words(const ChunkPlace& place, const ControlChunk::View& view) const;
  // Its events; checks that their times rise and lie within the chunk.
  Result<std::vector<Event>> events(const ChunkPlace& place, const ControlChunk::View& view) const;
  // The chunk that holds the path with this time; for times outside of all, the one behind.
  size_t chunk_at(uint32_t thread, uint64_t time) const;
  Result<void> check_thread(uint32_t thread) const;
  // Synchronization operations that end no path: all but the atomic ones. kNone: of all threads.
  Result<uint64_t> unseen_syncs(uint32_t thread) const;
  // "prog.vst: control chunk at byte 4096: …"
  Error in_chunk(const ChunkPlace& chunk, const Error& error) const;
  // Whether paths are missing in front of the chunk (damage, or what --last dropped).
  bool hole_before(uint32_t thread, size_t chunk) const {
    const auto& list = chunks[thread];
    return list[chunk].first_time != (chunk == 0 ? 1 : list[chunk - 1].end_time());
  }
};

// The call stack at the start of a chunk, before its events.
Result<std::vector<Frame>> stack_at_chunk(const Trace::State& state, uint32_t thread, size_t chunk);

}  // namespace vestige
