// The rows of a set of statements in one thread, in order, piece by piece.
//
// Sets of prompt statements are read straight from the evaluator. For others the paths are
// followed, and rows behind one that waits are held back. A row may wait for long (main calls the
// function that does everything): past most_held rows, what the oldest one waits for is looked up
// by a second evaluation that runs ahead and keeps nothing but what came late by more than `far`
// paths. So memory is bounded, and no path is evaluated more than twice.
//
// One owner thread.
#pragma once

#include <memory>
#include <vector>

#include "query/rows/statement_set.h"
#include "trace/eval/observer.h"
#include "trace/windows/windows.h"

namespace vestige {

class RowSource {
 public:
  virtual ~RowSource() = default;
  // Appends the next rows, at least one. False: there are no more.
  virtual Result<bool> read(std::vector<Observation>& rows) = 0;
};

struct RowRange {
  uint32_t thread = 0;
  size_t first_window = 0;
  uint64_t first_time = 0;          // rows before it are left out
  uint64_t last_time = UINT64_MAX;  // and those behind it
  uint64_t horizon = UINT64_MAX;    // what comes more paths late than this stays unknown
  size_t most_held = 1 << 19;
  uint64_t far = 1 << 12;
  // Gets what calls of library functions did, in order: of every path that is not behind the rows
  // read.
  std::vector<Transfer>* transfers = nullptr;
};

// From the recording, or from the stored whole execution trace (query/wet/open.cpp decides). The
// trace, windows and set must outlive the source.
Result<std::unique_ptr<RowSource>> open_rows(const Trace& trace, const Windows& windows,
                                             const StatementSet& set, const RowRange& range);

// The same, always by an evaluation.
Result<std::unique_ptr<RowSource>> open_evaluated_rows(const Trace& trace, const Windows& windows,
                                                       const StatementSet& set,
                                                       const RowRange& range);

// Whether a window executes anything of the set; true where that is not worth asking.
Result<bool> window_matters(const Windows& windows, const StatementSet& set, uint32_t thread,
                            size_t window);

}  // namespace vestige
