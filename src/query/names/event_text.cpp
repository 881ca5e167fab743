// Events and ends in plain words.
#include <csignal>
#include <cstring>

#include "trace/fatal_place.h"
#include "vestige/query.h"

namespace vestige {

namespace {

uint64_t number(const TraceEvent& event, size_t index) {
  return index < event.numbers.size() ? event.numbers[index] : 0;
}

std::string hex(uint64_t value) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  do text.insert(text.begin(), kDigits[value % 16]);
  while (value /= 16);
  return "0x" + text;
}

std::string module_name(const Trace& trace, uint64_t index) {
  if (index >= trace.modules().size()) return "module " + std::to_string(index);
  return trace.modules()[index].name;
}

// "deep (list.c:7), inlined into main (list.c:14)", innermost first; a damaged table may hold a
// cycle.
std::string chain_text(const Function& function, uint32_t location) {
  constexpr int kDeepest = 64;
  std::string text;
  for (int length = 0; location < function.locations.size() && length < kDeepest; ++length) {
    const Location& at = function.locations[location];
    if (length != 0) text += length == 1 ? ", inlined into " : ", into ";
    text += demangle(at.scope < function.scopes.size() ? function.scopes[at.scope] : function.name);
    if (at.file < function.files.size()) {
      const std::string& file = function.files[at.file];
      text += " (" + file.substr(file.rfind('/') + 1) + ":" + std::to_string(at.line) + ")";
    }
    location = at.inlined_at;
  }
  return text;
}

// Innermost first. The address is that of the memory which could not be reached.
std::string fatal_text(const Trace& trace, const TraceEvent& event) {
  const uint64_t signal = number(event, 0), address = number(event, 2);
  // Where the recorder found the pc, or where the innermost activation was last seen.
  const bool found =
      event.numbers.size() > 4 && number(event, 3) < kNone && number(event, 4) < kNone;
  std::string text = signal_name(signal);
  const bool of_memory = signal == SIGSEGV || signal == SIGBUS;
  if (of_memory && address != UINT64_MAX && (address != 0 || found))
    text += " at address " + hex(address) + ", pc " + hex(number(event, 1));
  else
    text += " at pc " + hex(number(event, 1));
  if (event.function >= trace.functions().size()) return text + ", outside of recorded code";
  const Function& function = trace.functions()[event.function];
  text += found ? ", in " : ", last seen in ";
  const std::string block = event.block == kNone ? "" : "block " + block_name(event.block);
  const uint32_t location = innermost_location(trace, event);
  const bool inlined = location < function.locations.size() &&
                       function.locations[location].inlined_at < function.locations.size();
  if (inlined) return text + chain_text(function, location) + ", " + block;
  if (!block.empty()) text += block + " of ";
  text += demangle(function.name);
  std::string place = function_place(function);
  if (event.line != 0 && function.file < function.files.size())
    place = place.substr(0, place.rfind(':')) + ":" + std::to_string(event.line);
  return place.empty() ? text : text + " (" + place + ")";
}

std::string count_of(uint64_t n, const char* what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

}  // namespace

std::string signal_name(uint64_t signal) {
  if (signal == 0 || signal >= NSIG) return "signal " + std::to_string(signal);
  const char* name = sigabbrev_np(static_cast<int>(signal));
  return name ? std::string("SIG") + name : "signal " + std::to_string(signal);
}

std::string_view event_name(TraceEvent::Kind kind) {
  switch (kind) {
    case TraceEvent::Kind::unwound:
      return "unwound";
    case TraceEvent::Kind::gap:
      return "gap";
    case TraceEvent::Kind::switched:
      return "switched";
    case TraceEvent::Kind::module_load:
      return "module_load";
    case TraceEvent::Kind::module_unload:
      return "module_unload";
    case TraceEvent::Kind::fatal_signal:
      return "fatal_signal";
    case TraceEvent::Kind::handler_begin:
      return "handler_begin";
    case TraceEvent::Kind::handler_end:
      return "handler_end";
    case TraceEvent::Kind::abandoned:
      return "abandoned";
    case TraceEvent::Kind::thread_create:
      return "thread_create";
    case TraceEvent::Kind::thread_join:
      return "thread_join";
    case TraceEvent::Kind::fork:
      return "fork";
    case TraceEvent::Kind::unregistered:
      return "unregistered";
    case TraceEvent::Kind::damaged:
      return "damaged";
  }
  return "unknown";
}

std::string event_text(const Trace& trace, const TraceEvent& event) {
  switch (event.kind) {
    case TraceEvent::Kind::unwound:
      return "call stack cut back by an exception or longjmp";
    case TraceEvent::Kind::gap:
      return "not recorded meanwhile";
    case TraceEvent::Kind::switched:
      return "switched to another stack (swapcontext): its callers are not known";
    case TraceEvent::Kind::module_load:
      return module_name(trace, number(event, 0)) + " loaded";
    case TraceEvent::Kind::module_unload:
      return module_name(trace, number(event, 0)) + " unloaded";
    case TraceEvent::Kind::fatal_signal:
      return fatal_text(trace, event);
    case TraceEvent::Kind::handler_begin: {
      std::string text = "handler of " + signal_name(number(event, 0)) + " begins";
      if (number(event, 1) < trace.threads().size()) {
        text += ", interrupting thread " +
                thread_name(trace, static_cast<uint32_t>(number(event, 1))) + " after time " +
                std::to_string(number(event, 2));
      }
      return text;
    }
    case TraceEvent::Kind::handler_end:
      return "handler ends";
    case TraceEvent::Kind::abandoned:
      return "a path was left in its middle";
    case TraceEvent::Kind::thread_create:
      return "thread created (pthread " + hex(number(event, 0)) + ")";
    case TraceEvent::Kind::thread_join:
      return "thread joined (pthread " + hex(number(event, 0)) + ")";
    case TraceEvent::Kind::fork:
      return "forked process " + std::to_string(number(event, 0));
    case TraceEvent::Kind::unregistered:
      return count_of(number(event, 0), "path") + " of code without a program table";
    case TraceEvent::Kind::damaged:
      return count_of(number(event, 0), "path") + " lost to damage";
  }
  return {};
}

Result<std::optional<TraceEvent>> fatal_event(const Trace& trace, uint32_t thread) {
  auto events = trace.events(thread);
  if (!events) return std::unexpected(std::move(events.error()));
  for (size_t i = events->size(); i-- > 0;)
    if ((*events)[i].kind == TraceEvent::Kind::fatal_signal) return std::move((*events)[i]);
  return std::nullopt;
}

std::string end_text(EndReason reason, int32_t status) {
  switch (reason) {
    case EndReason::exited:
      return "exited with status " + std::to_string(status);
    case EndReason::killed:
      return "was killed by " + signal_name(static_cast<uint32_t>(status));
    case EndReason::execed:
      return "was replaced by another program";
    case EndReason::stopped:
      return "was still running when recording stopped";
    case EndReason::unknown:
      return "ended in a way that was not seen";
  }
  return {};
}

}  // namespace vestige
