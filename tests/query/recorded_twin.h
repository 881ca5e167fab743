// Random programs, run by the evaluator's twin and written as full recordings, with every value the
// twin kept: what a history must say, in its plainest form.
#pragma once

#include <map>
#include <memory>

#include "trace/eval/random_program.h"
#include "trace/eval/twin.h"
#include "vestige/values.h"

namespace vestige::sketch {

struct RecordedTwin {
  SketchProgram program;
  std::vector<std::unique_ptr<Twin>> threads;
  std::unique_ptr<Trace> trace;

  // Every row of these statements, thread by thread, by time, in the order of the path.
  std::vector<HistoryRow> rows(const std::vector<StatementRef>& statements) const;
};

// `window_statements`: with an index of windows that long; 0: without.
RecordedTwin record_random(uint64_t seed, uint32_t threads, uint64_t window_statements = 0);

}  // namespace vestige::sketch
