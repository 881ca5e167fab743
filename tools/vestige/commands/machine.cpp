// vestige machine: branches a predictor gets wrong, loads and stores that miss modelled caches.
#include "vestige/machine.h"

#include <fmt/format.h>

#include <climits>

#include "commands.h"
#include "machine_model.h"
#include "report.h"
#include "rows/machine_rows.h"
#include "trace_query.h"

namespace vestige::cli {

int command_machine(Arguments arguments) {
  CommandLine line("machine",
                   "What a modelled machine would have mispredicted and missed, by statement or "
                   "source line, the most first.",
                   "vestige machine bzip2.vst --l1 32K,8,64 --lines");
  std::string file, thread;
  MachineFlags model;
  bool lines = false, all = false;
  size_t top = 0;
  Presentation presentation;
  line.add_trace(file);
  CLI::App& app = line.app();
  model.add_to(app);
  app.add_flag("--lines", lines, "By source line, not by statement");
  app.add_option("--top", top, "Only the N that miss most; for people 20 without it")
      ->type_name("N")
      ->check(CLI::Range(1, INT_MAX));
  app.add_flag("--all", all, "All rows");
  app.add_option("--thread", thread, "Only this thread: RANK.THREAD, or its number")
      ->type_name("N");
  line.add_presentation(presentation, true);
  if (const auto code = line.parse(arguments)) return *code;
  const auto trace = open_control_flow(file);
  if (!trace) return kBadTrace;
  std::optional<uint32_t> number;
  if (!thread.empty()) {
    const auto found = find_thread(*trace, thread);
    if (!found) return report_name(found.error());
    number = *found;
  }
  const auto labels = model.labels(*trace, presentation);
  if (!labels) return report_labels(labels.error());
  if (!labels->has_caches() && !presentation.quiet)
    report_note(
        "this trace has control flow only, so there are branches only; record with --what full "
        "for loads and stores");
  constexpr size_t kShortTop = 20;
  const auto statements = labels->statements(number);
  MachineRows rows{*trace, *labels, statements, presentation};
  rows.lines = lines;
  rows.top = top != 0 ? top : all || presentation.format() != Format::human ? 0 : kShortTop;
  rows.print();
  return kDone;
}

}  // namespace vestige::cli
