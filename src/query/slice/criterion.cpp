#include "query/slice/criterion.h"

#include <algorithm>

namespace vestige {

namespace {

bool executes(const Function& function, const Path& path, uint32_t statement) {
  return std::ranges::any_of(path.segments, [&](uint32_t index) {
    const Segment& segment = function.segments[index];
    return statement >= segment.first_statement &&
           statement < segment.first_statement + segment.statement_count;
  });
}

// What is behind the time is not looked at, but for the return from a call. An instance of 0 stands
// for the last.
Result<CriterionPlace> find_in(const Trace& trace, const Windows& windows, const CallNames& names,
                               StatementRef wanted, uint32_t thread, uint64_t instance) {
  auto steps = PathSteps::open(trace, thread, names);
  if (!steps) return std::unexpected(std::move(steps.error()));
  const Function& function = trace.functions()[wanted.function];
  const std::span<const Window> all = windows.of(thread);
  CriterionPlace place;
  place.thread = thread;
  uint64_t seen = 0;
  bool waits = false;  // for the call to come back
  while (true) {
    const size_t window = place.windows.size();
    if (window == 0 || (window < all.size() && steps->position().time >= all[window - 1].last_time))
      place.windows.keep(steps->position(), steps->take_lowest());
    PathStep step;
    const auto next = steps->next(step);
    if (!next) return std::unexpected(next.error());
    if (!*next) break;
    if (step.path->function != wanted.function) continue;
    if (waits && step.before_time == place.time) {
      place.known_at = step.time;
      waits = false;
      if (seen == instance) break;
    }
    if (seen == instance && instance != 0) continue;
    if (!executes(function, *step.path, wanted.statement)) continue;
    ++seen;
    if (instance != 0 && seen != instance) continue;
    place.time = place.known_at = step.time;
    place.instance = seen;
    waits = !step.path->leaves && step.path->end == SegmentEnd::call &&
            stopped_at(function, *step.path) == wanted.statement;
    if (seen == instance && !waits) break;
  }
  if (place.instance == 0 || (instance != 0 && place.instance != instance)) {
    const std::string name = statement_name(trace, wanted);
    return fail(ErrorKind::missing,
                trace.file() + ": " + name + " was executed " + std::to_string(seen) +
                    " times in thread " + thread_name(trace, thread) +
                    (instance > seen ? ", there is no instance " + std::to_string(instance) : ""));
  }
  return place;
}

}  // namespace

Result<CriterionPlace> find_criterion(const Trace& trace, const Windows& windows,
                                      const CallNames& names, const SliceOptions& options) {
  if (options.instance == 0) return fail(ErrorKind::usage, "instances count from 1");
  std::optional<Error> first;
  for (uint32_t thread = 0; thread < trace.threads().size(); ++thread) {
    if (options.thread ? *options.thread != thread : windows.of(thread).empty()) continue;
    if (windows.of(thread).empty())
      return fail(ErrorKind::unsupported, trace.file() + ": no values were recorded of thread " +
                                              thread_name(trace, thread));
    auto found =
        find_in(trace, windows, names, options.statement, thread, options.instance.value_or(0));
    if (found || found.error().kind != ErrorKind::missing) return found;
    if (!first) first = std::move(found.error());
  }
  if (first) return std::unexpected(std::move(*first));
  return fail(ErrorKind::missing, trace.file() + ": there is no such thread");
}

size_t window_at(const Windows& windows, uint32_t thread, uint64_t time) {
  const std::span<const Window> all = windows.of(thread);
  const auto behind = std::ranges::upper_bound(all, time, {}, &Window::first_time);
  return behind == all.begin() ? 0 : static_cast<size_t>(behind - all.begin()) - 1;
}

}  // namespace vestige
