// Recording: runs a program that vestige-cc compiled (compile.h) and writes its trace.
//
//     auto summary = vestige::record({.output = "prog.vst", .command = {"./prog"}, .full = true});
//     if (summary && summary->recorded) …           // Trace::open("prog.vst")
//
// A failure is one of the recorder's. How the program ended is in the summary, and a program that
// crashed leaves a whole trace.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "vestige/api.h"
#include "vestige/result.h"

VESTIGE_API_BEGIN
namespace vestige {

struct RecordOptions {
  std::string output = "vestige.vst";
  std::vector<std::string> command;  // program and arguments; the program is looked up in PATH
  bool full = false;                 // values and addresses too, not only the paths taken
  bool memory = false;               // with full: it is the addresses that are wanted
  // With full: all values, for verify() to compare, of code compiled with --vestige-check.
  bool check = false;
  bool order = false;  // with full: the order of conflicting accesses of threads, too
  // Shell patterns over function names and source files: only these, and not these.
  std::vector<std::string> include, exclude;
  std::string start;      // record a thread from its first entry into this function …
  std::string stop;       // … until it enters this one; and again at the next start
  uint64_t max_size = 0;  // bytes, at which the program goes on unrecorded; 0: no cap
  uint64_t last = 0;      // keep at least the last N paths of each thread; 0: all
  // Milliseconds that exit() and the return from main wait while other threads are alive.
  uint32_t exit_wait = 1000;
  // Hears, about twice a second, up to which path of a thread everything is in the file, in so many
  // bytes from its beginning (vestige/live_fold.h). Not with `last`.
  std::function<void(uint32_t thread, uint64_t time, uint64_t bytes)> written;
};

struct RecordSummary {
  int exit_status = 0;  // the program's own; 128 + signal when it was killed
  uint64_t file_bytes = 0;
  uint64_t paths = 0;
  uint32_t threads = 0;
  uint32_t processes = 0;
  uint32_t ranks = 0;   // of a parallel run (vestige/record_ranks.h); 0: it is none
  std::string missing;  // which of them were killed or never came; empty when all is there
  // With RecordOptions::order: edges in the file; accesses that lost their place; functions that
  // told their accesses' order, and those that were not compiled for it.
  uint64_t order_edges = 0, order_lost = 0;
  uint32_t orderly = 0, disorderly = 0;
  bool recorded = false;  // false: nothing in it was built with vestige-cc
  bool size_cap_reached = false;
  std::string problem;  // why the file ends early (disk full …); empty when it does not
  std::string warning;  // what the caller may not have meant; empty when there is nothing
};

// Runs the command to its end and returns when the file is complete. Blocks; handles SIGINT and
// SIGTERM by passing them on. Fails before anything runs when the file cannot be created or the
// command is not found.
Result<RecordSummary> record(const RecordOptions& options);

}  // namespace vestige
VESTIGE_API_END
