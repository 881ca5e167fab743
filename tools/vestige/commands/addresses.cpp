// vestige addresses: where a statement loaded and stored, each time it ran, or folded into runs.
#include "commands.h"
#include "history_query.h"
#include "report.h"
#include "rows/address_run_rows.h"
#include "rows/library_rows.h"
#include "rows/pattern_rows.h"
#include "trace_query.h"
#include "vestige/represent.h"

namespace vestige::cli {

int command_addresses(Arguments arguments) {
  CommandLine line(
      "addresses",
      "The addresses a statement, or everything, loads and stores, instance by instance.",
      "vestige addresses bzip2.vst blocksort.c:355:20 --runs");
  HistoryQuery query;
  query.addresses = true;
  bool runs = false;
  query.add_to(line);
  line.app()
      .add_flag("--runs", runs, "Folded: start, stride, count, nests of them; prefetch distance")
      ->excludes(query.from_option)
      ->excludes(query.count_option)
      ->excludes(query.top_option);
  if (const auto code = line.parse(arguments)) return *code;
  const auto trace = open_trace(query.file);
  if (!trace) return kBadTrace;
  int exit_code = kDone;
  const auto chosen = query.choose(*trace, exit_code);
  if (!chosen) return exit_code;
  if (representation_of(*trace) == Representation::cdr) {
    if (query.top_option->count() > 0) {
      report_error("--top needs a recording; a cdr gives addresses and --runs");
      return kWrongUse;
    }
    const PatternLimits limits{
        query.all, query.from,
        query.count_option->count() > 0 ? std::optional(query.count) : std::nullopt};
    return write_patterns(*trace, chosen->statements, chosen->thread, runs, limits,
                          query.presentation);
  }
  const bool plain = !runs && query.from_option->count() == 0 && query.top_option->count() == 0;
  if (query.what == "library" && plain) {
    const bool counted = query.count_option->count() > 0;
    const bool shortened = query.presentation.format() == Format::human && !query.all && !counted;
    const uint64_t most = counted ? query.count : shortened ? kShortRows : UINT64_MAX;
    return write_library_rows(*trace, chosen->thread, most, shortened, query.presentation);
  }
  if (!runs) return query.run(*trace, *chosen);
  return write_runs(*trace, chosen->statements, chosen->thread, query.all, query.presentation);
}

}  // namespace vestige::cli
