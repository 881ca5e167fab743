#include "rows/slice_rows.h"

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

std::string reason_text(const Trace& trace, const SliceInstance& member, const SliceInstance* of) {
  if (!of) return "criterion";
  const std::string who = fmt::format("#{}@{}", statement_id(trace, of->statement), of->instance);
  if (member.reason == SliceReason::memory)
    return fmt::format("memory {:#x} of {}", member.reason_address, who);
  return fmt::format("{} of {}", reason_name(member.reason), who);
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

// A member of a slice.
struct InstanceRow {
  const Trace& trace;
  const Slice& slice;
  const SliceInstance& member;
  const SliceInstance* of;  // what depends on it; none: it is the criterion
  const Function& function() const { return trace.functions()[member.statement.function]; }
  SourceLine at() const { return line_of(trace, member.statement); }
  Cell value() const {
    return Cell::value(value_type(function(), member.statement.statement), member.value);
  }
  std::vector<std::string_view> ends() const {
    std::vector<std::string_view> names;
    for (size_t i = 0; i < kSliceEnds; ++i)
      if (member.ends >> i & 1) names.emplace_back(end_name(static_cast<SliceEnd>(i)));
    return names;
  }
};

// An object of JSON. There are millions of them, and nothing in them needs escapes.
std::string reason_json(const InstanceRow& row) {
  std::string json = fmt::format("{{\"kind\":\"{}\"", reason_name(row.member.reason));
  if (row.of)
    fmt::format_to(std::back_inserter(json), ",\"of\":{{\"id\":{},\"instance\":{}}}",
                   statement_id(row.trace, row.of->statement), row.of->instance);
  if (row.member.reason == SliceReason::memory)
    fmt::format_to(std::back_inserter(json), ",\"address\":{}", row.member.reason_address);
  return json += '}';
}

// The statement in words, where it is, what brought it in, and what of it leaves the recording.
std::string instance_text(const InstanceRow& row) {
  const SourceLine at = row.at();
  const auto ends = row.ends();
  const uint32_t thread = row.member.thread;
  return fmt::format(
      "{}{}{}; {}{}{}", statement_text(row.function(), row.member.statement.statement),
      at.line ? fmt::format(" ({}:{})", file_name(at.file), at.line) : "",
      row.member.address ? fmt::format(" at {:#x}", *row.member.address) : "",
      reason_text(row.trace, row.member, row.of),
      thread == row.slice.thread ? "" : ", in thread " + thread_name(row.trace, thread),
      ends.empty() ? "" : fmt::format("; unresolved: {}", fmt::join(ends, ", ")));
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
     [](const InstanceRow& row) { return Cell::text_or_null(row.at().file); }, Forms::json},
    {"line", ColumnType::number, "line, 0 when it is not known",
     [](const InstanceRow& row) -> Cell { return row.at().line; }, Forms::json},
    for_people<InstanceRow>(
        right("depth", 6), [](const InstanceRow& row) { return std::to_string(row.member.depth); }),
    {"value", ColumnType::value, "what it computed, loaded or stored",
     [](const InstanceRow& row) { return row.value(); }, Forms::both, left("value", 22, 2)},
    {"address", ColumnType::address, "where it loaded or stored",
     [](const InstanceRow& row) -> Cell { return row.member.address; }},
    {"depth", ColumnType::number, "dependences on the shortest way to the criterion",
     [](const InstanceRow& row) -> Cell { return row.member.depth; }},
    {"reason", ColumnType::object, "the first of them: kind, of (id, instance), address of memory",
     [](const InstanceRow& row) { return Cell::json(reason_json(row)); }, Forms::json},
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
  explicit Writer(Format format) : rows(kInstanceColumns, {format}, out) { rows.begin(); }
};

InstanceRows::InstanceRows(const Trace& trace, const Presentation& presentation, bool all)
    : trace_(trace), format_(presentation.format()), all_(all) {}
InstanceRows::~InstanceRows() = default;

InstanceRows::Writer& InstanceRows::writer() {
  if (!writer_) writer_ = std::make_unique<Writer>(format_);
  return *writer_;
}

bool InstanceRows::add(const Slice& slice, const SliceInstance& member, const SliceInstance* of) {
  RowWriter<InstanceRow>& rows = writer().rows;
  if (format_ == Format::human && !all_ && rows.rows() >= kShortRows) return false;
  rows.row({trace_, slice, member, of});
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
