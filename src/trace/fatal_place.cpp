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

uint32_t first_line(const Function& function, uint32_t first, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t location = function.statements[first + i].location;
    if (location < function.locations.size() && function.locations[location].line != 0)
      return function.locations[location].line;
  }
  return 0;
}

// Of the statement of the block that stands at the pc's line and column, or at least on its line.
// For inlined code that is the line of the call in the function itself, as everywhere.
uint32_t line_of_pc(const Function& function, const Block& block, uint64_t line, uint64_t column) {
  uint32_t found = kNone;
  for (uint32_t i = 0; i < block.statement_count; ++i) {
    const uint32_t location = function.statements[block.first_statement + i].location;
    if (location >= function.locations.size() || function.locations[location].line != line)
      continue;
    const bool exact = function.locations[location].column == column;
    if (exact || found == kNone) found = location;
    if (exact) break;
  }
  for (size_t steps = 0; found != kNone && steps < function.locations.size(); ++steps) {
    if (function.locations[found].inlined_at >= function.locations.size()) break;
    found = function.locations[found].inlined_at;
  }
  return found == kNone ? 0 : function.locations[found].line;
}

void set_place(const Trace& trace, TraceEvent& event, uint32_t function, uint32_t segment) {
  const Function& f = trace.functions()[function];
  event.function = function;
  if (segment == kNone) return;
  event.block = f.segments[segment].block;
  event.line =
      first_line(f, f.segments[segment].first_statement, f.segments[segment].statement_count);
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
        event.line = line_of_pc(function, block, event.numbers[kLine], event.numbers[kColumn]);
      if (event.line == 0)
        event.line = first_line(function, block.first_statement, block.statement_count);
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
  }
  if (segment.edges.size() == 1)
    return set_place(trace, event, last->function, segment.edges[0].target);
  set_place(trace, event, last->function, last->segments.back());
}

}  // namespace vestige
