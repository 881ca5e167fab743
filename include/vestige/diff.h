// Two runs of the same program: where do they first part, and how?
//
//     auto diff = vestige::diff_runs(a, b);
//     for (const vestige::ThreadDiff& thread : diff->threads) if (thread.control) …
//
// Threads are paired by their order. Up to the first path that differs the two are compared path by
// path; of full recordings, values too. Where things lie is no difference (docs/queries.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "vestige/api.h"
#include "vestige/query.h"
#include "vestige/trace.h"

VESTIGE_API_BEGIN
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

// An execution in both runs whose value differs.
struct ValueDifference {
  uint64_t time = 0;  // of the path that executes it
  // Of the path during which the value came into being: that of a call when it returned, before
  // anything that this path does itself.
  uint64_t made = 0;
  StatementRef statement;  // in A
  uint64_t instance = 0;   // 0: not wanted (DiffOptions::why)
  std::optional<uint64_t> a, b;
  WideRef wide_a, wide_b;  // values that are not simple
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
  // The earliest value that differs, and the latest, by when they came into being; in what both
  // runs did before they part. `last` is wanted with DiffOptions::why only.
  std::optional<ValueDifference> value, last;
  bool values_compared = false;
  // From the branch at which they part (or else from `last`) back to what differed first of all
  // that it was computed from: to `value`, when dependences lead there. Empty where nothing does.
  std::vector<DifferenceStep> why;
  bool why_begins = false;  // the last step is `value`
};

struct RunDiff {
  std::vector<ThreadDiff> threads;  // of those both have
  uint64_t only_a = 0, only_b = 0;  // threads that only one of them has
  bool same() const;
};

struct DiffOptions {
  bool values = true;
  bool why = true;  // ThreadDiff::why, which takes a slice or two
};

// Fails with `usage` when the two are not of the same program: the functions that ran must have the
// same names and the same paths.
Result<RunDiff> diff_runs(const Trace& a, const Trace& b, const DiffOptions& options = {});

}  // namespace vestige
VESTIGE_API_END
