// vestige walk: steps through a thread's execution, forwards or backwards, from anywhere.
#include <fmt/format.h>

#include "commands.h"
#include "indexing.h"
#include "output.h"
#include "report.h"
#include "rows/walk_rows.h"
#include "trace_query.h"

namespace vestige::cli {

int command_walk(Arguments arguments) {
  CommandLine line("walk", "Steps through a thread's execution, forwards or backwards.",
                   "vestige walk bzip2.vst --from end --back --count 10");
  std::string file, thread = "0", from, level = "block";
  uint64_t count = 0;
  bool back = false, all = false;
  Presentation presentation;
  line.add_trace(file);
  CLI::App& app = line.app();
  app.add_option("--thread", thread, "RANK.THREAD, or its number in vestige info")->type_name("N");
  app.add_option("--from", from,
                 "A time, start, end, or sync:K (the K-th synchronization operation)")
      ->type_name("WHERE");
  app.add_flag("--back", back, "Backwards; from the end unless --from says otherwise");
  auto* count_option = app.add_option("--count", count, "At most this many rows")->type_name("N");
  app.add_option("--level", level, "path, block or statement")
      ->check(CLI::IsMember({"path", "block", "statement"}))
      ->type_name("LEVEL");
  app.add_flag("--all", all, "Every row")->excludes(count_option);
  line.add_presentation(presentation, true);
  if (const auto code = line.parse(arguments)) return *code;

  WalkOptions options;
  options.back = back;
  options.level = level == "path"    ? WalkLevel::path
                  : level == "block" ? WalkLevel::block
                                     : WalkLevel::statement;
  options.values = options.level == WalkLevel::statement;
  if (!from.empty()) {
    const auto parsed = parse_walk_from(from);
    if (!parsed) return report(parsed.error());
    options.from = *parsed;
  }
  const Format format = presentation.format();
  const bool counted = count_option->count() > 0;
  if (counted)
    options.count = count;
  else if (format == Format::human && !all)
    options.count = kShortRows;

  const auto trace = open_control_flow(file);
  if (!trace) return kBadTrace;
  if (options.level == WalkLevel::statement && trace->meta("imported")) {
    report_error(file + ": this trace was imported and has no statements; use --level block");
    return kBadTrace;
  }
  const auto number = find_thread(*trace, thread);
  if (!number) return report_name(number.error());
  options.thread = *number;
  if (options.values && (back || options.from)) index_for_query(*trace, presentation);
  auto walk = WalkCursor::open(*trace, options);
  if (!walk) return report_name(walk.error());

  Output out;
  WalkRowWriter rows(*trace, options.level, format, wants_color(presentation.color), out);
  rows.header();
  uint64_t time = 0;
  while (const WalkRow* row = walk->next()) {
    time = row->time;
    rows.row(*row);
  }
  if (walk->error()) {
    out.flush();
    return report_trace(*walk->error());
  }
  if (format == Format::human && !counted && walk->more()) {
    const ThreadInfo& t = trace->threads()[options.thread];
    const uint64_t left =
        back ? (time > t.first_time ? time - t.first_time : 0)
             : (t.first_time + t.paths > time + 1 ? t.first_time + t.paths - 1 - time : 0);
    out.more(left ? more_text(left, left == 1 ? "path" : "paths") : "… more (use --all)\n");
  }
  return kDone;
}

}  // namespace vestige::cli
