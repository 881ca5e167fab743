// Stretches of threads between their synchronization operations, and the synchronization of all
// threads as a message sequence chart.
//
//     auto held = vestige::sync_held(trace, 1, 3);   // from operation 3 of thread 1: it takes a lock
//     auto chart = vestige::sync_chart(trace, {.most_rows = 40});
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vestige/api.h"
#include "vestige/sync.h"

VESTIGE_API_BEGIN
namespace vestige {

// From one operation of a thread to another.
struct SyncStretch {
  uint32_t thread = 0;
  std::optional<SyncOperation> from, to;  // none: the thread's beginning, or its end
  // Of the paths between; none when the last is below the first.
  uint64_t first_time = 1, last_time = 0;
  std::vector<SyncOperation> operations;  // between the two, without them
};

// The thread's operation with this number and its place in the order of all threads, from 1.
// Nothing when it has none. Reads what holds it, not what comes before.
struct SyncNth {
  SyncOperation operation;
  uint64_t place = 0;
};
Result<std::optional<SyncNth>> sync_nth(const Trace& trace, uint32_t thread, uint64_t number);

// Segment M: what the thread ran between its M-th operation and the next one; 0: before the first.
// ErrorKind::missing when it has not so many.
Result<SyncStretch> sync_segment(const Trace& trace, uint32_t thread, uint64_t number);

// From the thread's M-th operation, which takes a lock, to the one by which it gives it back:
// nested operations are included, and so are those of recursive locks. ErrorKind::usage when that
// operation takes none.
Result<SyncStretch> sync_held(const Trace& trace, uint32_t thread, uint64_t number);

// A chart has a lifeline for each thread and one for the memory that holds the locks. Giving
// something is a message to memory, taking it one from there: of each object, the k-th unlock is
// its k-th message out and the k-th lock the k-th in.
//
// It stays readable: operations of one thread that follow each other are one row, and when there
// are more rows than wanted, a row is a stretch of the order with how often each thread did
// something in it.
struct SyncChart {
  struct Cell {
    uint32_t thread = 0;
    uint64_t operations = 0, gives = 0, takes = 0;
    // Of the first and last one; told when there are at most two.
    std::vector<std::string> texts;
  };
  struct Row {
    uint64_t first = 0, last = 0;  // in the order, from 1
    std::vector<Cell> cells;       // by thread
  };
  std::vector<uint32_t> threads;  // that have operations, by number
  uint64_t operations = 0;        // of the stretch that was wanted
  bool collapsed = false;         // rows are stretches
  std::vector<Row> rows;
};

struct SyncChartOptions {
  uint64_t first = 1, last = UINT64_MAX;  // in the order
  uint64_t most_rows = 60;
};
Result<SyncChart> sync_chart(const Trace& trace, const SyncChartOptions& options);

// Whether an operation is a message to memory, or one from there.
bool sync_gives(SyncKind kind);
bool sync_takes(SyncKind kind);

}  // namespace vestige
VESTIGE_API_END
