// Two runs of the same program: where do they first part, and how?
//
//     auto diff = vestige::diff_runs(a, b);
//     for (const vestige::ThreadDiff& thread : diff->threads) if (thread.control) …
//
// Threads are paired by their order. Up to the first path that differs the two are compared path by
// path; of full recordings, values too, pointers left out (they differ from run to run).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "vestige/query.h"
#include "vestige/trace.h"

namespace vestige {

struct ControlDifference {
  // What each run did at the time behind the common paths; kNone: nothing more, it had ended.
  struct Side {
    uint32_t function = kNone;
    uint32_t block = kNone;     // the first one in which they differ; kNone: it ended there
    uint32_t location = kNone;  // of that block
  };
  Side a, b;
  // The last block both went through, in the functions of A; its branch is where they parted.
  uint32_t function = kNone, block = kNone;
  bool inside = false;  // that block is in the path in which they part, not in the one before
};

struct ValueDifference {
  uint64_t time = 0;
  StatementRef statement;  // in A
  uint64_t instance = 0;
  std::optional<uint64_t> a, b;
};

// An execution in both runs that did not give the same; the next step is one that it was computed
// from.
struct DifferenceStep {
  StatementRef statement;  // in A
  uint64_t instance_a = 0, instance_b = 0;
  uint64_t time_a = 0, time_b = 0;
  std::optional<uint64_t> a, b;  // none: it has no value, or that is not known
};

struct ThreadDiff {
  uint32_t thread = 0;
  uint64_t common = 0;  // paths
  std::optional<ControlDifference> control;
  std::optional<ValueDifference> value;  // the first, if any, in the common paths
  bool values_compared = false;
  // From the branch at which they part (or, on the same paths, from the first value that differs)
  // back to what differed first, as far as dependences tell; empty where nothing does.
  std::vector<DifferenceStep> why;
};

struct RunDiff {
  std::vector<ThreadDiff> threads;  // of those both have
  uint64_t only_a = 0, only_b = 0;  // threads that only one of them has
  bool same() const;
};

struct DiffOptions {
  bool values = true;
  bool why = true;  // ThreadDiff::why, which takes two slices a step
};

// Fails with `usage` when the two are not of the same program: the functions that ran must have the
// same names and the same paths.
Result<RunDiff> diff_runs(const Trace& a, const Trace& b, const DiffOptions& options = {});

}  // namespace vestige
