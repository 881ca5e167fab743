// WalkCursor: a thread's paths and events as one sequence of rows,
//
//     events before path 1, rows of path 1, events behind it, rows of path 2 …
//
// The walk stands in a gap between two rows: rows [0, row) of the current path lie before it, and
// so do events [0, event). Moving on to the next path comes first, and the events on the way are
// given before its rows, so the same few lines serve both directions and holes in the trace.
#include <algorithm>

#include "query/represent/sync_index.h"
#include "query/walk/walk_values.h"
#include "trace/depth.h"
#include "vestige/query.h"
#include "vestige/represent.h"
#include "vestige/sync.h"
#include "vestige/values.h"

namespace vestige {

struct WalkCursor::State {
  State(const Trace& trace, const WalkOptions& options, PathCursor cursor)
      : trace(trace),
        options(options),
        cursor(std::move(cursor)),
        depths(trace.state(), options.thread) {}

  const Trace& trace;
  WalkOptions options;
  PathCursor cursor;
  DepthMap depths;
  std::vector<TraceEvent> events;
  std::vector<std::optional<uint64_t>> resync_size;  // per event: the stack's size behind it
  size_t event = 0;                                  // events before the gap
  const Path* path = nullptr;                        // the path whose rows are next, or nullptr
  uint64_t low = 0,
           high = 0;  // events with low <= time < high lie between the last path and this one
  uint32_t row = 0;   // rows of it before the gap
  uint32_t row_count = 0;
  uint64_t path_depth = 0;
  std::vector<uint32_t> statements;    // of the path, at statement level
  std::unique_ptr<WalkValues> values;  // null: rows have none
  std::vector<Observation> seen;       // like statements, when there are values
  uint64_t given = 0;
  bool ended = false;
  WalkRow current;
  std::optional<Error> error;

  Result<void> load_events();
  Result<void> place();
  Result<uint64_t> seek_sync(uint64_t number);
  bool begin_path();
  bool find_values();
  bool advance();
  bool give_row();
  bool give_event();
  bool give();
};

// The events, and what the resyncs among them do to the stack's size.
Result<void> WalkCursor::State::load_events() {
  auto all = trace.events(options.thread);
  if (!all) return std::unexpected(std::move(all.error()));
  events = std::move(*all);
  resync_size.resize(events.size());
  const Trace::State& s = trace.state();
  size_t at = 0;
  for (size_t chunk = 0; chunk < s.chunks[options.thread].size(); ++chunk) {
    const bool hole = chunk > 0 && s.hole_before(options.thread, chunk);
    if (hole) ++at;  // stands among the events as a `damaged`
    if (!s.chunks[options.thread][chunk].has_events) continue;
    auto view = s.view(options.thread, chunk);
    if (!view) return std::unexpected(std::move(view.error()));
    auto raw = s.events(s.chunks[options.thread][chunk], *view);
    if (!raw) return std::unexpected(std::move(raw.error()));
    for (const Event& e : *raw) {
      if (e.kind == format::EventKind::resync)
        resync_size[at] = e.stack.keep + e.stack.frames.size();
      ++at;
    }
  }
  return {};
}

Result<void> WalkCursor::State::place() {
  const WalkFrom from = options.from.value_or(
      WalkFrom{options.back ? WalkFrom::Kind::end : WalkFrom::Kind::start, 0});
  uint64_t time = from.number;
  switch (from.kind) {
    case WalkFrom::Kind::start:
      cursor.to_start();
      ended = options.back;
      return {};
    case WalkFrom::Kind::end:
      cursor.to_end();
      event = events.size();
      ended = !options.back;
      return {};
    case WalkFrom::Kind::sync: {
      const auto counted = seek_sync(from.number);
      if (!counted) return std::unexpected(counted.error());
      if (const uint64_t seen = *counted; seen < from.number) {
        return fail(ErrorKind::missing,
                    trace.file() + ": thread " + thread_name(trace, options.thread) + " has " +
                        std::to_string(seen) +
                        " sync operations, no sync:" + std::to_string(from.number));
      }
      time = cursor.time();
      break;
    }
    case WalkFrom::Kind::time:
      if (cursor.seek(time)) break;
      if (cursor.error()) return std::unexpected(*cursor.error());
      const ThreadInfo& info = trace.threads()[options.thread];
      if (info.paths == 0)
        return fail(ErrorKind::missing, trace.file() + ": thread " +
                                            thread_name(trace, options.thread) + " has no paths");
      cursor.to_end();
      return fail(ErrorKind::missing,
                  trace.file() + ": thread " + thread_name(trace, options.thread) + " has times " +
                      std::to_string(info.first_time) + " to " + std::to_string(cursor.time() - 1) +
                      ", no " + std::to_string(time));
  }
  event = static_cast<size_t>(std::ranges::lower_bound(events, time, {}, &TraceEvent::time) -
                              events.begin());
  if (!begin_path()) return std::unexpected(*error);
  return {};
}

// Stands on the path of the K-th synchronization operation: the one that ends in it, or in the call
// that did it. Returns K, or how many there are when those are fewer. Operations before the
// thread's first path count as that path's.
Result<uint64_t> WalkCursor::State::seek_sync(uint64_t number) {
  if (representation_of(trace) && number > 0)
    if (const auto index = sync_index(trace, options.thread); index && index->walks) {
      const auto time = time_of_sync(trace, options.thread, number);
      if (time && cursor.seek(std::max<uint64_t>(*time, 1))) return number;
      if (cursor.error()) return std::unexpected(*cursor.error());
      cursor.to_start();
    }
  auto syncs = SyncCursor::open(trace, options.thread);
  if (!syncs) return std::unexpected(std::move(syncs.error()));
  const auto next_told = [&] {
    while (syncs->next())
      if (!is_atomic(syncs->operation().kind)) return true;
    return false;
  };
  bool told = next_told();
  uint64_t seen = 0;
  while (seen < number && cursor.next()) {
    seen += cursor.path().syncs;
    for (; told && seen < number && syncs->operation().time <= cursor.time(); told = next_told())
      ++seen;
  }
  if (cursor.error()) return std::unexpected(*cursor.error());
  if (syncs->error()) return std::unexpected(*syncs->error());
  return seen;
}

// The cursor stands on a new path: its rows are next.
bool WalkCursor::State::begin_path() {
  path = &cursor.path();
  auto size = depths.after(cursor.time());
  if (!size) {
    error = std::move(size.error());
    return false;
  }
  path_depth = *size - (path->leaves ? 0 : 1);
  switch (options.level) {
    case WalkLevel::path:
      row_count = 1;
      break;
    case WalkLevel::block:
      row_count = static_cast<uint32_t>(path->blocks.size());
      break;
    case WalkLevel::statement: {
      statements.clear();
      const Function& function = trace.functions()[path->function];
      for (const uint32_t s : path->segments) {
        const Segment& segment = function.segments[s];
        for (uint32_t i = 0; i < segment.statement_count; ++i)
          if (!function.statements[segment.first_statement + i].pseudo)
            statements.push_back(segment.first_statement + i);
      }
      row_count = static_cast<uint32_t>(statements.size());
      if (values && !find_values()) return false;
      break;
    }
  }
  row = options.back ? row_count : 0;
  low = high = 0;
  return true;
}

// Both have the order of the path.
bool WalkCursor::State::find_values() {
  const auto found = values->of(cursor.time());
  if (!found) {
    error = found.error();
    return false;
  }
  seen.assign(statements.size(), {});
  size_t next = 0;
  for (size_t i = 0; i < statements.size() && next < found->size(); ++i)
    if ((*found)[next].statement == statements[i]) seen[i] = (*found)[next++];
  return true;
}

// Moves on to the next path; the events in between come before its rows.
bool WalkCursor::State::advance() {
  if (ended) return false;
  if (options.back ? cursor.prev() : cursor.next()) {
    if (!begin_path()) return false;
    high = options.back ? UINT64_MAX : cursor.time();
    low = options.back ? cursor.time() : 0;
    return true;
  }
  if (cursor.error()) {
    error = *cursor.error();
    return false;
  }
  ended = true;
  path = nullptr;
  row = row_count = 0;
  low = 0;
  high = UINT64_MAX;
  return true;
}

bool WalkCursor::State::give_event() {
  if (options.back) {
    if (high == 0 || event == 0 || events[event - 1].time < low) return false;
    --event;
  } else {
    if (event == events.size() || events[event].time >= high) return false;
  }
  const size_t index = options.back ? event : event++;
  const TraceEvent& e = events[index];
  current = WalkRow{};
  current.kind = WalkRow::Kind::event;
  current.thread = options.thread;
  current.time = e.time;
  current.event = &e;
  current.text = event_text(trace, e);
  for (size_t i = index + 1; i-- > 0 && events[i].time == e.time;) {
    if (!resync_size[i]) continue;
    current.depth = static_cast<uint32_t>(*resync_size[i]);
    return true;
  }
  if (auto size = depths.after(e.time)) current.depth = static_cast<uint32_t>(*size);
  return true;
}

bool WalkCursor::State::give_row() {
  if (!path || (options.back ? row == 0 : row == row_count)) return false;
  const uint32_t index = options.back ? --row : row++;
  const Function& function = trace.functions()[path->function];
  current.text.clear();
  current.event = nullptr;
  current.thread = options.thread;
  current.time = cursor.time();
  current.depth = static_cast<uint32_t>(path_depth);
  current.function = path->function;
  current.path = path;
  current.statement = kNone;
  current.statement_id = 0;
  current.value = current.address = std::nullopt;
  switch (options.level) {
    case WalkLevel::path:
      current.kind = WalkRow::Kind::path;
      current.block = function.segments[path->segments.front()].block;
      current.location = kNone;
      for (size_t s = 0; s < path->segments.size() && current.location == kNone; ++s) {
        const Segment& segment = function.segments[path->segments[s]];
        for (uint32_t i = 0; i < segment.statement_count && current.location == kNone; ++i)
          current.location = function.statements[segment.first_statement + i].location;
      }
      break;
    case WalkLevel::block:
      current.kind = WalkRow::Kind::block;
      current.block = path->blocks[index];
      current.location = block_location(function, current.block);
      break;
    case WalkLevel::statement:
      current.kind = WalkRow::Kind::statement;
      current.statement = statements[index];
      current.statement_id = uint64_t{function.first_statement} + current.statement;
      current.block = function.statements[current.statement].block;
      current.location = function.statements[current.statement].location;
      if (values && seen[index].has_value) current.value = seen[index].value;
      if (values) current.wide = seen[index].wide;
      if (values && seen[index].has_address && has_address(function, current.statement))
        current.address = seen[index].address;
      break;
  }
  current.file = {};
  current.line = current.column = 0;
  if (current.location < function.locations.size()) {
    const Location& location = function.locations[current.location];
    if (location.file < function.files.size()) current.file = function.files[location.file];
    current.line = location.line;
    current.column = location.column;
  }
  return true;
}

bool WalkCursor::State::give() {
  while (!error) {
    if (give_event() || give_row()) return true;
    if (!advance()) return false;
  }
  return false;
}

WalkCursor::WalkCursor(std::unique_ptr<State> state) : state_(std::move(state)) {}
WalkCursor::WalkCursor(WalkCursor&&) noexcept = default;
WalkCursor& WalkCursor::operator=(WalkCursor&&) noexcept = default;
WalkCursor::~WalkCursor() = default;

Result<WalkCursor> WalkCursor::open(const Trace& trace, const WalkOptions& options) {
  auto cursor = trace.walk(options.thread);
  if (!cursor) return std::unexpected(std::move(cursor.error()));
  auto state = std::make_unique<State>(trace, options, std::move(*cursor));
  if (auto loaded = state->load_events(); !loaded)
    return std::unexpected(std::move(loaded.error()));
  if (options.values && options.level == WalkLevel::statement) {
    auto values = WalkValues::open(trace, options.thread, options.back);
    if (!values) return std::unexpected(std::move(values.error()));
    state->values = std::move(*values);
  }
  if (auto placed = state->place(); !placed) return std::unexpected(std::move(placed.error()));
  return WalkCursor(std::move(state));
}

const WalkRow* WalkCursor::next() {
  if (state_->given == state_->options.count || !state_->give()) return nullptr;
  ++state_->given;
  return &state_->current;
}

const Error* WalkCursor::error() const { return state_->error ? &*state_->error : nullptr; }

bool WalkCursor::more() {
  State& s = *state_;
  return s.given == s.options.count && s.give();
}

}  // namespace vestige
