// vestige descriptors: what folded into what, and what did not.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "descriptor_query.h"
#include "output.h"
#include "report.h"
#include "rows/row_tables.h"
#include "rows/rows.h"
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

struct FoldedRow {
  const DescriptorRow& row;
  const std::vector<ContextRow>& contexts;
  bool at_statement() const { return row.kind == "address" || row.kind == "length"; }
};

constexpr Column<FoldedRow> kDescriptorColumns[] = {
    {"context", ColumnType::number, "number of the context; null: of the whole trace",
     [](const FoldedRow& r) {
       return r.row.context == kNone ? Cell(nullptr) : Cell(r.row.context);
     }},
    {"function", ColumnType::text, "whose context it is",
     [](const FoldedRow& r) -> Cell {
       return r.row.context == kNone ? "" : demangle(r.contexts[r.row.context].name);
     }},
    {"kind", ColumnType::text, "address, length, trips, calls or paths",
     [](const FoldedRow& r) -> Cell { return std::string_view(r.row.kind); }},
    {"threads", ColumnType::list, "numbers of the threads that have it in common",
     [](const FoldedRow& r) { return Cell::numbers(r.row.threads); }},
    {"statement", ColumnType::id, "of an address or length: the statement",
     [](const FoldedRow& r) { return r.at_statement() ? Cell(r.row.statement) : Cell(); }},
    {"file", ColumnType::text, "of an address or length: its source file",
     [](const FoldedRow& r) {
       return r.at_statement() ? Cell(std::string_view(r.row.file)) : Cell();
     }},
    {"line", ColumnType::number, "of an address or length: its line",
     [](const FoldedRow& r) { return r.at_statement() ? Cell(r.row.line) : Cell(); }},
    {"pattern", ColumnType::text, "as a function of loops (i1, i2 …) and threads (t)",
     [](const FoldedRow& r) -> Cell { return std::string_view(r.row.pattern); }},
    {"stretches", ColumnType::number, "pieces that it takes",
     [](const FoldedRow& r) -> Cell { return r.row.stretches; }},
    {"literals", ColumnType::count, "numbers that did not fold",
     [](const FoldedRow& r) -> Cell { return r.row.literals; }},
    {"literal_bytes", ColumnType::count, "bytes that these take",
     [](const FoldedRow& r) -> Cell { return r.row.literal_bytes; }},
    {"regular", ColumnType::boolean, "true: all folded",
     [](const FoldedRow& r) -> Cell { return r.row.literals == 0; }},
};

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

struct TreeRow {
  const std::vector<ContextRow>& rows;
  uint32_t number;
  const ContextRow& context() const { return rows[number]; }
};

constexpr Column<TreeRow> kContextColumns[] = {
    {"context", ColumnType::number, "its number",
     [](const TreeRow& r) -> Cell { return r.number; }},
    {"depth", ColumnType::number, "in the tree, from 1",
     [](const TreeRow& r) -> Cell { return r.context().depth; }},
    {"kind", ColumnType::text, "loop or activation",
     [](const TreeRow& r) -> Cell {
       return std::string_view(r.context().loop ? "loop" : "activation");
     }},
    {"function", ColumnType::text, "whose it is",
     [](const TreeRow& r) -> Cell { return demangle(r.context().name); }},
    {"loop", ColumnType::number, "of a loop: its number in the function",
     [](const TreeRow& r) { return r.context().loop ? Cell(r.context().place) : Cell(nullptr); }},
    {"statements", ColumnType::count, "statements in it that refer to memory",
     [](const TreeRow& r) -> Cell { return r.context().references; }},
    {"entrances", ColumnType::object, "who begins there: threads, and from which context",
     [](const TreeRow& r) { return Cell::json(entrances_json(r.context())); }, Forms::json},
};

// A context for people, as deep as it lies.
void print_context(const TreeRow& r, Output& out) {
  const ContextRow& row = r.context();
  const std::string entrances = entrances_text(row, r.rows);
  out.print("{:>5}  {:{}}{}{}{}{}\n", r.number, "", 2 * (row.depth - 1),
            row.loop ? fmt::format("loop {} of ", row.place) : "",
            short_function(demangle(row.name)),
            row.references ? fmt::format(", {} statements refer to memory", row.references) : "",
            entrances.empty() ? "" : "; " + entrances);
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
  RowWriter<FoldedRow> writer(kDescriptorColumns, style_of(presentation), out);
  if (presentation.format() != Format::human) writer.begin();
  for (const DescriptorRow& row : descriptors->rows()) {
    literals += row.literals;
    literal_bytes += row.literal_bytes;
    if (presentation.format() != Format::human) {
      writer.row({row, contexts});
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
  const auto rows = descriptors->contexts();
  const size_t shown =
      format == Format::human && !all ? std::min<size_t>(rows.size(), kShortRows) : rows.size();
  RowWriter<TreeRow> writer(kContextColumns, style_of(presentation), out);
  if (format != Format::human) writer.begin();
  for (uint32_t number = 0; number < shown; ++number)
    format == Format::human ? print_context({rows, number}, out) : writer.row({rows, number});
  if (shown < rows.size()) out.more(more_text(rows.size() - shown, "contexts"));
  return kDone;
}

RowTable descriptor_rows() { return describe("descriptors", kDescriptorColumns); }
RowTable context_rows() { return describe("contexts", kContextColumns); }

}  // namespace vestige::cli
