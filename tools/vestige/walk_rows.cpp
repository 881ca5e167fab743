#include "walk_rows.h"

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

}  // namespace

const WalkRowWriter::Name& WalkRowWriter::function_name(uint32_t function) {
  Name& name = names_[function];
  if (name.encoded.empty()) {
    const std::string whole = demangle(trace_.functions()[function].name);
    name.plain = short_function(whole);
    name.encoded = format_ == Format::csv ? csv_field(whole) : json_string(whole);
  }
  return name;
}

const std::string& WalkRowWriter::encoded_file(std::string_view file) {
  if (last_encoded_ && file.data() == last_file_) return *last_encoded_;
  const auto [at, is_new] = files_.try_emplace(file.data());
  if (is_new)
    at->second = format_ == Format::csv ? csv_field(file)
                 : file.empty()         ? "null"
                                        : json_string(file);
  last_file_ = file.data();
  last_encoded_ = &at->second;
  return at->second;
}

std::string WalkRowWriter::row_value(const WalkRow& row) {
  const auto [at, is_new] = types_.try_emplace(row.statement_id);
  if (is_new) at->second = value_type(trace_.functions()[row.function], row.statement);
  if (row.value) return value_text(at->second, row.value, format_);
  const auto [items, fresh] = wide_.try_emplace(row.statement_id);
  if (fresh) items->second = wide_items(trace_.functions()[row.function], row.statement);
  return wide_text(items->second, row.wide, format_);
}

void WalkRowWriter::block_list(const Path& path, std::string_view separator, bool quoted) {
  bool first = true;
  for (const uint32_t block : path.blocks) {
    if (!first) out_.text(separator);
    first = false;
    out_.text(quoted ? "\"B" : "B");
    out_.number(block);
    if (quoted) out_.put('"');
  }
}

void WalkRowWriter::header() {
  if (format_ != Format::csv) return;
  out_.text("kind,thread,time,depth,function,block,file,line,column");
  if (level_ == WalkLevel::path) out_.text(",path,blocks,enters,leaves");
  if (level_ == WalkLevel::statement) out_.text(",id,op,value,address");
  out_.text(",event\n");
}

void WalkRowWriter::row(const WalkRow& row) {
  if (format_ == Format::json)
    json_row(row);
  else if (format_ == Format::csv)
    csv_row(row);
  else
    human_row(row);
  out_.row_done();
}

void WalkRowWriter::json_row(const WalkRow& row) {
  const auto number = [&](std::string_view key, uint64_t value) {
    out_.text(key);
    out_.number(value);
  };
  out_.text("{\"kind\":\"");
  out_.text(kind_name(row.kind));
  number("\",\"thread\":", row.thread);
  number(",\"time\":", row.time);
  number(",\"depth\":", row.depth);
  if (row.kind == WalkRow::Kind::event) {
    out_.text(",\"event\":\"");
    out_.text(event_name(row.event->kind));
    out_.text("\",\"numbers\":[");
    for (size_t i = 0; i < row.event->numbers.size(); ++i)
      number(i ? "," : "", row.event->numbers[i]);
    out_.text("],\"text\":");
    out_.text(json_string(row.text));
    out_.text("}\n");
    return;
  }
  out_.text(",\"function\":");
  out_.text(function_name(row.function).encoded);
  number(",\"block\":\"B", row.block);
  out_.text("\",\"file\":");
  out_.text(encoded_file(row.file));
  number(",\"line\":", row.line);
  number(",\"column\":", row.column);
  if (row.kind == WalkRow::Kind::path) {
    number(",\"path\":", row.path->id);
    out_.text(",\"blocks\":[");
    block_list(*row.path, ",", true);
    out_.text("],\"enters\":");
    out_.text(row.path->enters ? "true" : "false");
    out_.text(",\"leaves\":");
    out_.text(row.path->leaves ? "true" : "false");
    number(",\"statements\":", row.path->statements);
  } else if (row.kind == WalkRow::Kind::statement) {
    number(",\"id\":", row.statement_id);
    out_.text(",\"op\":\"");
    out_.text(op_of(trace_, row));
    out_.put('"');
    if (row.value || row.wide) {
      out_.text(",\"value\":");
      out_.text(row_value(row));
    }
    if (row.address) number(",\"address\":", *row.address);
  }
  out_.text("}\n");
}

void WalkRowWriter::csv_row(const WalkRow& row) {
  const auto number = [&](uint64_t value) {
    out_.put(',');
    out_.number(value);
  };
  out_.text(kind_name(row.kind));
  number(row.thread);
  number(row.time);
  number(row.depth);
  if (row.kind == WalkRow::Kind::event) {
    const size_t empty = 6 + (level_ == WalkLevel::path        ? 4
                              : level_ == WalkLevel::statement ? 4
                                                               : 0);
    out_.text(std::string(empty, ','));
    out_.text(csv_field(row.text));
    out_.put('\n');
    return;
  }
  out_.put(',');
  out_.text(function_name(row.function).encoded);
  out_.text(",B");
  out_.number(row.block);
  out_.put(',');
  out_.text(encoded_file(row.file));
  number(row.line);
  number(row.column);
  if (row.kind == WalkRow::Kind::path) {
    number(row.path->id);
    out_.put(',');
    block_list(*row.path, " ", false);
    number(row.path->enters);
    number(row.path->leaves);
  } else if (row.kind == WalkRow::Kind::statement) {
    number(row.statement_id);
    out_.put(',');
    out_.text(op_of(trace_, row));
    out_.put(',');
    if (row.value || row.wide) out_.text(row_value(row));
    out_.put(',');
    if (row.address) out_.number(*row.address);
  }
  out_.text(",\n");
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
    if (row.value || row.wide) result = " → " + row_value(row);
    if (row.address) result += " at " + address_text(row.address, format_);
    out_.print("{:>10}  {:<32}  {:<8} {:<24}  {}{}\n", row.time, where, name, place,
               statement_text(f, row.statement), result);
  }
}

}  // namespace vestige::cli
