// vestige sync: the synchronization operations of all threads, in their one order.
#include "vestige/sync.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "chart_picture.h"
#include "commands.h"
#include "indexing.h"
#include "output.h"
#include "report.h"
#include "rows/conflict_rows.h"
#include "rows/row_tables.h"
#include "rows/rows.h"
#include "rows/sharing_rows.h"
#include "short_names.h"
#include "trace_query.h"

namespace vestige::cli {

namespace {

// Where in the program an operation was done: the path that it ends, or that was running.
struct CalledFrom {
  uint32_t function = kNone;
  uint32_t location = kNone;  // Function::locations
};

class OperationPlaces {
 public:
  explicit OperationPlaces(const Trace& trace) : trace_(trace), cursors_(trace.threads().size()) {}

  CalledFrom of(const SyncOperation& operation) {
    auto& cursor = cursors_[operation.thread];
    if (!cursor) {
      auto walk = trace_.walk(operation.thread);
      if (!walk) return {};
      cursor = std::make_unique<PathCursor>(std::move(*walk));
    }
    if (operation.time == 0 || !cursor->seek(operation.time)) return {};
    const Path& path = cursor->path();
    const Function& function = trace_.functions()[path.function];
    const Segment& last = function.segments[path.segments.back()];
    CalledFrom place{path.function, kNone};
    for (uint32_t i = last.statement_count; i-- > 0 && place.location == kNone;)
      place.location = function.statements[last.first_statement + i].location;
    return place;
  }

 private:
  const Trace& trace_;
  std::vector<std::unique_ptr<PathCursor>> cursors_;
};

struct OperationRow {
  const Trace& trace;
  uint64_t order;
  const SyncOperation& operation;
  const SyncMisuse* misuse;  // none: the operation is no misuse
  CalledFrom place;

  const Function* function() const {
    return place.function == kNone ? nullptr : &trace.functions()[place.function];
  }
  const Location* location() const {
    return place.function != kNone && place.location != kNone
               ? &function()->locations[place.location]
               : nullptr;
  }
  std::string name() const { return place.function == kNone ? "" : demangle(function()->name); }
};

std::string where_text(const OperationRow& row) {
  std::string where = short_function(row.name());
  if (row.location()) where += " " + short_place(*row.function(), row.place.location);
  if (!row.misuse) return where;
  return where + (row.misuse->holder == kNone
                      ? "  (misuse: the thread did not have it)"
                      : fmt::format("  (misuse: thread {} had it)",
                                    thread_name(row.trace, row.misuse->holder)));
}

constexpr Column<OperationRow> kSyncColumns[] = {
    {"order", ColumnType::number, "its place in the order of all threads, from 1",
     [](const OperationRow& row) -> Cell { return row.order; }, Forms::both, right("order", 8)},
    {"thread", ColumnType::number, "number of the thread",
     [](const OperationRow& row) -> Cell { return row.operation.thread; }, Forms::both,
     right("thread", 8),
     [](const OperationRow& row) { return thread_name(row.trace, row.operation.thread); }},
    {"number", ColumnType::number, "its place among the operations of the thread, from 1",
     [](const OperationRow& row) -> Cell { return row.operation.number; }},
    {"time", ColumnType::number, "of the path that it ended",
     [](const OperationRow& row) -> Cell { return row.operation.time; }, Forms::both,
     right("time", 12)},
    {"kind", ColumnType::text, "what was done",
     [](const OperationRow& row) -> Cell {
       return std::string_view(sync_kind_name(row.operation.kind));
     },
     Forms::both, left("operation", 16, 2)},
    {"object", ColumnType::address, "with what: the address of a lock, or a number",
     [](const OperationRow& row) -> Cell { return row.operation.object; }, Forms::both,
     left("object", 20),
     [](const OperationRow& row) {
       return row.operation.object ? fmt::format("{:#x}", row.operation.object) : std::string();
     }},
    {"other", ColumnType::number, "a second object, by kind",
     [](const OperationRow& row) -> Cell { return row.operation.other; }},
    {"result", ColumnType::number, "what the operation gave",
     [](const OperationRow& row) -> Cell { return row.operation.result; }},
    {"function", ColumnType::text, "who did it",
     [](const OperationRow& row) { return Cell::text_or_null(row.name()); }},
    {"file", ColumnType::text, "source file",
     [](const OperationRow& row) {
       const Location* at = row.location();
       return at && at->file != kNone
                  ? Cell::text_or_null(std::string_view(row.function()->files[at->file]))
                  : Cell(nullptr);
     }},
    {"line", ColumnType::number, "line, 0 when it is not known",
     [](const OperationRow& row) -> Cell { return row.location() ? row.location()->line : 0u; }},
    {"misuse", ColumnType::object, "of a lock given back by a thread without it: who had it",
     [](const OperationRow& row) {
       if (!row.misuse) return Cell(nullptr);
       const uint32_t holder = row.misuse->holder;
       return Cell::json(holder == kNone ? "{\"holder\":null}"
                                         : fmt::format("{{\"holder\":{}}}", holder));
     },
     Forms::json},
    for_people<OperationRow>(left("where"), where_text),
};

class SyncRows {
 public:
  // `misuses` by rising stamp.
  SyncRows(const Trace& trace, Format format, Output& out, std::vector<SyncMisuse> misuses = {})
      : trace_(trace),
        rows_(kSyncColumns, {format}, out),
        places_(trace),
        misuses_(std::move(misuses)) {
    rows_.begin();
  }
  void row(uint64_t order, const SyncOperation& operation) {
    rows_.row({trace_, order, operation, misuse(operation), places_.of(operation)});
  }

 private:
  const SyncMisuse* misuse(const SyncOperation& operation) const {
    const auto at = std::ranges::lower_bound(
        misuses_, operation.stamp, {}, [](const SyncMisuse& one) { return one.operation.stamp; });
    return at != misuses_.end() && at->operation.stamp == operation.stamp ? &*at : nullptr;
  }

  const Trace& trace_;
  RowWriter<OperationRow> rows_;
  OperationPlaces places_;
  const std::vector<SyncMisuse> misuses_;
};

// "0.1:5" or "1:5".
Result<std::pair<uint32_t, uint64_t>> parse_nth(const Trace& trace, const std::string& option,
                                                const std::string& text, uint64_t least = 1) {
  const size_t colon = text.rfind(':');
  const auto number = colon == std::string::npos
                          ? std::nullopt
                          : parse_number(std::string_view(text).substr(colon + 1));
  if (!number || *number < least)
    return fail(ErrorKind::usage,
                option + " takes THREAD:M, M from " + std::to_string(least) + ", not " + text);
  const auto thread = find_thread(trace, text.substr(0, colon));
  if (!thread) return std::unexpected(thread.error());
  return std::pair(*thread, *number);
}

// "10:500": a stretch of the order.
bool parse_zoom(const std::string& text, SyncChartOptions& options) {
  const size_t colon = text.find(':');
  if (colon == std::string::npos) return false;
  const auto first = parse_number(std::string_view(text).substr(0, colon));
  const auto last = parse_number(std::string_view(text).substr(colon + 1));
  if (!first || !last || *first == 0 || *last < *first) return false;
  options.first = *first;
  options.last = *last;
  return true;
}

int show_chart(const Trace& trace, const std::string& form, const std::string& zoom, bool all,
               uint64_t rows, Format format) {
  SyncChartOptions options;
  if (format == Format::csv) {
    report_error("a chart is text, SVG or --json; without --chart the operations are --csv");
    return kWrongUse;
  }
  if (!zoom.empty() && !parse_zoom(zoom, options)) {
    report_error("--zoom takes FIRST:LAST, places in the order from 1, not " + zoom);
    return kWrongUse;
  }
  if (rows > 0) options.most_rows = rows;
  if (all) options.most_rows = UINT64_MAX;
  const auto chart = sync_chart(trace, options);
  if (!chart) return report_trace(chart.error());
  Output out;
  if (format == Format::json)
    print_chart_json(*chart, out);
  else
    form == "svg" ? print_chart_svg(trace, *chart, out) : print_chart_text(trace, *chart, out);
  return chart->rows.empty() ? kNo : kDone;
}

nlohmann::ordered_json operation_json(const SyncOperation& op) {
  return {{"number", op.number},
          {"time", op.time},
          {"kind", sync_kind_name(op.kind)},
          {"object", op.object}};
}

nlohmann::ordered_json operation_json(const std::optional<SyncOperation>& op) {
  return op ? operation_json(*op) : nlohmann::ordered_json();
}

// What misuses are found of.
bool gives_lock(SyncKind kind) {
  return kind == SyncKind::mutex_unlock || kind == SyncKind::spin_unlock ||
         kind == SyncKind::rwlock_unlock || kind == SyncKind::cond_wait;
}

// A segment, or what was held: where it begins and ends, and the operations in it.
int show_stretch(const Trace& trace, const Result<SyncStretch>& found, Format format) {
  if (!found)
    return found.error().kind == ErrorKind::corrupt ? report_trace(found.error())
                                                    : report_name(found.error());
  const uint64_t paths =
      found->last_time < found->first_time ? 0 : found->last_time - found->first_time + 1;
  Output out;
  if (format == Format::json) {
    auto within = nlohmann::ordered_json::array();
    for (const SyncOperation& op : found->operations) within.push_back(operation_json(op));
    out.json({{"thread", found->thread},
              {"from", operation_json(found->from)},
              {"to", operation_json(found->to)},
              {"first_time", found->first_time},
              {"last_time", found->last_time},
              {"paths", paths},
              {"operations", std::move(within)}});
    return kDone;
  }
  SyncRows rows(trace, format, out);
  if (found->from) rows.row(found->from->number, *found->from);
  for (const SyncOperation& op : found->operations) rows.row(op.number, op);
  if (found->to) rows.row(found->to->number, *found->to);
  if (format == Format::human) {
    out.print("{} {}", paths, paths == 1 ? "path" : "paths");
    if (paths > 0)
      out.print(", times {} to {}: vestige walk {} --thread {} --from {}", found->first_time,
                found->last_time, trace.file(), thread_name(trace, found->thread),
                found->first_time);
    out.put('\n');
  }
  return kDone;
}

int show_nth(const Trace& trace, uint32_t thread, uint64_t number,
             const Presentation& presentation) {
  const auto nth = sync_nth(trace, thread, number);
  if (!nth) return report_trace(nth.error());
  std::vector<SyncMisuse> misuses;
  if (*nth && gives_lock((*nth)->operation.kind)) {
    auto found = find_misuses(trace);
    if (!found) return report_trace(found.error());
    misuses = std::move(*found);
  }
  Output out;
  SyncRows rows(trace, presentation.format(), out, std::move(misuses));
  if (*nth) {
    rows.row((*nth)->place, (*nth)->operation);
    return kDone;
  }
  if (!presentation.quiet)
    report_note(fmt::format("thread {} has no operation {}", thread_name(trace, thread), number));
  return kNo;
}

}  // namespace

// --chart may stand alone: then it is text.
Arguments with_form_of_chart(const Arguments& arguments) {
  Arguments out;
  for (size_t i = 0; i < arguments.size(); ++i) {
    out.push_back(arguments[i]);
    const bool alone = i + 1 == arguments.size() || arguments[i + 1].starts_with('-') ||
                       std::filesystem::is_regular_file(arguments[i + 1]);
    if (arguments[i] == "--chart" && alone) out.push_back("text");
  }
  return out;
}

int command_sync(Arguments arguments) {
  CommandLine line("sync",
                   "The synchronization operations of all threads, in the order in which they "
                   "happened.",
                   "vestige sync server.vst --thread 0.1");
  std::string file, thread, nth, segment, held, chart, zoom;
  uint64_t count = 0, chart_rows = 0;
  bool all = false;
  Presentation presentation;
  line.add_trace(file);
  CLI::App& app = line.app();
  auto* thread_option =
      app.add_option("--thread", thread, "Only of this thread: RANK.THREAD, or its number")
          ->type_name("N");
  app.add_option("--nth", nth, "Only the M-th operation of a thread, from 1")
      ->type_name("THREAD:M")
      ->excludes(thread_option);
  auto* count_option = app.add_option("--count", count, "At most this many rows")->type_name("N");
  app.add_flag("--all", all, "Every row")->excludes(count_option);
  auto* segment_option =
      app.add_option(
             "--segment", segment,
             "What a thread ran behind its M-th operation, up to the next; 0: before the first")
          ->type_name("THREAD:M");
  auto* held_option =
      app.add_option("--held", held, "From the M-th operation, a lock, to its own unlock")
          ->type_name("THREAD:M")
          ->excludes(segment_option);
  auto* chart_option =
      app.add_option("--chart", chart, "A message sequence chart of all threads: text, or svg")
          ->check(CLI::IsMember({"text", "svg"}))
          ->type_name("FORM")
          ->excludes(segment_option)
          ->excludes(held_option);
  app.add_option("--zoom", zoom, "Of the chart: only these places in the order")
      ->type_name("FIRST:LAST")
      ->needs(chart_option);
  app.add_option("--rows", chart_rows,
                 "Of the chart: at most this many, each a stretch where there are more")
      ->type_name("N")
      ->needs(chart_option);
  bool sharing = false;
  app.add_flag("--sharing", sharing,
               "How threads share memory: by variable who reads and writes it, and in which way")
      ->excludes(segment_option)
      ->excludes(held_option)
      ->excludes(chart_option);
  bool conflicts = false;
  app.add_flag("--conflicts", conflicts,
               "Of a recording made with --order: which access came behind which of another thread")
      ->excludes(segment_option)
      ->excludes(held_option)
      ->excludes(chart_option)
      ->excludes("--sharing")
      ->excludes("--nth");
  line.add_presentation(presentation, true);
  if (const auto code = line.parse(with_form_of_chart(arguments))) return *code;
  const auto trace = open_trace(file);
  if (!trace) return kBadTrace;
  if (sharing) {
    index_for_query(*trace, presentation);
    const auto found = find_sharing(*trace);
    if (!found) return report_trace(found.error());
    print_sharing(*trace, *found, presentation, all);
    return found->rows.empty() ? kNo : kDone;
  }
  if (!chart.empty())
    return show_chart(*trace, chart, zoom, all, chart_rows, presentation.format());
  if (!segment.empty() || !held.empty()) {
    const auto parsed = segment.empty() ? parse_nth(*trace, "--held", held)
                                        : parse_nth(*trace, "--segment", segment, 0);
    if (!parsed) return report_name(parsed.error());
    return show_stretch(*trace,
                        segment.empty() ? sync_held(*trace, parsed->first, parsed->second)
                                        : sync_segment(*trace, parsed->first, parsed->second),
                        presentation.format());
  }
  uint32_t only = kNone;
  uint64_t number = 0;
  if (!thread.empty()) {
    const auto found = find_thread(*trace, thread);
    if (!found) return report_name(found.error());
    only = *found;
  }
  if (!nth.empty()) {
    const auto parsed = parse_nth(*trace, "--nth", nth);
    if (!parsed) return report_name(parsed.error());
    std::tie(only, number) = *parsed;
  }
  if (conflicts) {
    const bool shortened = presentation.format() == Format::human && !all;
    const uint64_t most = count_option->count() > 0 ? count : shortened ? kShortRows : UINT64_MAX;
    return write_conflicts(*trace, only == kNone ? std::nullopt : std::optional(only), most,
                           presentation);
  }
  if (number != 0) return show_nth(*trace, only, number, presentation);
  auto order = SyncOrderCursor::open(*trace);
  if (!order) return report_trace(order.error());
  const Format format = presentation.format();
  uint64_t most = UINT64_MAX;
  if (count_option->count() > 0)
    most = count;
  else if (format == Format::human && !all)
    most = kShortRows;
  auto misuses = find_misuses(*trace);
  if (!misuses) return report_trace(misuses.error());
  Output out;
  SyncRows rows(*trace, format, out, std::move(*misuses));
  uint64_t place = 0, given = 0, more = 0;
  while (order->next()) {
    ++place;
    const SyncOperation& operation = order->operation();
    if (only != kNone && operation.thread != only) continue;
    if (given == most) {
      ++more;
      if (count_option->count() > 0) break;
      continue;
    }
    ++given;
    rows.row(place, operation);
  }
  if (order->error()) {
    out.flush();
    return report_trace(*order->error());
  }
  if (more > 0 && count_option->count() == 0) out.more(more_text(more, "operations"));
  return given > 0 ? kDone : kNo;
}

RowTable sync_rows() { return describe("sync", kSyncColumns); }

}  // namespace vestige::cli
