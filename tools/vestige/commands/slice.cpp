// vestige slice: what made a value, or what a value made.
#include "vestige/slice.h"

#include <fmt/format.h>

#include <chrono>

#include "commands.h"
#include "indexing.h"
#include "machine_model.h"
#include "output.h"
#include "report.h"
#include "rows/slice_rows.h"
#include "slice_criterion.h"
#include "trace_query.h"

namespace vestige::cli {

// Each costs a slice.
constexpr uint64_t kMostMisses = 100;
// Members that are shown one by one take room on disk, not in memory. They are numbered in 32 bits.
constexpr uint64_t kMostShown = kNone - 1;
// Statements that Graphviz can still lay out in minutes.
constexpr size_t kMostDrawn = 2000;

int command_slice(Arguments arguments) {
  CommandLine line(
      "slice", "What an execution of a statement depends on, or with --forward what depends on it.",
      "vestige slice bzip2.vst --at compress.c:120:9@1000");
  std::string file, at, thread;
  bool forward = false, data_only = false, instances = false, all = false;
  bool source = false, dot = false;
  uint32_t depth = kNone;
  Presentation presentation;
  line.add_trace(file);
  add_criterion(line, at, thread);
  line.app().add_flag("--forward", forward, "What depends on it");
  line.app().add_flag("--data-only", data_only, "Without dependences on branches and calls");
  line.app().add_option("--depth", depth, "At most so many dependences away")->type_name("N");
  line.app().add_flag("--instances", instances, "Every execution, with value, address and reason");
  line.app().add_flag("--all", all, "All rows, not only the first ones");
  auto* source_option = line.app().add_flag("--source", source,
                                            "The source files, with how often each line is in it");
  line.app()
      .add_flag("--dot", dot, "The statements and dependences as a graph for Graphviz")
      ->excludes(source_option);
  bool misses = false;
  line.app().add_flag("--misses", misses,
                      "Of all executions that missed the modelled cache, or were mispredicted");
  MachineFlags model;
  model.add_to(line.app());
  line.add_presentation(presentation, true);
  if (const auto code = line.parse(arguments)) return *code;

  const auto trace = open_trace(file);
  if (!trace) return kBadTrace;
  auto options = parse_criterion(*trace, at, thread);
  if (!options) return report_name(options.error());
  options->forward = forward;
  options->data_only = data_only;
  options->depth = depth;
  options->instances = dot || (instances && !source);
  dependences_for_query(*trace, presentation);
  const auto start = std::chrono::steady_clock::now();
  std::optional<MissSlice> missed;
  InstanceRows instance_rows(*trace, presentation, all);
  SliceGraph graph(*trace);
  const auto show = [&](const Slice& whole, const SliceInstance& member, const SliceInstance* of) {
    if (!dot) return instance_rows.add(whole, member, of);
    graph.add(member, of);
    return true;
  };
  Result<Slice> found;
  if (misses) {
    if (options->instance) {
      report_error("--misses takes the executions that missed; leave the @INSTANCE out");
      return kWrongUse;
    }
    const auto labels = model.labels(*trace, presentation);
    if (!labels) return report_labels(labels.error());
    auto made = slice_misses(*trace, *labels, *options, all ? UINT64_MAX : kMostMisses);
    if (!made) return report_slice(made.error());
    if (made->sliced < made->misses && !presentation.quiet)
      report_note(fmt::format("of {} misses, the first {} (use --all)", grouped(made->misses),
                              made->sliced));
    found = std::move(made->slice);
    missed = std::move(*made);
    for (const SliceInstance& member : found->instances)
      if (!show(*found, member, member.of == kNone ? nullptr : &found->instances[member.of])) break;
  } else if (options->instances) {
    options->values = !dot;
    options->most_instances = kMostShown;
    found = slice_each(*trace, *options, show);
  } else {
    found = slice(*trace, *options);
  }
  if (!found) return report_slice(found.error());
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  SliceRows rows{*trace, *found, *options, presentation, seconds, all};
  if (missed) rows.misses = missed->misses;
  if (dot) {
    if (found->statements.size() > kMostDrawn && !all) {
      report_error(fmt::format(
          "the graph would have {} statements and {} dependences, too many to draw; ask for less "
          "with --depth or --data-only, or for all of it with --all",
          grouped(found->statements.size()), grouped(graph.edges())));
      return kWrongUse;
    }
    graph.print(*found, options->forward);
  } else if (source)
    rows.print_source();
  else if (instances)
    instance_rows.end(*found);
  else
    rows.print_statements();
  return kDone;
}

}  // namespace vestige::cli
