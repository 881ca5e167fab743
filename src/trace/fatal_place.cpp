#include "trace/fatal_place.h"

#include <string_view>

#include "trace/state.h"

namespace vestige {

namespace {

// Among the event's numbers.
constexpr size_t kLine = 22, kColumn = 23;

uint32_t function_named(const Trace& trace, std::string_view name) {
  const auto& functions = trace.functions();
  for (uint32_t f = 0; f < functions.size(); ++f)
    if (functions[f].name == name) return f;
  return kNone;
}

uint32_t entry_segment(const Function& function) {
  for (uint32_t s = 0; s < function.segments.size(); ++s)
    if (function.segments[s].start == SegmentStart::entry) return s;
  return kNone;
}

uint32_t first_location(const Function& function, uint32_t first, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t location = function.statements[first + i].location;
    if (location < function.locations.size() && function.locations[location].line != 0)
      return location;
  }
  return kNone;
}

// Of the statement of the block that stands at the pc's line and column, or at least on its line.
uint32_t location_of_pc(const Function& function, const Block& block, uint64_t line,
                        uint64_t column) {
  uint32_t found = kNone;
  for (uint32_t i = 0; i < block.statement_count; ++i) {
    const uint32_t location = function.statements[block.first_statement + i].location;
    if (location >= function.locations.size() || function.locations[location].line != line)
      continue;
    const bool exact = function.locations[location].column == column;
    if (exact || found == kNone) found = location;
    if (exact) break;
  }
  return found;
}

// Where the function itself is: for inlined code the line of the call in it, as everywhere.
uint32_t outermost_line(const Function& function, uint32_t location) {
  if (location >= function.locations.size()) return 0;
  for (size_t steps = 0; steps < function.locations.size(); ++steps) {
    if (function.locations[location].inlined_at >= function.locations.size()) break;
    location = function.locations[location].inlined_at;
  }
  return function.locations[location].line;
}

void set_place(const Trace& trace, TraceEvent& event, uint32_t function, uint32_t segment) {
  const Function& f = trace.functions()[function];
  event.function = function;
  if (segment == kNone) return;
  event.block = f.segments[segment].block;
  event.line = outermost_line(f, first_location(f, f.segments[segment].first_statement,
                                                f.segments[segment].statement_count));
}

// Calls something of which the paths tell nothing, neither that it begins nor that it is over.
bool calls_in_its_middle(const Function& function, const Segment& segment) {
  for (uint32_t i = 0; i < segment.statement_count; ++i) {
    const Statement& statement = function.statements[segment.first_statement + i];
    const bool last = i + 1 == segment.statement_count;
    if (statement.op == Op::call && !statement.pseudo && !(last && segment.end == SegmentEnd::call))
      return true;
  }
  return false;
}

}  // namespace

void find_fatal_place(const Trace& trace, uint32_t thread, TraceEvent& event) {
  if (event.numbers.size() > 4 && event.numbers[3] < kNone) {
    const uint32_t index =
        trace.state().program.function_of(static_cast<uint32_t>(event.numbers[3]));
    if (index != kNone && event.numbers[4] < trace.functions()[index].blocks.size()) {
      const Function& function = trace.functions()[index];
      event.function = index;
      event.block = static_cast<uint32_t>(event.numbers[4]);
      const Block& block = function.blocks[event.block];
      if (event.numbers.size() > kColumn)
        event.line = outermost_line(function, location_of_pc(function, block, event.numbers[kLine],
                                                             event.numbers[kColumn]));
      if (event.line == 0)
        event.line = outermost_line(
            function, first_location(function, block.first_statement, block.statement_count));
      return;
    }
  }
  auto stack = trace.stack(thread, event.time);
  if (!stack || stack->empty()) return;
  const Path* last = trace.path(stack->back().path);
  if (!last) return;
  const Function& function = trace.functions()[last->function];
  const Segment& segment = function.segments[last->segments.back()];
  if (last->end == SegmentEnd::call && segment.statement_count > 0) {
    // In the callee when that is recorded; otherwise the call has come back, or never went to
    // recorded code.
    const Statement& call =
        function.statements[segment.first_statement + segment.statement_count - 1];
    const bool just_called = stack->back().time == event.time;
    if (just_called && call.callee < function.symbols.size()) {
      const uint32_t callee = function_named(trace, function.symbols[call.callee]);
      if (callee != kNone)
        return set_place(trace, event, callee, entry_segment(trace.functions()[callee]));
    }
    // It struck in what is called, unless something else was called since that leaves no mark.
    const bool went_on = segment.edges.size() == 1 &&
                         calls_in_its_middle(function, function.segments[segment.edges[0].target]);
    if (just_called && !went_on) {
      event.function = last->function;
      event.block = segment.block;
      event.line = outermost_line(function, call.location);
      return;
    }
  }
  if (segment.edges.size() == 1)
    return set_place(trace, event, last->function, segment.edges[0].target);
  set_place(trace, event, last->function, last->segments.back());
}

uint32_t innermost_location(const Trace& trace, const TraceEvent& event) {
  if (event.function >= trace.functions().size()) return kNone;
  const Function& function = trace.functions()[event.function];
  if (event.block >= function.blocks.size()) return kNone;
  const Block& block = function.blocks[event.block];
  if (event.numbers.size() > kColumn)
    if (const uint32_t found =
            location_of_pc(function, block, event.numbers[kLine], event.numbers[kColumn]);
        found != kNone)
      return found;
  for (const bool call : {true, false})
    for (uint32_t i = 0; i < block.statement_count; ++i) {
      const Statement& statement = function.statements[block.first_statement + i];
      if ((statement.op == Op::call) == call && event.line != 0 &&
          outermost_line(function, statement.location) == event.line)
        return statement.location;
    }
  return kNone;
}

}  // namespace vestige
