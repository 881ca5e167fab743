// vestige match: did this function ever go this way, when, and how often?
#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "output.h"
#include "path_indexing.h"
#include "report.h"
#include "rows/match_rows.h"
#include "rows/row_tables.h"
#include "rows/rows.h"
#include "short_names.h"
#include "trace_query.h"

namespace vestige::cli {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct MatchRequest {
  PatternOptions options;
  bool first = false, count = false, all = false;
  uint64_t nth = 0;
  MatchScheme scheme = MatchScheme::automatic;
};

// The one function of this name.
Result<uint32_t> one_function(const Trace& trace, const std::string& name) {
  const auto found = functions_named(trace, name);
  if (!found) return std::unexpected(found.error());
  if (found->size() == 1) return found->front();
  return find_function(trace, name);
}

// The answer about one pattern.
struct Answer {
  std::optional<uint64_t> count;
  std::optional<PathMatch> match;  // the first, or the one asked for
  MatchScheme scheme = MatchScheme::automatic;
  double seconds = 0;
  bool found() const { return match.has_value(); }
};

Result<Answer> answer(const PathSearch& search, const PathPattern& pattern,
                      const MatchRequest& request) {
  const auto start = Clock::now();
  Answer out;
  const bool only_first = request.first && !request.count;
  out.scheme = request.scheme == MatchScheme::automatic
                   ? search.choose(pattern, only_first || request.nth > 0)
                   : request.scheme;
  if (!only_first && request.nth == 0) {
    const auto count = search.count(pattern, request.scheme);
    if (!count) return std::unexpected(count.error());
    out.count = *count;
  }
  if (!out.count || *out.count > 0) {
    MatchCursor matches = search.matches(pattern, request.scheme);
    const uint64_t skipped = request.nth > 1 ? matches.skip(request.nth - 1) : 0;
    out.match = matches.next();
    if (matches.error()) return std::unexpected(*matches.error());
    // There are fewer than that: so many there are.
    if (request.nth > 1 && !out.match) out.count = skipped;
  }
  out.seconds = seconds_since(start);
  return out;
}

struct AnswerRow {
  const Trace& trace;
  const PathPattern& pattern;
  const Answer& answer;
  std::string_view path;  // as it was asked for
};

constexpr Column<AnswerRow> kAnswerColumns[] = {
    {"function", ColumnType::text, "whose path it is",
     [](const AnswerRow& row) -> Cell {
       return demangle(row.trace.functions()[row.pattern.function()].name);
     },
     Forms::both, left("function"),
     [](const AnswerRow& row) {
       return short_function(demangle(row.trace.functions()[row.pattern.function()].name));
     }},
    {"path", ColumnType::text, "as it was asked for; in JSON with --paths only",
     [](const AnswerRow& row) -> Cell { return row.path; }, Forms::both, left("path")},
    {"count", ColumnType::count, "how many matches; left out when the first is all that is wanted",
     [](const AnswerRow& row) { return row.answer.count ? Cell(*row.answer.count) : Cell(); },
     Forms::both, right("count")},
    {"first", ColumnType::object, "thread and time of the first match",
     [](const AnswerRow& row) {
       const auto& match = row.answer.match;
       return match ? Cell::json(
                          nlohmann::ordered_json{{"thread", match->thread}, {"time", match->time}})
                    : Cell(nullptr);
     },
     Forms::json},
    {"thread", ColumnType::number, "of the first match",
     [](const AnswerRow& row) {
       return row.answer.match ? Cell(row.answer.match->thread) : Cell(nullptr);
     },
     Forms::csv, right("thread")},
    {"time", ColumnType::number, "of its last block",
     [](const AnswerRow& row) {
       return row.answer.match ? Cell(row.answer.match->time) : Cell(nullptr);
     },
     Forms::csv, right("first at")},
    {"scheme", ColumnType::number, "how it was searched",
     [](const AnswerRow& row) -> Cell { return static_cast<int>(row.answer.scheme); }},
    {"seconds", ColumnType::real, "how long it took",
     [](const AnswerRow& row) { return Cell::real(row.answer.seconds, 6); }},
};

int run_one(const Trace& trace, const PathSearch& search, const MatchRequest& request,
            Format format) {
  const auto pattern = search.pattern(request.options);
  if (!pattern) return report_name(pattern.error());
  Output out;
  if (request.all) return print_matches(trace, search, *pattern, request.scheme, format, out);
  const auto found = answer(search, *pattern, request);
  if (!found) return report_trace(found.error());
  const Answer& a = *found;
  if (format != Format::human) {
    RowStyle style{format};
    if (format == Format::json) style.without = {"path"};
    RowWriter<AnswerRow> rows(kAnswerColumns, std::move(style), out);
    rows.begin();
    rows.row({trace, *pattern, a, pattern->options().text});
  } else {
    const std::string function =
        short_function(demangle(trace.functions()[pattern->function()].name));
    if (a.count.value_or(a.found()) == 0)
      out.print("{} never went {}\n", function, pattern->options().text);
    else if (a.count)
      out.print("{} went {} {}\n", function, pattern->options().text, counted(*a.count, "time"));
    if (a.match)
      out.print("{}: {}\n",
                request.nth > 1 ? fmt::format("number {}", grouped(request.nth)) : "first",
                match_text(trace, search, *a.match));
    out.print("scheme {}, {:.1f} ms\n", static_cast<int>(a.scheme), a.seconds * 1e3);
  }
  return a.found() ? kDone : kNo;
}

// "FUNCTION: B1 B2", or only the blocks when --function is given.
Result<std::vector<PatternOptions>> read_paths(const Trace& trace, const std::string& file,
                                               const PatternOptions& common, bool has_function) {
  std::ifstream in(file);
  if (!in) return fail(ErrorKind::io, "cannot read " + file);
  std::vector<PatternOptions> all;
  std::string row;
  for (size_t number = 1; std::getline(in, row); ++number) {
    const size_t from = row.find_first_not_of(" \t\r");
    if (from == std::string::npos || row.substr(from).starts_with("# ")) continue;
    PatternOptions options = common;
    const size_t colon = row.rfind(": ");
    options.text = colon == std::string::npos ? row : row.substr(colon + 2);
    if (!options.text.empty() && options.text.back() == '\r') options.text.pop_back();
    if (colon != std::string::npos) {
      const auto function = one_function(trace, row.substr(from, colon - from));
      if (!function) return std::unexpected(function.error());
      options.function = *function;
    } else if (!has_function) {
      return fail(ErrorKind::usage, fmt::format("{}:{}: no function; write \"FUNCTION: B1 B2\", or "
                                                "give --function",
                                                file, number));
    }
    all.push_back(std::move(options));
  }
  if (all.empty()) return fail(ErrorKind::usage, file + " holds no paths");
  return all;
}

int run_many(const Trace& trace, const PathSearch& search, const std::vector<PatternOptions>& list,
             const MatchRequest& request, Format format) {
  std::vector<PathPattern> patterns;
  for (const PatternOptions& options : list) {
    auto pattern = search.pattern(options);
    if (!pattern) return report_name(pattern.error());
    patterns.push_back(std::move(*pattern));
  }
  const auto start = Clock::now();
  std::vector<const PathPattern*> pointers;
  for (const PathPattern& pattern : patterns) pointers.push_back(&pattern);
  const auto counts = search.count(pointers, request.scheme);
  if (!counts) return report_trace(counts.error());
  const double each = seconds_since(start) / static_cast<double>(patterns.size());
  Output out;
  RowWriter<AnswerRow> rows(kAnswerColumns, {format}, out);
  rows.begin();
  bool any = false;
  for (size_t i = 0; i < patterns.size(); ++i) {
    const auto first_start = Clock::now();
    Answer a;
    a.count = (*counts)[i];
    any |= *a.count > 0;
    a.scheme = request.scheme == MatchScheme::automatic
                   ? search.choose(patterns[i], false, patterns.size())
                   : request.scheme;
    if (*a.count > 0) {
      MatchCursor matches = search.matches(patterns[i], request.scheme);
      a.match = matches.next();
      if (matches.error()) return report_trace(*matches.error());
    }
    a.seconds = each + seconds_since(first_start);
    rows.row({trace, patterns[i], a,
              format == Format::json ? patterns[i].options().text : list[i].text});
  }
  rows.end();
  return any ? kDone : kNo;
}

}  // namespace

int command_match(Arguments arguments) {
  CommandLine line("match",
                   "Finds a path of a function: consecutive blocks of one activation, whatever it "
                   "calls in between.",
                   "vestige match lua.vst --function luaV_execute --path \"B12 B14 B2\"");
  std::string file, function, path, lines, regex, paths, scheme = "auto", caller, thread;
  MatchRequest request;
  Presentation presentation;
  line.add_trace(file);
  CLI::App& app = line.app();
  auto* function_option =
      app.add_option("--function", function, "Its name, or #ID as vestige functions lists it")
          ->type_name("FN");
  auto* what = app.add_option_group("pattern");
  what->add_option("--path", path, "Blocks, as vestige blocks names them: \"B1 B2 B5\"")
      ->type_name("BLOCKS");
  what->add_option("--lines", lines, "Lines that consecutive blocks hold: \"12 14 15\"")
      ->type_name("LINES");
  what->add_option("--regex", regex,
                   "Blocks, . (any), L12 (line 12), @fn (a call of fn), @ (any call), ( ) | * + ? "
                   "{n,m}: \"B1 (B2|B3)* B4\"")
      ->type_name("EXPR");
  what->add_option("--paths", paths, "A file of paths, one per line: \"FN: B1 B2\"")
      ->type_name("FILE");
  what->require_option(1);
  auto* first = app.add_flag("--first", request.first, "Only the one that ends first");
  auto* count = app.add_flag("--count", request.count, "How many");
  auto* all = app.add_flag("--all", request.all, "Every one");
  const auto from_one = [](const std::string& text) {
    return std::string(text == "0" ? "matches count from 1" : "");
  };
  auto* nth = app.add_option("--nth", request.nth, "Only the N-th, from 1")
                  ->type_name("N")
                  ->check(CLI::Validator(from_one, ""));
  all->excludes(first)->excludes(count)->excludes(nth);
  nth->excludes(first)->excludes(count);
  first->excludes(count);
  app.add_option("--scheme", scheme, "1 unpack, 2 grammar, 3 chunks, 4 index, auto")
      ->check(CLI::IsMember({"1", "2", "3", "4", "auto"}))
      ->type_name("N");
  app.add_option("--caller", caller, "Only activations that this function called")->type_name("FN");
  app.add_option("--thread", thread, "Only this thread: RANK.THREAD, or its number")
      ->type_name("N");
  line.add_presentation(presentation, true);
  if (const auto code = line.parse(arguments)) return *code;
  const bool from_file = !paths.empty();
  if (!from_file && function_option->count() == 0) {
    report_error("no function given; say which one with --function");
    return kWrongUse;
  }
  if (from_file && (request.all || request.nth > 0)) {
    report_error("--paths counts and gives the first of each; --all and --nth are for one path");
    return kWrongUse;
  }

  const auto trace = open_control_flow(file);
  if (!trace) return kBadTrace;
  PatternOptions& options = request.options;
  for (auto [name, place] : {std::pair(&function, &options.function), {&caller, &options.caller}}) {
    if (name->empty()) continue;
    const auto found = one_function(*trace, *name);
    if (!found) return report_name(found.error());
    *place = *found;
  }
  if (!thread.empty()) {
    const auto found = find_thread(*trace, thread);
    if (!found) return report_name(found.error());
    options.thread = *found;
  }
  options.kind = !lines.empty()   ? PatternKind::lines
                 : !regex.empty() ? PatternKind::regex
                                  : PatternKind::path;
  options.text = path + lines + regex;
  if (scheme != "auto") request.scheme = static_cast<MatchScheme>(scheme[0] - '0');

  std::vector<PatternOptions> list;
  if (from_file) {
    auto read = read_paths(*trace, paths, options, function_option->count() > 0);
    if (!read) return report_name(read.error());
    list = std::move(*read);
  }
  const auto search = open_path_search(*trace, presentation);
  // An index that can be written nowhere is the operating system's refusal, not a bad trace.
  if (!search) return report(search.error());
  return from_file ? run_many(*trace, *search, list, request, presentation.format())
                   : run_one(*trace, *search, request, presentation.format());
}

RowTable answer_rows() { return describe("match", kAnswerColumns); }

}  // namespace vestige::cli
