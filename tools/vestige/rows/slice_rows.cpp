#include "rows/slice_rows.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "history_query.h"
#include "output.h"
#include "rows/row_tables.h"
#include "rows/rows.h"
#include "statement_text.h"
#include "trace_query.h"
#include "value_text.h"

namespace vestige::cli {

namespace {

nlohmann::ordered_json json_file(std::string_view file) {
  if (file.empty()) return nullptr;
  return std::string(file);
}

std::string end_text(SliceEnd end, uint64_t count) {
  const std::string number = grouped(count);
  switch (end) {
    case SliceEnd::memory:
      return number +
             " bytes of memory were written before the recording, by unrecorded code or by "
             "another thread";
    case SliceEnd::changed:
      return number + " bytes of memory were changed by unrecorded code or another thread";
    case SliceEnd::address:
      return number + " references have no known address";
    case SliceEnd::argument:
      return number + " arguments came from unrecorded code";
    case SliceEnd::result:
      return number + " calls ran unrecorded code, and depend on what they were given";
    case SliceEnd::activation:
      return number + " activations were cut off, or began unrecorded";
    case SliceEnd::unordered:
      return number + " bytes of memory were written by another thread, and nothing says when";
    case SliceEnd::outside:
      return number + " library or system calls brought something from outside of the program";
  }
  return {};
}

// By file and line: instances of the statement of the line that has most.
std::map<std::string_view, std::map<uint32_t, uint64_t>> lines_of(const Trace& trace,
                                                                  const Slice& slice) {
  std::map<std::string_view, std::map<uint32_t, uint64_t>> files;
  for (const SliceStatement& s : slice.statements) {
    const SourceLine at = line_of(trace, s.statement);
    if (at.line == 0) continue;
    uint64_t& count = files[at.file][at.line];
    count = std::max(count, s.instances);
  }
  return files;
}

std::vector<std::string> text_of(const std::string& file) {
  std::vector<std::string> lines;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// A statement of a slice.
struct SlicedRow {
  const Trace& trace;
  const SliceStatement& statement;
};

constexpr Column<SlicedRow> kSlicedColumns[] = {
    {"id", ColumnType::id, "which statement",
     [](const SlicedRow& row) -> Cell { return statement_id(row.trace, row.statement.statement); }},
    {"function", ColumnType::text, "its function",
     [](const SlicedRow& row) -> Cell {
       return demangle(row.trace.functions()[row.statement.statement.function].name);
     }},
    {"file", ColumnType::text, "source file",
     [](const SlicedRow& row) {
       return Cell::text_or_null(line_of(row.trace, row.statement.statement).file);
     }},
    {"line", ColumnType::number, "line, 0 when it is not known",
     [](const SlicedRow& row) -> Cell { return line_of(row.trace, row.statement.statement).line; }},
    {"instances", ColumnType::count, "how many of its executions are in the slice",
     [](const SlicedRow& row) -> Cell { return row.statement.instances; }},
};

// An execution that wrote or read: of a chain of why, of writers and readers.
struct MemberRow {
  const Trace& trace;
  const SliceInstance& member;
  const Function& function() const { return trace.functions()[member.statement.function]; }
  SourceLine at() const { return line_of(trace, member.statement); }
};

constexpr Column<MemberRow> kMemberColumns[] = {
    {"id", ColumnType::id, "the statement",
     [](const MemberRow& row) -> Cell { return statement_id(row.trace, row.member.statement); }},
    {"thread", ColumnType::number, "number of the thread",
     [](const MemberRow& row) -> Cell { return row.member.thread; }},
    {"instance", ColumnType::number, "which of its executions, from 1",
     [](const MemberRow& row) -> Cell { return row.member.instance; }},
    {"time", ColumnType::number, "of the path that executed it",
     [](const MemberRow& row) -> Cell { return row.member.time; }},
    {"function", ColumnType::text, "its function",
     [](const MemberRow& row) -> Cell { return demangle(row.function().name); }},
    {"file", ColumnType::text, "source file",
     [](const MemberRow& row) { return Cell::text_or_null(row.at().file); }},
    {"line", ColumnType::number, "line, 0 when it is not known",
     [](const MemberRow& row) -> Cell { return row.at().line; }},
    {"value", ColumnType::value, "what it computed, loaded or stored",
     [](const MemberRow& row) {
       return Cell::value(value_type(row.function(), row.member.statement.statement),
                          row.member.value);
     }},
    {"address", ColumnType::address, "where it loaded or stored",
     [](const MemberRow& row) -> Cell { return row.member.address; }},
    {"reason", ColumnType::text, "the dependence that brought it in",
     [](const MemberRow& row) -> Cell { return std::string_view(reason_name(row.member.reason)); }},
};

void add_number(std::string& text, uint64_t number) {
  const fmt::format_int digits(number);
  text.append(digits.data(), digits.size());
}

// What all executions of a statement have in common, found once.
struct SlicedStatement {
  SourceLine at;
  ValueType type;
  std::string text;  // in words, and where it is

  SlicedStatement(const Trace& trace, StatementRef statement) : at(line_of(trace, statement)) {
    const Function& function = trace.functions()[statement.function];
    type = value_type(function, statement.statement);
    text = statement_text(function, statement.statement);
    if (at.line) text += fmt::format(" ({}:{})", file_name(at.file), at.line);
  }
};

// A member of a slice.
struct InstanceRow {
  const Trace& trace;
  const Slice& slice;
  const SliceInstance& member;
  const SliceInstance* of;  // what depends on it; none: it is the criterion
  const SlicedStatement& statement;
  std::string& scratch;  // for text that lasts as long as the row
  std::vector<std::string_view> ends() const {
    std::vector<std::string_view> names;
    for (size_t i = 0; i < kSliceEnds; ++i)
      if (member.ends >> i & 1) names.emplace_back(end_name(static_cast<SliceEnd>(i)));
    return names;
  }
};

// An object of JSON. There are millions of them, and nothing in them needs escapes.
std::string_view reason_json(const InstanceRow& row) {
  std::string& json = row.scratch;
  json = "{\"kind\":\"";
  json += reason_name(row.member.reason);
  json += '"';
  if (row.of) {
    json += ",\"of\":{\"id\":";
    add_number(json, statement_id(row.trace, row.of->statement));
    json += ",\"instance\":";
    add_number(json, row.of->instance);
    json += '}';
  }
  if (row.member.reason == SliceReason::memory) {
    json += ",\"address\":";
    add_number(json, row.member.reason_address);
  }
  json += '}';
  return json;
}

void add_reason(std::string& text, const InstanceRow& row) {
  if (!row.of) {
    text += "criterion";
    return;
  }
  text += reason_name(row.member.reason);
  if (row.member.reason == SliceReason::memory)
    fmt::format_to(std::back_inserter(text), FMT_COMPILE(" {:#x}"), row.member.reason_address);
  text += " of #";
  add_number(text, statement_id(row.trace, row.of->statement));
  text += '@';
  add_number(text, row.of->instance);
}

// The statement in words, where it is, what brought it in, and what of it leaves the recording.
std::string instance_text(const InstanceRow& row) {
  std::string text = row.statement.text;
  if (row.member.address)
    fmt::format_to(std::back_inserter(text), FMT_COMPILE(" at {:#x}"), *row.member.address);
  text += "; ";
  add_reason(text, row);
  if (row.member.thread != row.slice.thread)
    text += ", in thread " + thread_name(row.trace, row.member.thread);
  if (const auto ends = row.ends(); !ends.empty())
    text += fmt::format("; unresolved: {}", fmt::join(ends, ", "));
  return text;
}

constexpr Column<InstanceRow> kInstanceColumns[] = {
    {"id", ColumnType::id, "the statement",
     [](const InstanceRow& row) -> Cell { return statement_id(row.trace, row.member.statement); },
     Forms::both, right("id", 8)},
    {"thread", ColumnType::number, "number of the thread",
     [](const InstanceRow& row) -> Cell { return row.member.thread; }, Forms::json},
    {"instance", ColumnType::count, "which of its executions, from 1",
     [](const InstanceRow& row) -> Cell { return row.member.instance; }, Forms::both,
     right("instance", 12)},
    {"time", ColumnType::count, "of the path that executed it",
     [](const InstanceRow& row) -> Cell { return row.member.time; }, Forms::both,
     right("time", 12)},
    {"file", ColumnType::text, "source file",
     [](const InstanceRow& row) { return Cell::lasting(row.statement.at.file); }, Forms::json},
    {"line", ColumnType::number, "line, 0 when it is not known",
     [](const InstanceRow& row) -> Cell { return row.statement.at.line; }, Forms::json},
    for_people<InstanceRow>(
        right("depth", 6), [](const InstanceRow& row) { return std::to_string(row.member.depth); }),
    {"value", ColumnType::value, "what it computed, loaded or stored",
     [](const InstanceRow& row) { return Cell::value(row.statement.type, row.member.value); },
     Forms::both, left("value", 22, 2)},
    {"address", ColumnType::address, "where it loaded or stored",
     [](const InstanceRow& row) -> Cell { return row.member.address; }},
    {"depth", ColumnType::number, "dependences on the shortest way to the criterion",
     [](const InstanceRow& row) -> Cell { return row.member.depth; }},
    {"reason", ColumnType::object, "the first of them: kind, of (id, instance), address of memory",
     [](const InstanceRow& row) { return Cell::json_view(reason_json(row)); }, Forms::json},
    {"reason", ColumnType::text, "the first of them",
     [](const InstanceRow& row) -> Cell {
       return std::string_view(reason_name(row.member.reason));
     },
     Forms::csv},
    {"of_id", ColumnType::id, "its other end: the statement",
     [](const InstanceRow& row) {
       return row.of ? Cell(statement_id(row.trace, row.of->statement)) : Cell(nullptr);
     },
     Forms::csv},
    {"of_instance", ColumnType::number, "its other end: the execution",
     [](const InstanceRow& row) { return row.of ? Cell(row.of->instance) : Cell(nullptr); },
     Forms::csv},
    {"reason_address", ColumnType::address, "of a dependence through memory: where",
     [](const InstanceRow& row) {
       return row.member.reason == SliceReason::memory ? Cell(row.member.reason_address)
                                                       : Cell(nullptr);
     },
     Forms::csv},
    {"unresolved", ColumnType::list, "what of this execution leaves the recording",
     [](const InstanceRow& row) { return Cell::names(row.ends()); }},
    for_people<InstanceRow>(left("statement, address, reason"), instance_text),
};

}  // namespace

nlohmann::ordered_json member_json(const Trace& trace, const SliceInstance& member) {
  return row_json(kMemberColumns, {trace, member});
}

std::string member_text(const Trace& trace, const SliceInstance& member) {
  const Function& function = trace.functions()[member.statement.function];
  const SourceLine at = line_of(trace, member.statement);
  std::string ends;
  for (size_t i = 0; i < kSliceEnds; ++i)
    if (member.ends >> i & 1)
      ends += fmt::format("; unresolved: {}", end_name(static_cast<SliceEnd>(i)));
  return fmt::format(
      "{:<12} {:<22} {:<12} {}{}",
      value_text(value_type(function, member.statement.statement), member.value, Format::human),
      at.line ? fmt::format("{}:{}", file_name(at.file), at.line) : "",
      fmt::format("#{}@{}", statement_id(trace, member.statement), member.instance),
      statement_text(function, member.statement.statement), ends);
}

void SliceRows::print_statements() const {
  Output out;
  const SourceLine criterion = line_of(trace, slice.criterion.statement);
  if (presentation.format() == Format::csv) {
    RowWriter<SlicedRow> rows(kSlicedColumns, {Format::csv}, out);
    rows.begin();
    for (const SliceStatement& s : slice.statements) rows.row({trace, s});
    return;
  }
  if (presentation.format() == Format::json) {
    nlohmann::ordered_json json;
    json["criterion"] = {
        {"id", statement_id(trace, slice.criterion.statement)},
        {"thread", slice.thread},
        {"instance", slice.criterion.instance},
        {"time", slice.criterion.time},
        {"function", demangle(trace.functions()[slice.criterion.statement.function].name)},
        {"file", json_file(criterion.file)},
        {"line", criterion.line}};
    json["direction"] = options.forward ? "forward" : "backward";
    json["data_only"] = options.data_only;
    json["statements"] = nlohmann::ordered_json::array();
    std::set<uint32_t> lines;
    for (const SliceStatement& s : slice.statements) {
      const SourceLine at = line_of(trace, s.statement);
      if (at.line != 0 && at.file == criterion.file) lines.insert(at.line);
      json["statements"].push_back(row_json(kSlicedColumns, {trace, s}));
    }
    json["lines"] = lines;
    json["instances"] = slice.count;
    if (misses) json["misses"] = *misses;
    json["unresolved"] = nlohmann::ordered_json::object();
    for (size_t i = 0; i < kSliceEnds; ++i)
      if (slice.unresolved[i] > 0)
        json["unresolved"][std::string(end_name(static_cast<SliceEnd>(i)))] = slice.unresolved[i];
    json["seconds"] = seconds;
    out.json(json);
    return;
  }

  out.print("{} slice{} of {}@{}\n", options.forward ? "forward" : "backward",
            options.data_only ? " (data only)" : "",
            statement_headline(trace, slice.criterion.statement), slice.criterion.instance);
  if (misses) out.print("and its other executions that missed, {} in all\n", grouped(*misses));
  out.print("{}, {}, {:.3f} s\n", counted(slice.statements.size(), "statement"),
            counted(slice.count, "instance"), seconds);
  const auto files = lines_of(trace, slice);
  uint64_t rows = 0, left = 0;
  for (const auto& [file, lines] : files) {
    if (!all && rows >= kShortRows) {
      left += lines.size();
      continue;
    }
    out.print("\n{}\n", file_name(file));
    const std::vector<std::string> text = text_of(std::string(file));
    for (const auto& [number, count] : lines) {
      if (!all && rows >= kShortRows) {
        ++left;
        continue;
      }
      ++rows;
      out.print("{:>6}{:>12}  {}\n", number, grouped(count),
                number <= text.size() ? text[number - 1] : "");
    }
  }
  if (left > 0) out.more(more_text(left, "lines"));
  bool first = true;
  for (size_t i = 0; i < kSliceEnds; ++i) {
    if (slice.unresolved[i] == 0) continue;
    out.print("{}{}\n", std::exchange(first, false) ? "\nunresolved: " : "            ",
              end_text(static_cast<SliceEnd>(i), slice.unresolved[i]));
  }
}

void SliceRows::print_source() const {
  Output out;
  for (const auto& [file, lines] : lines_of(trace, slice)) {
    const std::vector<std::string> text = text_of(std::string(file));
    out.print("{}{}\n", file_name(file), text.empty() ? " (cannot be read)" : "");
    for (uint32_t number = 1; number <= text.size(); ++number) {
      const auto found = lines.find(number);
      out.print("{:>12} {:>6}  {}\n", found == lines.end() ? "" : grouped(found->second), number,
                text[number - 1]);
    }
  }
}

struct InstanceRows::Writer {
  Output out;
  RowWriter<InstanceRow> rows;
  std::vector<std::unique_ptr<const SlicedStatement>> statements;  // by #ID; null: not met yet
  std::string scratch;

  explicit Writer(Format format) : rows(kInstanceColumns, {format}, out) { rows.begin(); }
  const SlicedStatement& of(const Trace& trace, StatementRef statement) {
    const uint64_t id = statement_id(trace, statement);
    if (id >= statements.size()) statements.resize(id + 1);
    auto& found = statements[id];
    if (!found) found = std::make_unique<const SlicedStatement>(trace, statement);
    return *found;
  }
};

InstanceRows::InstanceRows(const Trace& trace, const Presentation& presentation, bool all)
    : trace_(trace), format_(presentation.format()), all_(all) {}
InstanceRows::~InstanceRows() = default;

InstanceRows::Writer& InstanceRows::writer() {
  if (!writer_) writer_ = std::make_unique<Writer>(format_);
  return *writer_;
}

bool InstanceRows::add(const Slice& slice, const SliceInstance& member, const SliceInstance* of) {
  Writer& to = writer();
  if (format_ == Format::human && !all_ && to.rows.rows() >= kShortRows) return false;
  to.rows.row({trace_, slice, member, of, to.of(trace_, member.statement), to.scratch});
  return true;
}

void InstanceRows::end(const Slice& slice) {
  Writer& to = writer();
  if (slice.count > to.rows.rows())
    to.out.more(more_text(slice.count - to.rows.rows(), "instances"));
}

void SliceGraph::add(const SliceInstance& member, const SliceInstance* of) {
  if (of)
    ++edges_[{statement_id(trace_, member.statement), statement_id(trace_, of->statement),
              member.reason}];
}

void SliceGraph::print(const Slice& slice, bool forward) const {
  Output out;
  out.text("digraph slice {\n  node [shape=box, fontname=monospace];\n");
  const auto quoted = [](const std::string& text) {
    std::string result;
    for (const char c : text) {
      if (c == '"' || c == '\\') result += '\\';
      result += c;
    }
    return result;
  };
  for (const SliceStatement& s : slice.statements) {
    const Function& function = trace_.functions()[s.statement.function];
    const SourceLine at = line_of(trace_, s.statement);
    out.print("  s{} [label=\"#{} {}\\n{}{}, {} times\"{}];\n", statement_id(trace_, s.statement),
              statement_id(trace_, s.statement),
              quoted(statement_text(function, s.statement.statement)),
              quoted(demangle(function.name)),
              at.line ? fmt::format(" {}:{}", file_name(at.file), at.line) : "", s.instances,
              s.statement == slice.criterion.statement ? ", penwidth=3" : "");
  }
  for (const auto& [edge, count] : edges_) {
    const auto& [from, to, reason] = edge;
    const bool control = reason == SliceReason::control || reason == SliceReason::entered;
    out.print("  s{} -> s{} [label=\"{} {}\"{}];\n", forward ? to : from, forward ? from : to,
              reason_name(reason), count, control ? ", style=dashed" : "");
  }
  out.text("}\n");
}

void print_members(const Trace& trace, const std::vector<SliceInstance>& members, Format format,
                   Output& out) {
  RowWriter<MemberRow> rows(kMemberColumns, {format}, out);
  rows.begin();
  for (const SliceInstance& member : members) rows.row({trace, member});
}

RowTable sliced_rows() { return describe("slice", kSlicedColumns); }
RowTable instance_rows() { return describe("slice --instances", kInstanceColumns); }
RowTable member_rows() { return describe("writers, readers", kMemberColumns); }

}  // namespace vestige::cli
