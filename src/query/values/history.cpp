#include <algorithm>

#include "query/rows/row_source.h"
#include "vestige/values.h"

namespace vestige {

struct HistoryCursor::State {
  State(const Trace& trace, const HistoryOptions& options, Windows opened)
      : trace(trace),
        options(options),
        windows(std::move(opened)),
        set(trace, options.statements),
        instances(set.bits().size()),
        thread(options.thread.value_or(0)) {}

  const Trace& trace;
  const HistoryOptions options;
  const Windows windows;
  const StatementSet set;
  std::vector<uint64_t> instances;  // by statement id: given or skipped so far, in the thread
  uint32_t thread;
  std::unique_ptr<RowSource> source;  // null: the thread is not begun
  std::vector<Observation> rows;
  size_t at = 0;
  HistoryRow current;
  uint64_t given = 0;
  std::optional<Error> error;

  uint64_t id_of(const Observation& row) const {
    return uint64_t{trace.functions()[row.function].first_statement} + row.statement;
  }
  bool over() const {
    return options.thread ? thread != *options.thread : thread >= trace.threads().size();
  }
  Result<size_t> skip_windows();
  bool begin_thread();
  bool give();
};

// The first window that has a wanted instance; those before it are counted.
Result<size_t> HistoryCursor::State::skip_windows() {
  const size_t count = windows.of(thread).size();
  for (size_t window = 0; options.from > 1 && window < count; ++window) {
    std::vector<std::vector<uint64_t>> executions;
    for (const StatementSet::OfFunction& part : set.functions()) {
      auto counts = windows.executions(thread, window, part.function, part.statements);
      if (!counts) return std::unexpected(std::move(counts.error()));
      const uint64_t first = trace.functions()[part.function].first_statement;
      for (size_t i = 0; i < counts->size(); ++i)
        if (instances[first + part.statements[i]] + (*counts)[i] >= options.from) return window;
      executions.push_back(std::move(*counts));
    }
    for (size_t f = 0; f < executions.size(); ++f) {
      const StatementSet::OfFunction& part = set.functions()[f];
      const uint64_t first = trace.functions()[part.function].first_statement;
      for (size_t i = 0; i < executions[f].size(); ++i)
        instances[first + part.statements[i]] += executions[f][i];
    }
    if (window + 1 == count) return count;
  }
  return size_t{0};
}

// False: no window of it is wanted, or there is an error.
bool HistoryCursor::State::begin_thread() {
  std::ranges::fill(instances, 0);
  const auto window = skip_windows();
  if (!window) {
    error = window.error();
    return false;
  }
  if (*window >= windows.of(thread).size()) return false;
  auto opened = open_rows(trace, windows, set, {.thread = thread, .first_window = *window});
  if (!opened) {
    error = std::move(opened.error());
    return false;
  }
  source = std::move(*opened);
  return true;
}

bool HistoryCursor::State::give() {
  while (!error) {
    while (at < rows.size()) {
      const Observation& row = rows[at++];
      const uint64_t instance = ++instances[id_of(row)];
      if (instance < options.from) continue;
      current = {};
      current.thread = thread;
      current.statement = {row.function, row.statement};
      current.instance = instance;
      current.time = row.time;
      if (row.has_value) current.value = row.value;
      current.wide = row.wide;
      if (row.has_address) current.address = row.address;
      if (row.has_source) current.source = row.source;
      return true;
    }
    rows.clear();
    at = 0;
    if (over()) return false;
    if (source || begin_thread()) {
      const auto read = source->read(rows);
      if (!read) error = read.error();
      if (read && *read) continue;
    }
    // Rows that came before an error are given first; they were.
    source.reset();
    ++thread;
  }
  return false;
}

Result<bool> has_values(const Trace& trace, uint32_t thread) {
  const auto windows = Windows::open(trace);
  if (!windows) return std::unexpected(windows.error());
  return thread < trace.threads().size() && !windows->of(thread).empty();
}

HistoryCursor::HistoryCursor(std::unique_ptr<State> state) : state_(std::move(state)) {}
HistoryCursor::HistoryCursor(HistoryCursor&&) noexcept = default;
HistoryCursor& HistoryCursor::operator=(HistoryCursor&&) noexcept = default;
HistoryCursor::~HistoryCursor() = default;

Result<HistoryCursor> HistoryCursor::open(const Trace& trace, const HistoryOptions& options) {
  auto windows = Windows::open(trace);
  if (!windows) return std::unexpected(std::move(windows.error()));
  if (options.thread && windows->of(*options.thread).empty())
    return fail(ErrorKind::unsupported, trace.file() + ": no values of thread " +
                                            thread_name(trace, *options.thread) + " were recorded");
  return HistoryCursor(std::make_unique<State>(trace, options, std::move(*windows)));
}

const HistoryRow* HistoryCursor::next() {
  if (state_->given == state_->options.count || !state_->give()) return nullptr;
  ++state_->given;
  return &state_->current;
}

const Error* HistoryCursor::error() const { return state_->error ? &*state_->error : nullptr; }

bool HistoryCursor::more() { return state_->given == state_->options.count && state_->give(); }

}  // namespace vestige
