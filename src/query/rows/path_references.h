// A thread's paths, each with the memory references it makes, in order; rounds of a loop all at
// once where that can be done.
//
//     while (paths.next()) {
//       … paths.path(), paths.references() …
//       if (paths.go_round()) … the same path paths.rounds() times more, reference r moved by
//       paths.steps()[r] each time …
//     }
//
// The same of rounds of a loop with loops inside: each is a row of runs, a path so many times.
//
// Paths are evaluated as they are given, one pass over everything. Where statements are shown late
// (row_source.h) references are read beside the paths, and nothing is given at once.
//
// One owner thread.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "query/rows/reference_source.h"

namespace vestige {

class PathReferences {
 public:
  virtual ~PathReferences() = default;

  // Of a thread that has values; the source must outlive it, and is not to be used by others until
  // the end. `each`: never goes round at once, and reads what is recorded in the other way.
  static Result<std::unique_ptr<PathReferences>> open(const Trace& trace, ReferenceSource& source,
                                                      uint32_t thread, bool each = false);

  // Of a trace that grows (Trace::catch_up), again and again: everything up to this path is there,
  // and next() gives no further one.
  virtual Result<void> go_on_until(uint64_t time) = 0;
  // Goes to the next path; false: there are no more.
  virtual Result<bool> next() = 0;
  virtual const Path& path() const = 0;
  virtual uint64_t time() const = 0;  // of the path, or of the last of the rounds
  std::span<const Reference> references() const { return made_; }
  // The references are those that this path made when it last came, but for their addresses. False:
  // perhaps.
  bool alike() const { return alike_; }
  // Behind next(): goes over paths that are the same again. How many, `most` at most; 0: they are
  // to be taken one by one.
  virtual uint64_t go_round(uint64_t most) = 0;
  std::span<const uint64_t> steps() const { return steps_; }
  // A path so many times, in the first of the rounds. References of the first time, moved by
  // `inner` from time to time, all of that by `outer` and the number of times by `times_step` from
  // round to round.
  struct Run {
    const Path* path = nullptr;
    uint64_t times = 1, times_step = 0;
    std::vector<Reference> references;
    std::vector<uint64_t> inner, outer;
  };
  // Behind next(): goes over rounds of several paths, each with the same runs, that end with this
  // path. How many rounds; `most` is of paths.
  virtual uint64_t go_over_nest(uint64_t most) = 0;
  std::span<const Run> runs() const { return runs_; }
  // Rows of any paths: Evaluator::find_rows and what follows it.
  virtual uint64_t find_rows(uint64_t /*most*/) { return 0; }
  virtual void begin_row_proof() {}
  virtual bool end_row_proof() { return false; }
  virtual uint64_t go_over_rows(uint64_t /*most*/, uint64_t /*multiple*/) { return 0; }
  virtual void give_up_rows() {}
  // How many references had no known address and were left out, so far.
  virtual uint64_t unknown() const = 0;
  // Where the recording contradicted itself, so far (trace/eval/problem.h).
  virtual uint64_t problems() const = 0;

 protected:
  std::span<const Reference> made_;
  bool alike_ = false;
  std::vector<uint64_t> steps_;
  std::vector<Run> runs_;
};

}  // namespace vestige
