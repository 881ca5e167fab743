#include "slice_rows.h"

#include <fmt/format.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "history_query.h"
#include "output.h"
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

}  // namespace

nlohmann::ordered_json member_json(const Trace& trace, const SliceInstance& member) {
  const Function& function = trace.functions()[member.statement.function];
  const SourceLine at = line_of(trace, member.statement);
  const auto parsed = [](const std::string& text) {
    return nlohmann::ordered_json::parse(text, nullptr, false);
  };
  return {{"id", statement_id(trace, member.statement)},
          {"thread", member.thread},
          {"instance", member.instance},
          {"time", member.time},
          {"function", demangle(function.name)},
          {"file", json_file(at.file)},
          {"line", at.line},
          {"value", parsed(value_text(value_type(function, member.statement.statement),
                                      member.value, Format::json))},
          {"address", parsed(address_text(member.address, Format::json))},
          {"reason", reason_name(member.reason)}};
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
    out.text("id,function,file,line,instances\n");
    for (const SliceStatement& s : slice.statements) {
      const SourceLine at = line_of(trace, s.statement);
      out.print("{},{},{},{},{}\n", statement_id(trace, s.statement),
                csv_field(demangle(trace.functions()[s.statement.function].name)),
                csv_field(at.file), at.line, s.instances);
    }
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
      json["statements"].push_back(
          {{"id", statement_id(trace, s.statement)},
           {"function", demangle(trace.functions()[s.statement.function].name)},
           {"file", json_file(at.file)},
           {"line", at.line},
           {"instances", s.instances}});
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

void InstanceRows::begin() {
  if (format_ == Format::csv)
    out_.text(
        "id,instance,time,value,address,depth,reason,of_id,of_instance,reason_address,"
        "unresolved\n");
  if (format_ == Format::human)
    out_.print("{:>8}{:>12}{:>12}{:>6}  {:<22}{}\n", "id", "instance", "time", "depth", "value",
               "statement, address, reason");
}

bool InstanceRows::add(const Slice& slice, const SliceInstance& member, const SliceInstance* of) {
  if (rows_ == 0) begin();
  if (format_ == Format::human && !all_ && rows_ >= kShortRows) return false;
  ++rows_;
  if (format_ == Format::json)
    add_json(member, of);
  else if (format_ == Format::csv)
    add_csv(member, of);
  else
    add_line(slice, member, of);
  return true;
}

uint64_t InstanceRows::id_of(StatementRef ref) const {
  return uint64_t{trace_.functions()[ref.function].first_statement} + ref.statement;
}

const InstanceRows::Named& InstanceRows::named(StatementRef ref) {
  const uint64_t id = id_of(ref);
  if (id >= named_.size()) named_.resize(id + 1);
  Named& named = named_[id];
  if (named.known) return named;
  named.known = true;
  named.type = value_type(trace_.functions()[ref.function], ref.statement);
  const SourceLine at = line_of(trace_, ref);
  named.place = fmt::format(",\"file\":{},\"line\":{},\"value\":",
                            at.file.empty() ? "null" : json_string(at.file), at.line);
  return named;
}

void InstanceRows::put_number(std::string_view key, uint64_t number) {
  row_.text(key);
  row_.number(number);
}

// As value_text has it; the usual case fast.
void InstanceRows::put_value(const ValueType& type, std::optional<uint64_t> value) {
  if (value && type.kind == ValueType::Kind::integer && type.bits > 1) {
    const unsigned gap = 64u - type.bits;
    row_.number(static_cast<int64_t>(*value << gap) >> gap);
  } else if (value && type.kind == ValueType::Kind::pointer && type.bits != 0) {
    row_.number(*value);
  } else {
    row_.text(value_text(type, value, format_));
  }
}

void InstanceRows::put_ends(uint8_t ends, std::string_view quote, char between) {
  bool first = true;
  for (size_t i = 0; i < kSliceEnds; ++i) {
    if (!(ends >> i & 1)) continue;
    if (!std::exchange(first, false)) row_.put(between);
    row_.text(quote);
    row_.text(end_name(static_cast<SliceEnd>(i)));
    row_.text(quote);
  }
}

void InstanceRows::add_json(const SliceInstance& member, const SliceInstance* of) {
  const Named& statement = named(member.statement);
  put_number("{\"id\":", id_of(member.statement));
  put_number(",\"thread\":", member.thread);
  put_number(",\"instance\":", member.instance);
  put_number(",\"time\":", member.time);
  row_.text(statement.place);
  put_value(statement.type, member.value);
  row_.text(",\"address\":");
  if (member.address)
    row_.number(*member.address);
  else
    row_.text("null");
  put_number(",\"depth\":", member.depth);
  row_.text(",\"reason\":{\"kind\":\"");
  row_.text(reason_name(member.reason));
  row_.put('"');
  if (of) {
    put_number(",\"of\":{\"id\":", id_of(of->statement));
    put_number(",\"instance\":", of->instance);
    row_.put('}');
  }
  if (member.reason == SliceReason::memory) put_number(",\"address\":", member.reason_address);
  row_.text("},\"unresolved\":[");
  put_ends(member.ends, "\"", ',');
  row_.text("]}\n");
  row_.done();
}

void InstanceRows::add_csv(const SliceInstance& member, const SliceInstance* of) {
  row_.number(id_of(member.statement));
  put_number(",", member.instance);
  put_number(",", member.time);
  row_.put(',');
  put_value(named(member.statement).type, member.value);
  row_.put(',');
  if (member.address) row_.number(*member.address);
  put_number(",", member.depth);
  row_.put(',');
  row_.text(reason_name(member.reason));
  row_.put(',');
  if (of) row_.number(id_of(of->statement));
  row_.put(',');
  if (of) row_.number(of->instance);
  row_.put(',');
  if (member.reason == SliceReason::memory) row_.number(member.reason_address);
  row_.put(',');
  put_ends(member.ends, "", ' ');
  row_.put('\n');
  row_.done();
}

void InstanceRows::add_line(const Slice& slice, const SliceInstance& member,
                            const SliceInstance* of) {
  const Function& function = trace_.functions()[member.statement.function];
  const SourceLine at = line_of(trace_, member.statement);
  const std::string value =
      value_text(value_type(function, member.statement.statement), member.value, format_);
  std::vector<std::string> ends;
  for (size_t i = 0; i < kSliceEnds; ++i)
    if (member.ends >> i & 1) ends.emplace_back(end_name(static_cast<SliceEnd>(i)));
  out_.print(
      "{:>8}{:>12}{:>12}{:>6}  {:<22}{}{}{}; {}{}\n",
      fmt::format("#{}", statement_id(trace_, member.statement)), grouped(member.instance),
      grouped(member.time), member.depth, value,
      statement_text(function, member.statement.statement),
      at.line ? fmt::format(" ({}:{})", file_name(at.file), at.line) : "",
      member.address ? fmt::format(" at {:#x}", *member.address) : "",
      reason_text(trace_, member, of) + (member.thread == slice.thread
                                             ? ""
                                             : ", in thread " + thread_name(trace_, member.thread)),
      ends.empty() ? "" : fmt::format("; unresolved: {}", fmt::join(ends, ", ")));
}

void InstanceRows::end(const Slice& slice) {
  if (rows_ == 0) begin();
  if (slice.count > rows_) out_.more(more_text(slice.count - rows_, "instances"));
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

}  // namespace vestige::cli
