// vestige races: accesses of several threads that nothing orders.
#include "vestige/races.h"

#include <fmt/format.h>

#include <chrono>
#include <fstream>

#include "commands.h"
#include "indexing.h"
#include "report.h"
#include "rows/race_rows.h"
#include "trace_query.h"

namespace vestige::cli {

namespace {

// One pattern a line; empty lines and those that begin with # are comments.
bool read_patterns(const std::string& file, std::vector<std::string>& patterns) {
  std::ifstream in(file);
  if (!in) return false;
  for (std::string line; std::getline(in, line);)
    if (!line.empty() && line[0] != '#') patterns.push_back(line);
  return !in.bad();
}

}  // namespace

int command_races(Arguments arguments) {
  CommandLine line("races",
                   "Data races: accesses of several threads to the same memory that no "
                   "synchronization orders. Exit code 1 when there are any.",
                   "vestige races server.vst --suppress 'stats_*'");
  std::string file, artifacts = "show", pattern_file, memory, schedules = "recorded";
  RaceOptions options;
  bool all = false;
  Presentation presentation;
  line.add_trace(file);
  CLI::App& app = line.app();
  app.add_option("--artifacts", artifacts,
                 "Races that may be consequences of others: show them or hide them")
      ->check(CLI::IsMember({"show", "hide"}))
      ->type_name("WHAT");
  app.add_option("--suppress", options.suppress,
                 "Leave out races whose function, file, FILE:LINE or variable matches; may be "
                 "repeated")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
  app.add_option("--suppressions", pattern_file, "The same with the patterns of a file, one a line")
      ->type_name("FILE");
  app.add_flag("--all", all, "Every race with its whole stacks");
  app.add_flag("--predict", options.predict,
               "Also races of other orders that the recording allows, each with such an order");
  app.add_option(
         "--schedules", schedules,
         "any: also races of accesses that one thread made, and that OpenMP may give to two")
      ->check(CLI::IsMember({"recorded", "any"}))
      ->type_name("WHICH");
  app.add_option("--memory", memory,
                 "Use about so much for accesses (4G unless told): less takes longer")
      ->type_name("SIZE");
  line.add_presentation(presentation, true);
  if (const auto code = line.parse(arguments)) return *code;
  options.other_schedules = schedules == "any";
  if (!memory.empty()) {
    const auto size = parse_size(memory, 1024);
    if (!size) {
      report_error(fmt::format("--memory takes a size such as 512M, not '{}'", memory));
      return kWrongUse;
    }
    options.memory = *size;
  }
  if (!pattern_file.empty() && !read_patterns(pattern_file, options.suppress)) {
    report_error(fmt::format("cannot read the patterns in {}", pattern_file));
    return kIo;
  }
  const auto trace = open_trace(file);
  if (!trace) return kBadTrace;
  index_for_query(*trace, presentation);
  const auto start = std::chrono::steady_clock::now();
  const auto found = find_races(*trace, options);
  if (!found) return report_trace(found.error());
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  RaceRows{*trace, *found, presentation, seconds, artifacts == "show", all, options.predict}
      .print();
  if (!found->limit.empty() && !presentation.quiet)
    report_note("the prediction is not complete: " + found->limit);
  if (!found->schedules_limit.empty() && !presentation.quiet)
    report_note("not all races of other schedules are known: " + found->schedules_limit);
  if (!found->artifacts_limit.empty() && !presentation.quiet)
    report_note("no race is taken for an artifact: " + found->artifacts_limit);
  if (found->unknown > 0 && !presentation.quiet)
    report_note(
        fmt::format("of {} accesses the address is not known; they were left out", found->unknown));
  return found->races.empty() ? kDone : kNo;
}

}  // namespace vestige::cli
