// vestige slice: what made a value, or what a value made.
#include "vestige/slice.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>

#include "commands.h"
#include "indexing.h"
#include "report.h"
#include "slice_rows.h"
#include "trace_query.h"

namespace vestige::cli {

namespace {

struct Criterion {
  StatementRef statement;
  std::optional<uint64_t> instance;
};

bool is_store(const Function& function, uint32_t statement) {
  return function.statements[statement].op == Op::store;
}

// STATEMENT[@INSTANCE]
Result<Criterion> parse_criterion(const Trace& trace, const std::string& text) {
  Criterion criterion;
  const size_t at = text.rfind('@');
  if (at != std::string::npos) {
    uint64_t instance = 0;
    const char* end = text.data() + text.size();
    const auto [stop, failure] = std::from_chars(text.data() + at + 1, end, instance);
    if (failure != std::errc() || stop != end || instance == 0)
      return fail(ErrorKind::usage, "an instance is a number from 1, as in #12@3: " + text);
    criterion.instance = instance;
  }
  const std::string name = text.substr(0, at);
  auto found = find_statement(trace, name);
  // A line that stores once means what it stores.
  if (!found && found.error().kind == ErrorKind::usage) {
    const auto store = find_statement(trace, name, is_store, "a store");
    if (store) found = *store;
  }
  if (!found) return std::unexpected(found.error());
  criterion.statement = *found;
  return criterion;
}

}  // namespace

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
  line.app()
      .add_option("--at", at, "The execution: STATEMENT[@INSTANCE]; the last one unless told")
      ->required();
  line.app().add_option("--thread", thread, "Of this thread: RANK.THREAD or a number");
  line.app().add_flag("--forward", forward, "What depends on it");
  line.app().add_flag("--data-only", data_only, "Without dependences on branches and calls");
  line.app().add_option("--depth", depth, "At most so many dependences away");
  line.app().add_flag("--instances", instances, "Every execution, with value, address and reason");
  line.app().add_flag("--all", all, "All rows, not only the first ones");
  auto* source_option = line.app().add_flag("--source", source,
                                            "The source files, with how often each line is in it");
  line.app()
      .add_flag("--dot", dot, "The statements and dependences as a graph for Graphviz")
      ->excludes(source_option);
  line.add_unavailable("--misses");
  line.add_presentation(presentation, true);
  if (const auto code = line.parse(arguments)) return *code;

  const auto trace = open_trace(file);
  if (!trace) return kBadTrace;
  SliceOptions options;
  options.forward = forward;
  options.data_only = data_only;
  options.depth = depth;
  options.instances = instances || dot;
  const auto criterion = parse_criterion(*trace, at);
  if (!criterion) return report_name(criterion.error());
  options.statement = criterion->statement;
  options.instance = criterion->instance;
  if (!thread.empty()) {
    const auto found = find_thread(*trace, thread);
    if (!found) return report_name(found.error());
    options.thread = *found;
  }
  index_for_query(*trace, presentation);
  const auto start = std::chrono::steady_clock::now();
  const auto found = slice(*trace, options);
  if (!found)
    return found.error().kind == ErrorKind::missing ? report_name(found.error())
                                                    : report_trace(found.error());
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const SliceRows rows{*trace, *found, options, presentation, seconds, all};
  if (dot)
    rows.print_dot();
  else if (source)
    rows.print_source();
  else if (instances)
    rows.print_instances();
  else
    rows.print_statements();
  return kDone;
}

}  // namespace vestige::cli
