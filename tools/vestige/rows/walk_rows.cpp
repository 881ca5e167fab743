#include "rows/walk_rows.h"

#include "rows/row_tables.h"
#include "short_names.h"
#include "statement_text.h"
#include "trace_query.h"
#include "value_text.h"

namespace vestige::cli {
namespace {

std::string_view op_of(const Trace& trace, const WalkRow& row) {
  return op_name(trace.functions()[row.function].statements[row.statement].op);
}

std::string_view kind_name(WalkRow::Kind kind) {
  switch (kind) {
    case WalkRow::Kind::path:
      return "path";
    case WalkRow::Kind::block:
      return "block";
    case WalkRow::Kind::statement:
      return "statement";
    case WalkRow::Kind::event:
      return "event";
  }
  return "";
}

using Step = WalkRowWriter::Step;

bool is_event(const Step& step) { return step.row.kind == WalkRow::Kind::event; }
bool is_path(const Step& step) { return step.row.kind == WalkRow::Kind::path; }
bool is_statement(const Step& step) { return step.row.kind == WalkRow::Kind::statement; }

constexpr Column<Step> kStepColumns[] = {
    {"kind", ColumnType::text, "path, block, statement or event",
     [](const Step& s) -> Cell { return kind_name(s.row.kind); }},
    {"thread", ColumnType::number, "number of the thread",
     [](const Step& s) -> Cell { return s.row.thread; }},
    {"time", ColumnType::number, "of the path; of an event: paths before it",
     [](const Step& s) -> Cell { return s.row.time; }},
    {"depth", ColumnType::number, "activations below",
     [](const Step& s) -> Cell { return s.row.depth; }},
    {"event", ColumnType::text, "of an event: its kind",
     [](const Step& s) { return is_event(s) ? Cell(event_name(s.row.event->kind)) : Cell(); },
     Forms::json},
    {"numbers", ColumnType::list, "of an event: its numbers",
     [](const Step& s) {
       return is_event(s)
                  ? Cell::numbers({s.row.event->numbers.begin(), s.row.event->numbers.end()})
                  : Cell();
     },
     Forms::json},
    {"text", ColumnType::text, "of an event: in words",
     [](const Step& s) { return is_event(s) ? Cell(std::string_view(s.row.text)) : Cell(); },
     Forms::json},
    {"function", ColumnType::text, "of others: the function",
     [](const Step& s) { return is_event(s) ? Cell() : Cell::lasting(s.function); }},
    {"block", ColumnType::text, "the block, of a path its first",
     [](const Step& s) { return is_event(s) ? Cell() : Cell::block(s.row.block); }},
    {"file", ColumnType::text, "source file",
     [](const Step& s) { return is_event(s) ? Cell() : Cell::lasting(s.row.file); }},
    {"line", ColumnType::number, "line, 0 when it is not known",
     [](const Step& s) { return is_event(s) ? Cell() : Cell(s.row.line); }},
    {"column", ColumnType::number, "column, 0 when it is not known",
     [](const Step& s) { return is_event(s) ? Cell() : Cell(s.row.column); }},
    {"path", ColumnType::number, "of a path: its number",
     [](const Step& s) { return is_path(s) ? Cell(s.row.path->id) : Cell(); }},
    {"blocks", ColumnType::list, "of a path: the blocks it begins",
     [](const Step& s) { return is_path(s) ? Cell::blocks(s.row.path->blocks) : Cell(); }},
    {"enters", ColumnType::boolean, "of a path: it begins the activation",
     [](const Step& s) { return is_path(s) ? Cell::flag(s.row.path->enters) : Cell(); }},
    {"leaves", ColumnType::boolean, "of a path: it ends the activation",
     [](const Step& s) { return is_path(s) ? Cell::flag(s.row.path->leaves) : Cell(); }},
    {"statements", ColumnType::count, "of a path: statements it executes",
     [](const Step& s) { return is_path(s) ? Cell(s.row.path->statements) : Cell(); }, Forms::json},
    {"id", ColumnType::id, "of a statement: its number",
     [](const Step& s) { return is_statement(s) ? Cell(s.row.statement_id) : Cell(); }},
    {"op", ColumnType::text, "of a statement: the operation",
     [](const Step& s) { return is_statement(s) ? Cell(op_of(s.trace, s.row)) : Cell(); }},
    {"value", ColumnType::value, "of a statement: what it computed, loaded or stored",
     [](const Step& s) {
       return s.row.value  ? Cell::value(s.type, s.row.value)
              : s.row.wide ? Cell::wide(*s.items, s.row.wide)
                           : Cell();
     }},
    {"address", ColumnType::address, "of a statement: where it loaded or stored",
     [](const Step& s) { return s.row.address ? Cell(*s.row.address) : Cell(); }},
    {"event", ColumnType::text, "of an event: in words",
     [](const Step& s) { return is_event(s) ? Cell(std::string_view(s.row.text)) : Cell(); },
     Forms::csv},
};

}  // namespace

WalkRowWriter::WalkRowWriter(const Trace& trace, WalkLevel level, Format format, bool color,
                             Output& out)
    : trace_(trace),
      format_(format),
      color_(color),
      out_(out),
      rows_(kStepColumns, style(level, format), out),
      names_(trace.functions().size()) {}

// CSV has the columns of the level; in JSON each row has its own.
RowStyle WalkRowWriter::style(WalkLevel level, Format format) {
  RowStyle style{format};
  if (format != Format::csv) return style;
  if (level != WalkLevel::path) style.without = {"path", "blocks", "enters", "leaves"};
  if (level != WalkLevel::statement)
    style.without.insert(style.without.end(), {"id", "op", "value", "address"});
  return style;
}

const WalkRowWriter::Name& WalkRowWriter::function_name(uint32_t function) {
  Name& name = names_[function];
  if (name.whole.empty()) {
    name.whole = demangle(trace_.functions()[function].name);
    name.plain = short_function(name.whole);
  }
  return name;
}

WalkRowWriter::Outcome WalkRowWriter::result_of(const WalkRow& row) {
  Outcome result;
  if (row.value) {
    const auto [at, is_new] = types_.try_emplace(row.statement_id);
    if (is_new) at->second = value_type(trace_.functions()[row.function], row.statement);
    result.type = at->second;
  } else if (row.wide) {
    const auto [at, is_new] = wide_.try_emplace(row.statement_id);
    if (is_new) at->second = wide_items(trace_.functions()[row.function], row.statement);
    result.items = &at->second;
  }
  return result;
}

void WalkRowWriter::header() {
  if (format_ == Format::csv) rows_.begin();
}

void WalkRowWriter::row(const WalkRow& row) {
  if (format_ != Format::human) {
    const Outcome result = result_of(row);
    const bool event = row.kind == WalkRow::Kind::event;
    rows_.row({trace_, row, event ? "" : std::string_view(function_name(row.function).whole),
               result.type, result.items});
  } else {
    human_row(row);
    out_.row_done();
  }
}

void WalkRowWriter::human_row(const WalkRow& row) {
  constexpr uint32_t kMaxIndent = 20;  // levels
  const std::string indent(2 * std::min(row.depth, kMaxIndent), ' ');
  if (row.kind == WalkRow::Kind::event) {
    out_.print("{:>10}  {}{}** {}{}\n", row.time, indent, color_ ? "\033[33m" : "", row.text,
               color_ ? "\033[0m" : "");
    return;
  }
  const Function& f = trace_.functions()[row.function];
  const std::string where = indent + function_name(row.function).plain;
  const std::string place = short_place(f, row.location);
  if (row.kind == WalkRow::Kind::path) {
    fmt::memory_buffer blocks;
    if (row.path->resumes) fmt::format_to(fmt::appender(blocks), "(B{})", row.block);
    for (const uint32_t b : row.path->blocks) {
      fmt::format_to(fmt::appender(blocks), "{}B{}", blocks.size() ? " " : "", b);
      if (blocks.size() > 60) {
        blocks.append(std::string_view(" …"));
        break;
      }
    }
    out_.print("{:>10}  {:<32}  {:<24}  {}\n", row.time, where, place,
               std::string_view(blocks.data(), blocks.size()));
  } else if (row.kind == WalkRow::Kind::block) {
    if (place.empty())
      out_.print("{:>10}  {:<32}  B{}\n", row.time, where, row.block);
    else
      out_.print("{:>10}  {:<32}  B{:<5} {}\n", row.time, where, row.block, place);
  } else {
    const std::string name = fmt::format("#{}", row.statement_id);
    std::string result;
    const auto [type, items] = result_of(row);
    if (row.value || row.wide)
      result = " → " + (row.value ? value_text(type, row.value, format_)
                                  : wide_text(*items, row.wide, format_));
    if (row.address) result += " at " + address_text(row.address, format_);
    out_.print("{:>10}  {:<32}  {:<8} {:<24}  {}{}\n", row.time, where, name, place,
               statement_text(f, row.statement), result);
  }
}

RowTable walk_rows() { return describe("walk", kStepColumns); }

}  // namespace vestige::cli
