#include "trace/value_check.h"

#include <new>

#include "trace/eval/evaluator.h"
#include "trace/told.h"

namespace vestige {

namespace {

constexpr size_t kMostPerThread = 10;

Result<void> check_thread(const Trace& trace, uint32_t thread,
                          const std::vector<FunctionAddresses>& addresses,
                          std::vector<std::string>& problems) {
  const auto tells = tells_values(trace.state(), thread);
  if (!tells) return std::unexpected(tells.error());
  if (!*tells) return {};
  ToldValues told(trace.state(), thread);
  EvaluationInputs inputs{&addresses, &told};
  auto evaluator = Evaluator::open(trace, thread, inputs);
  if (!evaluator) return std::unexpected(std::move(evaluator.error()));
  if (const auto paths = evaluator->run(); !paths) return std::unexpected(paths.error());
  if (told.error()) return std::unexpected(*told.error());
  size_t shown = 0;
  for (const EvaluationProblem& problem : evaluator->problems().list())
    if (!problem.uncertain && ++shown <= kMostPerThread)
      problems.push_back("thread " + std::to_string(thread) + ", " +
                         describe(problem, trace.functions()));
  return {};
}

}  // namespace

Result<std::vector<std::string>> check_values(const std::string& path) {
  std::vector<std::string> problems;
  const auto trace = Trace::open(path);
  if (!trace) return std::unexpected(trace.error());
  if (trace->state().value_rows.empty()) return problems;
  const auto addresses = addresses_of(trace->state());
  for (uint32_t thread = 0; thread < trace->threads().size(); ++thread) {
    const auto name = [&] { return "thread " + std::to_string(thread) + ": "; };
    try {
      if (auto checked = check_thread(*trace, thread, addresses, problems); !checked)
        problems.push_back(name() + checked.error().message);
    } catch (const std::bad_alloc&) {
      problems.push_back(name() + "there is not enough memory to evaluate it");
    }
  }
  return problems;
}

}  // namespace vestige
