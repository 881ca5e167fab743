// The addresses that a cdr keeps of one load or store of a thread, run by run.
#pragma once

#include <memory>

#include "codec/stream/runs/strided_runs.h"
#include "codec/stream_codec.h"
#include "store/chunks.h"
#include "vestige/represent.h"

namespace vestige {

// One owner thread; it keeps the stream's bytes alive.
class PatternCursor {
 public:
  static Result<PatternCursor> open(const AccessChunk::Stream& stream);

  // False at the end, or with error() set: damaged bytes.
  bool next(PatternRun& run);
  const Error* error() const { return numbers_ ? numbers_->error() : nullptr; }

 private:
  explicit PatternCursor(const AccessChunk::Stream& stream)
      : base_(stream.base), bytes_(stream.bytes) {}
  bool next_of_numbers(PatternRun& run);

  uint64_t base_;
  std::shared_ptr<const Bytes> bytes_;
  // Runs, of the codec `runs`.
  std::unique_ptr<const section::RunsGrammar> grammar_;
  std::unique_ptr<section::StridedRunCursor> runs_;
  // Numbers one by one, of other codecs; the one behind the last run was read already.
  std::unique_ptr<StreamCursor> numbers_;
  uint64_t ahead_ = 0;
  bool has_ahead_ = false;
};

// The same addresses in runs that are as long as they can be, from the first address on: what
// RunFolder (query/rows/run_folder.h) makes of them one by one.
class LongestRuns {
 public:
  explicit LongestRuns(PatternCursor cursor) : cursor_(std::move(cursor)) {}
  bool next(PatternRun& run);
  const Error* error() const { return cursor_.error(); }

 private:
  // Whether there is an address ahead.
  bool look();
  uint64_t take();  // it

  PatternCursor cursor_;
  PatternRun ahead_;  // without what was taken
};

}  // namespace vestige
