// vestige values: what a statement computed, loaded or stored, each time it ran.
#include "commands.h"
#include "history_query.h"
#include "trace_query.h"

namespace vestige::cli {

int command_values(Arguments arguments) {
  CommandLine line(
      "values", "The values of a statement, of all loads, or of everything, instance by instance.",
      "vestige values bzip2.vst compress.c:120:9 --from 1000 --count 10");
  HistoryQuery query;
  query.add_to(line);
  if (const auto code = line.parse(arguments)) return *code;
  const auto trace = open_trace(query.file);
  if (!trace) return kBadTrace;
  note_untold_values(*trace, query.presentation.quiet);
  int exit_code = kDone;
  const auto chosen = query.choose(*trace, exit_code);
  return chosen ? query.run(*trace, *chosen) : exit_code;
}

}  // namespace vestige::cli
