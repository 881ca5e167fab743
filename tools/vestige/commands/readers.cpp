// vestige readers: who read what an execution wrote.
#include "commands.h"
#include "indexing.h"
#include "report.h"
#include "rows/memory_rows.h"
#include "slice_criterion.h"
#include "trace_query.h"

namespace vestige::cli {

int command_readers(Arguments arguments) {
  CommandLine line("readers", "Every execution that read what this one wrote to memory.",
                   "vestige readers bzip2.vst --at compress.c:120:9@1000");
  std::string file, at, thread;
  bool all = false;
  Presentation presentation;
  line.add_trace(file);
  add_criterion(line, at, thread);
  line.app().add_flag("--all", all, "All rows, not only the first ones");
  line.add_presentation(presentation, true);
  if (const auto code = line.parse(arguments)) return *code;
  const auto trace = open_trace(file);
  if (!trace) return kBadTrace;
  auto options = parse_criterion(*trace, at, thread);
  if (!options) return report_name(options.error());
  options->forward = options->memory_only = options->instances = true;
  options->depth = 1;
  dependences_for_query(*trace, presentation);
  const auto found = slice(*trace, *options);
  if (!found) return report_slice(found.error());
  MemoryRows rows(*trace, presentation, all);
  rows.add(*found);
  rows.print();
  return kDone;
}

}  // namespace vestige::cli
