// vestige descriptors: what folded into what, and what did not.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "descriptor_query.h"
#include "output.h"
#include "report.h"
#include "short_names.h"
#include "trace_query.h"
#include "vestige/query.h"

namespace vestige::cli {

namespace {

std::string place_text(const DescriptorRow& row) {
  if (row.statement == 0 && row.line == 0) return row.kind;
  return fmt::format("#{} {}:{}", row.statement, file_name(row.file), row.line);
}

// Long lists are for --json.
std::string threads_text(const std::vector<uint32_t>& threads) {
  std::string text = set_text(threads);
  return text.size() <= 24 ? text : fmt::format("{} threads", threads.size());
}

std::string literal_text(const DescriptorRow& row) {
  return fmt::format("{} numbers, {} bytes", grouped(row.literals), grouped(row.literal_bytes));
}

// The context at the root that this one is in.
uint32_t outermost(const std::vector<ContextRow>& contexts, uint32_t context) {
  while (contexts[context].depth > 1) --context;
  return context;
}

void print_json(const DescriptorRow& row, const std::vector<ContextRow>& contexts, Output& out) {
  nlohmann::ordered_json object;
  object["context"] =
      row.context == kNone ? nlohmann::ordered_json() : nlohmann::ordered_json(row.context);
  object["function"] = row.context == kNone ? "" : demangle(contexts[row.context].name);
  object["kind"] = row.kind;
  object["threads"] = row.threads;
  if (row.kind == "address" || row.kind == "length") {
    object["statement"] = row.statement;
    object["file"] = row.file;
    object["line"] = row.line;
  }
  object["pattern"] = row.pattern;
  object["stretches"] = row.stretches;
  object["literals"] = row.literals;
  object["literal_bytes"] = row.literal_bytes;
  object["regular"] = row.literals == 0;
  out.json(object);
}

void print_csv(const DescriptorRow& row, const std::vector<ContextRow>& contexts, Output& out) {
  const bool root = row.context == kNone;
  out.print("{},{},{},{},", root ? "" : fmt::to_string(row.context),
            root ? "" : csv_field(demangle(contexts[row.context].name)), row.kind,
            fmt::join(row.threads, " "));
  if (row.kind == "address" || row.kind == "length")
    out.print("{},{},{},", row.statement, csv_field(row.file), row.line);
  else
    out.text(",,,");
  out.print("{},{},{},{},{}\n", csv_field(row.pattern), row.stretches, row.literals,
            row.literal_bytes, row.literals == 0);
}

// "[0] from main, [1-7] begin here"; nothing where all threads begin.
std::string entrances_text(const ContextRow& row, const std::vector<ContextRow>& rows) {
  if (std::ranges::all_of(row.entrances, [](const Entrance& e) { return e.from == kNone; }))
    return "";
  std::string text;
  for (const Entrance& entrance : row.entrances)
    text += fmt::format("{}[{}] {}", text.empty() ? "" : ", ", threads_text(entrance.threads),
                        entrance.from == kNone
                            ? std::string("begin here")
                            : "from " + short_function(demangle(rows[entrance.from].name)));
  return text;
}

nlohmann::ordered_json entrances_json(const ContextRow& row) {
  auto list = nlohmann::ordered_json::array();
  for (const Entrance& entrance : row.entrances)
    list.push_back({{"threads", entrance.threads},
                    {"from", entrance.from == kNone ? nlohmann::ordered_json()
                                                    : nlohmann::ordered_json(entrance.from)}});
  return list;
}

void print_context(const std::vector<ContextRow>& rows, uint32_t number, Format format,
                   Output& out) {
  const ContextRow& row = rows[number];
  const char* kind = row.loop ? "loop" : "activation";
  if (format == Format::json) {
    out.json({{"context", number},
              {"depth", row.depth},
              {"kind", kind},
              {"function", demangle(row.name)},
              {"loop", row.loop ? nlohmann::ordered_json(row.place) : nlohmann::ordered_json()},
              {"statements", row.references},
              {"entrances", entrances_json(row)}});
  } else if (format == Format::csv) {
    out.print("{},{},{},{},{},{}\n", number, row.depth, kind, csv_field(demangle(row.name)),
              row.loop ? fmt::to_string(row.place) : "", row.references);
  } else {
    const std::string entrances = entrances_text(row, rows);
    out.print("{:>5}  {:{}}{}{}{}{}\n", number, "", 2 * (row.depth - 1),
              row.loop ? fmt::format("loop {} of ", row.place) : "",
              short_function(demangle(row.name)),
              row.references ? fmt::format(", {} statements refer to memory", row.references) : "",
              entrances.empty() ? "" : "; " + entrances);
  }
}

}  // namespace

int command_descriptors(Arguments arguments) {
  CommandLine line(
      "descriptors",
      "The descriptors of a trace: for each context what its threads have in common, as "
      "functions of loops (i1, i2 … outermost first) and threads (t), and what is irregular.",
      "vestige descriptors small.vst");
  std::string file;
  bool all = false;
  Presentation presentation;
  line.add_trace(file);
  line.app().add_flag("--all", all, "Every row; calls and paths too");
  line.add_presentation(presentation, true);
  if (const auto code = line.parse(arguments)) return *code;
  const auto descriptors = open_descriptors(file);
  if (!descriptors) return kBadTrace;
  const auto contexts = descriptors->contexts();
  Output out;
  uint64_t shown = 0, left = 0;
  uint32_t context = kNone;
  uint64_t literals = 0, literal_bytes = 0;
  if (presentation.csv)
    out.text(
        "context,function,kind,threads,statement,file,line,pattern,stretches,literals,literal_"
        "bytes,"
        "regular\n");
  for (const DescriptorRow& row : descriptors->rows()) {
    literals += row.literals;
    literal_bytes += row.literal_bytes;
    if (presentation.csv) {
      print_csv(row, contexts, out);
      continue;
    }
    if (presentation.json) {
      print_json(row, contexts, out);
      continue;
    }
    // Calls and paths that always go the same way are the program's own business.
    if (!all && row.kind != "address" && row.kind != "trips" && row.literals == 0) continue;
    if (!all && shown >= kShortRows) {
      ++left;
      continue;
    }
    ++shown;
    if (row.context != context && row.context != kNone) {
      const ContextRow& where = contexts[row.context];
      const std::string entrances =
          entrances_text(contexts[outermost(contexts, row.context)], contexts);
      out.print("{} {}{}{}\n", row.context, short_function(demangle(where.name)),
                where.loop ? fmt::format(" loop {}", where.place) : "",
                entrances.empty() ? "" : "; " + entrances);
      context = row.context;
    }
    out.print("  {:<24} [{}] {}{}\n", place_text(row), threads_text(row.threads), row.pattern,
              row.literals ? "; irregular: " + literal_text(row) : "");
  }
  if (presentation.format() != Format::human) return kDone;
  if (left) out.more(more_text(left, "descriptors"));
  if (literals)
    out.print("{} numbers did not fold and are kept as they are, in {} bytes\n", grouped(literals),
              grouped(literal_bytes));
  return kDone;
}

int command_contexts(Arguments arguments) {
  CommandLine line("contexts",
                   "The tree of calling contexts and loops, of all threads and ranks together.",
                   "vestige contexts prog.vst");
  std::string file;
  bool all = false;
  Presentation presentation;
  line.add_trace(file);
  line.app().add_flag("--all", all, "Every row");
  line.add_presentation(presentation, true);
  if (const auto code = line.parse(arguments)) return *code;
  const auto descriptors = open_descriptors(file);
  if (!descriptors) return kBadTrace;
  const Format format = presentation.format();
  Output out;
  if (format == Format::csv) out.text("context,depth,kind,function,loop,statements\n");
  const auto rows = descriptors->contexts();
  const size_t shown =
      format == Format::human && !all ? std::min<size_t>(rows.size(), kShortRows) : rows.size();
  for (uint32_t number = 0; number < shown; ++number) print_context(rows, number, format, out);
  if (shown < rows.size()) out.more(more_text(rows.size() - shown, "contexts"));
  return kDone;
}

}  // namespace vestige::cli
