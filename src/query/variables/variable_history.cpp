#include <algorithm>
#include <deque>
#include <set>

#include "query/names/naming.h"
#include "query/names/process_symbols.h"
#include "query/variables/variable_watch.h"
#include "trace/told/process_addresses.h"
#include "trace/told/told.h"
#include "trace/windows/windows.h"
#include "vestige/query.h"
#include "vestige/variables.h"

namespace vestige {

namespace {

// Paths evaluated before rows are given on: as many as a first row may wait for.
constexpr uint64_t kPathsAtOnce = 4096;

}  // namespace

struct VariableCursor::State final : VariableRows {
  State(const Trace& of, Windows windows_of, const VariableOptions& chosen)
      : trace(of), windows(std::move(windows_of)), options(chosen), left(chosen.count) {}

  const Trace& trace;
  Windows windows;
  VariableOptions options;
  uint64_t left;
  std::vector<VariableWatch::Copy> copies;
  const ProcessAddresses addresses{trace};
  uint32_t thread = 0;  // that is evaluated, or next
  size_t window = 0;    // the next one
  uint64_t instances = 0;
  std::unique_ptr<VariableWatch> watch;
  std::optional<WindowEvaluation> evaluation;
  std::deque<VariableRow> rows;
  VariableRow row;
  std::optional<Error> error;

  bool wanted() override { return instances + 1 >= options.from; }
  void add(VariableRow row_to_add) override {
    ++instances;
    if (instances < options.from) return;
    row_to_add.thread = thread;
    row_to_add.instance = instances;
    rows.push_back(std::move(row_to_add));
  }

  // What functions know of symbols in the thread's process.
  std::vector<std::vector<uint64_t>> symbols() const {
    auto all = symbols_of(trace, addresses, thread);
    std::vector<std::vector<uint64_t>> list(all.size());
    for (const VariableWatch::Copy& copy : copies) {
      const uint32_t f = copy.ref.function;
      if (list[f].empty()) list[f] = std::move(all[f]);
    }
    return list;
  }

  bool wants(uint32_t number) const {
    return (options.thread == kNone || options.thread == number) && !windows.of(number).empty();
  }

  // Whether anything of the window concerns the variables. Those in memory may change anywhere.
  bool concerned(size_t number) const {
    if (watch->needs_memory() || windows.of(thread).size() == 1) return true;
    std::set<uint32_t> functions;
    for (const VariableWatch::Copy& copy : copies) functions.insert(copy.ref.function);
    for (const uint32_t f : functions) {
      std::vector<uint32_t> first;
      for (const Segment& segment : trace.functions()[f].segments)
        first.push_back(segment.first_statement);
      const auto counts = windows.executions(thread, number, f, first);
      if (!counts || std::ranges::any_of(*counts, [](uint64_t n) { return n != 0; })) return true;
    }
    return false;
  }

  // Begins the next window; false at the end of all.
  Result<bool> begin() {
    while (thread < trace.threads().size()) {
      if (wants(thread) && window < windows.of(thread).size()) {
        if (!watch) {
          watch = std::make_unique<VariableWatch>(trace.functions(), copies, symbols(), *this);
          if (watch->needs_memory() && begins_process(trace, thread))
            watch->begin_with(symbols_of(trace, addresses, thread));
          instances = 0;
        }
        if (!concerned(window)) {
          ++window;
          continue;
        }
        auto begun = windows.begin(thread, window++);
        if (!begun) return std::unexpected(std::move(begun.error()));
        evaluation.emplace(std::move(*begun));
        Evaluator& evaluator = evaluation->evaluator();
        evaluator.watch(*watch, watch->bindings());
        if (watch->needs_memory()) evaluator.observe(*watch, watch->memory_statements());
        return true;
      }
      ++thread;
      window = 0;
      watch.reset();
    }
    return false;
  }

  // Some paths further; false at the end, or when there is an error.
  bool advance() {
    if (error) return false;
    if (!evaluation) {
      const auto begun = begin();
      if (!begun) error = begun.error();
      if (!begun || !*begun) return false;
    }
    const auto paths = evaluation->run(kPathsAtOnce);
    if (!paths) error = paths.error();
    if (!paths || *paths == 0) evaluation.reset();
    return true;
  }

  bool fill() {
    while (rows.empty())
      if (!advance()) return false;
    return true;
  }
};

VariableCursor::VariableCursor(std::unique_ptr<State> state) : state_(std::move(state)) {}
VariableCursor::VariableCursor(VariableCursor&&) noexcept = default;
VariableCursor& VariableCursor::operator=(VariableCursor&&) noexcept = default;
VariableCursor::~VariableCursor() = default;

Result<VariableCursor> VariableCursor::open(const Trace& trace, const VariableQuestion& question,
                                            const VariableOptions& options) {
  auto windows = Windows::open(trace);
  if (!windows) return std::unexpected(std::move(windows.error()));
  if (options.thread != kNone && options.thread >= trace.threads().size())
    return fail(ErrorKind::missing,
                trace.file() + ": there is no thread " + std::to_string(options.thread));
  if (options.thread != kNone && windows->of(options.thread).empty())
    return fail(ErrorKind::missing, trace.file() + ": thread " +
                                        thread_name(trace, options.thread) +
                                        " has no recorded values");
  auto state = std::make_unique<State>(trace, std::move(*windows), options);
  for (uint32_t v = 0; v < question.variables.size(); ++v)
    for (const VariableRef& ref : best_copies_first(trace.functions(), question.variables[v])) {
      const Function& function = trace.functions()[ref.function];
      auto part = find_part(function, function.variables[ref.variable].type, question.part);
      if (part) state->copies.push_back({v, ref, *part});
    }
  return VariableCursor(std::move(state));
}

const VariableRow* VariableCursor::next() {
  if (state_->left == 0 || !state_->fill()) return nullptr;
  --state_->left;
  state_->row = std::move(state_->rows.front());
  state_->rows.pop_front();
  return &state_->row;
}

const Error* VariableCursor::error() const { return state_->error ? &*state_->error : nullptr; }

VariableCursor::More VariableCursor::more(uint64_t paths) {
  State& state = *state_;
  More more;
  if (state.left != 0) return more;
  for (uint64_t done = 0; !state.error && done < paths; done += kPathsAtOnce) {
    more.rows += state.rows.size();
    state.rows.clear();
    if (!state.advance()) return more;
  }
  more.rows += state.rows.size();
  state.rows.clear();
  more.complete = false;
  return more;
}

}  // namespace vestige
