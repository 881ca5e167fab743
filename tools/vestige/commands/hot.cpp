// vestige hot: what the execution does again and again, by what it costs.
#include <fmt/format.h>

#include <climits>

#include "commands.h"
#include "indexing.h"
#include "progress.h"
#include "report.h"
#include "rows/hot_rows.h"
#include "trace_query.h"

namespace vestige::cli {
namespace {

constexpr size_t kShortTop = 20;   // for people, and in pictures
constexpr int kMostLength = 4096;  // what the library takes

struct HotRequest {
  Presentation presentation;
  bool dot = false, svg = false;
  uint32_t min_length = 0, length = 0;  // 0: not given
  size_t top = 0;                       // 0: not given
  bool all = false;
  double percent = 1;
  uint64_t line_bytes = 1;
  std::optional<uint32_t> thread;

  bool short_answer() const { return dot || svg || presentation.format() == Format::human; }
  // Lengths and share, as far as they were given.
  template <class Options>
  Options options() const {
    Options out;
    if (min_length != 0) out.min_length = min_length;
    out.max_length = length != 0 ? length : std::max(out.max_length, out.min_length);
    // Fewer than the least that is usual may be asked for.
    if (min_length == 0) out.min_length = std::min(out.min_length, out.max_length);
    out.share = percent / 100;
    out.thread = thread;
    if (top != 0)
      out.top = top;
    else if (short_answer() && !all)
      out.top = kShortTop;
    return out;
  }
};

template <class Hot, class Print>
int show(const Trace& trace, const Result<Hot>& hot, const HotRequest& request,
         const Print& print) {
  if (!hot) return report(hot.error());
  Output out;
  if (request.dot)
    draw_dot(picture_of(trace, *hot), out);
  else if (request.svg)
    draw_svg(picture_of(trace, *hot), out);
  else
    print(trace, *hot, request.presentation.format(), out);
  return hot->found > 0 ? kDone : kNo;
}

int show_paths(const Trace& trace, const HotRequest& request) {
  auto options = request.options<HotPathOptions>();
  Result<HotPaths> hot;
  {
    Progress progress(request.presentation.quiet, request.presentation.color);
    options.index.progress = [&](uint64_t done, uint64_t total) {
      progress.count(done, total, "paths");
    };
    hot = hot_paths(trace, options);
  }
  return show(trace, hot, request, print_hot_paths);
}

int show_streams(const Trace& trace, const HotRequest& request) {
  auto options = request.options<HotStreamOptions>();
  options.line_bytes = request.line_bytes;
  // What was found is looked up again where it first occurred: that takes an index.
  index_for_query(trace, request.presentation);
  Result<HotStreams> hot;
  {
    Progress progress(request.presentation.quiet, request.presentation.color);
    options.progress = [&](uint64_t done, uint64_t total) { progress.count(done, total, "paths"); };
    hot = hot_data_streams(trace, options);
  }
  if (hot && hot->unknown > 0 && !request.presentation.quiet)
    report_note(fmt::format("{} references of unknown address were left out", hot->unknown));
  return show(trace, hot, request, print_hot_streams);
}

}  // namespace

int command_hot(Arguments arguments) {
  CommandLine line("hot",
                   "The costliest sequences of paths, through calls: minimal ones, of bounded "
                   "length; with --data, of addresses.",
                   "vestige hot lua.vst --length 4 --svg > hot.svg");
  std::string file, thread;
  bool data = false;
  HotRequest request;
  line.add_trace(file);
  CLI::App& app = line.app();
  auto* data_flag = app.add_flag("--data", data, "Hot data streams: sequences of addresses");
  app.add_option("--length", request.length, "Paths at most (8), or references with --data (100)")
      ->type_name("N")
      ->check(CLI::Range(1, kMostLength));
  app.add_option("--min-length", request.min_length, "And at least (1; 2 with --data)")
      ->type_name("N")
      ->check(CLI::Range(1, kMostLength));
  auto* top = app.add_option("--top", request.top,
                             "Only the N costliest; without it 20, or all with --json and --csv")
                  ->type_name("N")
                  ->check(CLI::Range(1, INT_MAX));
  app.add_flag("--all", request.all, "Every row")->excludes(top);
  app.add_option("--share", request.percent,
                 "Hot is what costs at least so many percent of the execution (1)")
      ->type_name("PERCENT");
  app.add_option("--thread", thread, "Only this thread: RANK.THREAD, or its number")
      ->type_name("N");
  app.add_option("--line", request.line_bytes, "With --data: lines of N bytes, not addresses")
      ->type_name("N")
      ->check(CLI::Range(1, INT_MAX))
      ->needs(data_flag);
  auto* dot = app.add_flag("--dot", request.dot, "A graph for Graphviz");
  app.add_flag("--svg", request.svg, "A picture")->excludes(dot);
  line.add_presentation(request.presentation, true);
  if (const auto code = line.parse(arguments)) return *code;
  if ((request.dot || request.svg) && request.presentation.format() != Format::human) {
    report_error("--dot and --svg are pictures; --json and --csv are rows: take one of them");
    return kWrongUse;
  }
  if (!(request.percent > 0 && request.percent <= 100)) {
    report_error("--share takes percent, above 0 and at most 100");
    return kWrongUse;
  }
  if (request.length != 0 && request.min_length > request.length) {
    report_error("--min-length may not exceed --length");
    return kWrongUse;
  }
  const auto trace = open_control_flow(file);
  if (!trace) return kBadTrace;
  if (!thread.empty()) {
    const auto found = find_thread(*trace, thread);
    if (!found) return report_name(found.error());
    request.thread = *found;
  }
  return data ? show_streams(*trace, request) : show_paths(*trace, request);
}

}  // namespace vestige::cli
