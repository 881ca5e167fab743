#include "query/slice/criterion.h"

#include <algorithm>
#include <array>

namespace vestige {

namespace {

bool executes(const Function& function, const Path& path, uint32_t statement) {
  return std::ranges::any_of(path.segments, [&](uint32_t index) {
    const Segment& segment = function.segments[index];
    return statement >= segment.first_statement &&
           statement < segment.first_statement + segment.statement_count;
  });
}

// The paths of a window that execute the statement: the time of number `wanted` of them.
Result<uint64_t> find_in_window(const Trace& trace, StatementRef statement, uint32_t thread,
                                const Window& window, uint64_t wanted) {
  auto cursor = trace.walk(thread);
  if (!cursor) return std::unexpected(std::move(cursor.error()));
  const Function& function = trace.functions()[statement.function];
  uint64_t seen = 0;
  cursor->stand_before(window.first_time);
  while (cursor->next() && cursor->time() <= window.last_time) {
    if (cursor->function() != statement.function ||
        !executes(function, cursor->path(), statement.statement))
      continue;
    if (++seen == wanted) return cursor->time();
  }
  if (cursor->error()) return std::unexpected(*cursor->error());
  return fail(ErrorKind::corrupt, trace.file() + ": its index counts other paths than it has");
}

// An instance of 0 stands for the last.
Result<CriterionPlace> find_in(const Trace& trace, const Windows& windows, StatementRef wanted,
                               uint32_t thread, uint64_t instance) {
  const std::span<const Window> all = windows.of(thread);
  const std::array<uint32_t, 1> statements = {wanted.statement};
  CriterionPlace place;
  place.thread = thread;
  uint64_t seen = 0, before = 0;
  size_t inside = SIZE_MAX;
  for (size_t window = 0; window < all.size() && (instance == 0 || seen < instance); ++window) {
    const auto counts = windows.executions(thread, window, wanted.function, statements);
    if (!counts) return std::unexpected(counts.error());
    if ((*counts)[0] == 0) continue;
    inside = window;
    before = seen;
    seen += (*counts)[0];
  }
  place.instance = instance == 0 ? seen : instance;
  if (seen == 0 || seen < place.instance) {
    const std::string name = statement_name(trace, wanted);
    return fail(ErrorKind::missing,
                trace.file() + ": " + name + " was executed " + std::to_string(seen) +
                    " times in thread " + thread_name(trace, thread) +
                    (instance > seen ? ", there is no instance " + std::to_string(instance) : ""));
  }
  const auto time = find_in_window(trace, wanted, thread, all[inside], place.instance - before);
  if (!time) return std::unexpected(time.error());
  place.time = *time;
  return place;
}

}  // namespace

Result<CriterionPlace> find_criterion(const Trace& trace, const Windows& windows,
                                      const SliceOptions& options) {
  if (options.instance == 0) return fail(ErrorKind::usage, "instances count from 1");
  std::optional<Error> first;
  for (uint32_t thread = 0; thread < trace.threads().size(); ++thread) {
    if (options.thread ? *options.thread != thread : windows.of(thread).empty()) continue;
    if (windows.of(thread).empty())
      return fail(ErrorKind::unsupported, trace.file() + ": no values were recorded of thread " +
                                              thread_name(trace, thread));
    auto found = find_in(trace, windows, options.statement, thread, options.instance.value_or(0));
    if (found || found.error().kind != ErrorKind::missing) return found;
    if (!first) first = std::move(found.error());
  }
  if (first) return std::unexpected(std::move(*first));
  return fail(ErrorKind::missing, trace.file() + ": there is no such thread");
}

Result<CallReturn> find_return(DependenceBlockCursor& cursor, StatementRef statement,
                               uint64_t time) {
  const BlockPlaces& places = cursor.places();
  size_t number = cursor.block_at(time);
  if (auto gone = cursor.go_to(number); !gone) return std::unexpected(std::move(gone.error()));
  const DependenceBlock& block = cursor.block();
  if (time < block.first_time || time >= block.end_time()) return impossible_dependence();
  size_t at = time - block.first_time;
  const PathStep& call = block.steps[at];
  const PathShape& shape = *block.shapes[at];
  if (call.path->leaves || call.path->end != SegmentEnd::call || shape.stop == kNone ||
      shape.items[shape.stop].statement != statement.statement)
    return CallReturn();
  const uint32_t level = call.level;
  while (true) {
    for (++at; at < block.steps.size(); ++at) {
      const PathStep& step = block.steps[at];
      if (step.before && step.before_time == time) return CallReturn{step.time, step.returned};
      // Another activation is there now.
      if (step.level < level || (step.level == level && !step.tail_called)) return CallReturn();
    }
    // Blocks that are deeper throughout have nothing of the activation.
    do ++number;
    while (number < places.size() && places[number].lowest > level);
    if (number == places.size()) return CallReturn();
    if (auto gone = cursor.go_to(number); !gone) return std::unexpected(std::move(gone.error()));
    at = SIZE_MAX;  // so that the first comes next
  }
}

std::unexpected<Error> impossible_dependence() {
  return fail(ErrorKind::corrupt, "the index of dependences says what cannot be");
}

}  // namespace vestige
