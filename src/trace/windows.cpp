#include "trace/windows.h"

#include <algorithm>

#include "trace/state.h"

namespace vestige {

WindowEvaluation::WindowEvaluation(std::unique_ptr<ToldValues> told, Evaluator evaluator,
                                   uint64_t last_time)
    : told_(std::move(told)), evaluator_(std::move(evaluator)), last_time_(last_time) {}

Result<uint64_t> WindowEvaluation::run(uint64_t most) {
  const uint64_t left = last_time_ - std::min(last_time_, evaluator_.time());
  auto paths = evaluator_.run(std::min(most, left));
  if (paths && told_->error()) return std::unexpected(*told_->error());
  return paths;
}

Result<Windows> Windows::open(const Trace& trace) {
  Windows all(trace);
  all.addresses_ = addresses_of(trace.state());
  all.windows_.resize(trace.threads().size());
  bool any = false;
  for (uint32_t thread = 0; thread < trace.threads().size(); ++thread) {
    const auto tells = tells_values(trace.state(), thread);
    if (!tells) return std::unexpected(tells.error());
    const ThreadInfo& info = trace.threads()[thread];
    if (!*tells || info.paths == 0) continue;
    any = true;
    all.windows_[thread].push_back({info.first_time, UINT64_MAX});
  }
  if (!any)
    return fail(ErrorKind::unsupported, trace.file() +
                                            ": this trace has control flow only; record with "
                                            "--what memory or --what full");
  return all;
}

Result<WindowEvaluation> Windows::begin(uint32_t thread, size_t window) const {
  auto told = std::make_unique<ToldValues>(trace_->state(), thread);
  EvaluationInputs inputs{&addresses_, told.get()};
  auto evaluator = Evaluator::open(*trace_, thread, inputs);
  if (!evaluator) return std::unexpected(std::move(evaluator.error()));
  return WindowEvaluation(std::move(told), std::move(*evaluator), of(thread)[window].last_time);
}

Result<std::vector<uint64_t>> Windows::executions(uint32_t thread, size_t window, uint32_t function,
                                                  std::span<const uint32_t> statements) const {
  std::vector<uint64_t> counts(statements.size());
  auto cursor = trace_->walk(thread);
  if (!cursor) return std::unexpected(std::move(cursor.error()));
  const Window& span = of(thread)[window];
  cursor->skip_damage();
  if (span.first_time > 1) cursor->seek(span.first_time - 1);
  const Function& described = trace_->functions()[function];
  while (cursor->next() && cursor->time() <= span.last_time) {
    if (cursor->function() != function) continue;
    for (const uint32_t s : cursor->path().segments) {
      const Segment& segment = described.segments[s];
      for (size_t i = 0; i < statements.size(); ++i)
        counts[i] += statements[i] - segment.first_statement < segment.statement_count;
    }
  }
  return counts;
}

}  // namespace vestige
