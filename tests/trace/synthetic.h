// Small programs made by hand, runs of them made at random, and the traces of those runs: with
// everything a test wants to compare against kept in its plainest form.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "store/chunks.h"
#include "vestige/trace.h"

namespace vestige::synthetic {

// A path found by plain enumeration: starts in segment order, edges in order, depth first. Its
// place in the list is its number.
struct PlainPath {
  std::vector<uint32_t> segments;
  uint32_t cut_target = kNone;  // segment, when a cut edge ended it
};
std::vector<PlainPath> enumerate_paths(const Function& function);

struct Program {
  std::vector<Function> functions;
  std::vector<std::vector<PlainPath>> paths;  // per function
  std::vector<uint32_t> first_path;           // per function

  uint32_t function_of(uint32_t id) const;
  const PlainPath& path(uint32_t id) const;
  const Segment& first_segment(uint32_t id) const;
  const Segment& last_segment(uint32_t id) const;
  bool enters(uint32_t id) const;
  bool leaves(uint32_t id) const;
  std::vector<uint32_t> blocks(uint32_t id) const;      // begun, in order
  std::vector<uint32_t> statements(uint32_t id) const;  // executed, pseudo ones left out
};
// main: a loop with a call that may come back twice over (normally, or at a landing pad), a
// synchronization operation and a plain way round. leaf: a diamond. recurse: calls. hop: a tail
// call.
Program make_program();

// What a thread did. Events come after the path of their time.
struct Run {
  std::vector<uint32_t> paths;  // path with time t is paths[t - 1]
  std::vector<Event> events;
};
struct RunOptions {
  size_t paths = 1000;
  uint32_t max_depth = 20;
  double unwind = 0.01;       // chance that a call ends by an exception
  bool outer_frames = false;  // begins in the middle: activations that were there before
};
Run make_run(const Program& program, const RunOptions& options, std::mt19937& random);

// The call stack after `time` paths and the events at that time, replayed from the beginning.
std::vector<Frame> plain_stack(const Program& program, const Run& run, uint64_t time);
// All of them, for every time from 0; quadratic in memory, for small runs.
std::vector<std::vector<Frame>> plain_stacks(const Program& program, const Run& run);

std::vector<ControlChunk> make_chunks(const Program& program, uint32_t thread, const Run& run,
                                      const std::vector<uint64_t>& first_times);
// Random chunk starts, time 1 among them.
std::vector<uint64_t> random_cuts(size_t paths, size_t chunks, std::mt19937& random);

struct TraceFile {
  Program program;
  std::vector<Run> runs;                          // per thread
  std::vector<std::vector<ControlChunk>> chunks;  // per thread
  // Of a full recording: per thread what it was told (in chunks of its own), and the addresses.
  std::vector<std::vector<ToldValue>> told;
  std::vector<std::vector<uint64_t>> addresses;  // AddressChunk::functions
  std::vector<std::vector<SyncRow>> syncs;       // per thread
  std::vector<uint32_t> untold;                  // threads that have no chunk of told values
  std::vector<uint32_t> handlers;                // threads that interrupted the first one
  std::string path;
};
// Writes program and chunks as a complete trace; `finish` false leaves it as a crash would.
void write_trace(const TraceFile& trace, bool finish = true);
// A name in the test's temporary folder, not used before.
std::string temporary_name();
// Two threads, several chunks, written.
TraceFile make_trace(uint32_t seed, RunOptions options = {}, size_t chunks = 5);

Bytes read_file(const std::string& path);
void write_file(const std::string& path, ByteView bytes);

}  // namespace vestige::synthetic
