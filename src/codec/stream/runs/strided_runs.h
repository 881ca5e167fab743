// A stream of runs, run by run: where a run starts, its stride, how many values it has.
//
// A lone difference (count 1) followed by a run of at least two is how a sweep begins: jump to its
// first value, then go on in strides. The two are one strided run here, the jump's value its start.
// So 10, 14, 18, 22, 42 is (10, 4, 4) (42, 0, 1), and a sub-grid of a matrix is one run a row. A
// value alone has the stride 0.
//
// Which differences belong together is told from the two at hand, so moving backwards meets the
// same runs. A step costs what one or two steps of a GrammarCursor do.
#pragma once

#include <cstdint>

#include "codec/sequitur/grammar_cursor.h"
#include "codec/stream/runs/runs_stream.h"

namespace vestige::section {

struct StridedRun {
  uint64_t position = 0;  // of its first value in the stream
  uint64_t start = 0;
  uint64_t stride = 0;  // modulo 2^64
  uint64_t count = 0;
  bool operator==(const StridedRun&) const = default;
};

// The runs must outlive the cursor, which belongs to one thread.
class StridedRunCursor {
 public:
  explicit StridedRunCursor(const RunsGrammar& runs) : runs_(runs), cursor_(runs.grammar()) {}

  // Each gives the run it moves over, and false at the end (or beginning).
  bool next(StridedRun& run);
  bool prev(StridedRun& run);
  // Before the run that has the value at `position`, or to the end; false, without moving, beyond.
  bool seek(uint64_t position);

 private:
  const DifferenceRun& ahead() const { return runs_.run(cursor_.terminal()); }
  void step(const DifferenceRun& run);
  DifferenceRun step_back();

  const RunsGrammar& runs_;
  sequitur::GrammarCursor cursor_;
  uint64_t position_ = 0;
  uint64_t value_ = 0;  // before the cursor
};

}  // namespace vestige::section
