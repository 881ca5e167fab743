// vestige statements: the statements of a function, with the ids that name them in other commands.
#include <fmt/format.h>

#include <algorithm>

#include "commands.h"
#include "output.h"
#include "report.h"
#include "short_names.h"
#include "statement_text.h"
#include "trace_query.h"
#include "vestige/values.h"

namespace vestige::cli {
namespace {

// What the user asked for: nothing (everything), a function, or a statement in any of its
// spellings.
Result<std::vector<StatementRef>> select(const Trace& trace, const std::string& what) {
  std::vector<StatementRef> selected;
  const auto add_function = [&](uint32_t id) {
    for (uint32_t s = 0; s < trace.functions()[id].statements.size(); ++s)
      selected.push_back({id, s});
  };
  if (what.empty()) {
    for (uint32_t id = 0; id < trace.functions().size(); ++id) add_function(id);
    return selected;
  }
  for (const uint32_t id : find_functions(trace, what)) add_function(id);
  if (!selected.empty()) return selected;
  if (what.find_first_of("#:") != what.npos) return find_statements(trace, what);
  const auto functions = functions_named(trace, what);
  if (!functions) return std::unexpected(functions.error());
  for (const uint32_t id : *functions) add_function(id);
  return selected;
}

std::string inlined_json(const Function& f, uint32_t location) {
  std::string text;
  if (location >= f.locations.size()) return text;
  for (uint32_t at = location; f.locations[at].inlined_at < at;) {
    at = f.locations[at].inlined_at;
    const Location& site = f.locations[at];
    text += fmt::format(
        "{}{{\"file\":{},\"line\":{},\"column\":{},\"function\":{}}}", text.empty() ? "" : ",",
        site.file < f.files.size() ? json_string(f.files[site.file]) : "null", site.line,
        site.column,
        site.scope < f.scopes.size() ? json_string(demangle(f.scopes[site.scope])) : "null");
  }
  return text;
}

}  // namespace

int command_statements(Arguments arguments) {
  CommandLine line(
      "statements",
      "The statements of a function, or those at a source line, with the ids that name them.",
      "vestige statements bzip2.vst compress.c:120 --counts");
  Listing listing;
  add_listing(line, listing, "WHAT",
              "A function, #ID, FUNCTION:BLOCK.INDEX or FILE:LINE[:COLUMN]; all without it");
  if (const auto code = line.parse(arguments)) return *code;
  const auto trace = open_trace(listing.file);
  if (!trace) return kBadTrace;
  const auto selected = select(*trace, listing.what);
  if (!selected) return report_name(selected.error());
  const auto profile = listing.profile(*trace);
  if (!profile) return report_trace(profile.error());

  using enum Table::Align;
  const Format format = listing.presentation.format();
  Output out;
  std::vector<std::string> headers = {"id", "statement", "place", "what"};
  std::vector<Table::Align> alignment = {right, left, left, left};
  if (listing.counts) {
    headers.insert(headers.begin() + 2, "executions");
    alignment.insert(alignment.begin() + 2, right);
  }
  Table table(headers, alignment);
  if (format == Format::csv) {
    out.print("id,function,block,index,op,type,file,line,column,callee,pseudo,text{}\n",
              listing.counts ? ",executions" : "");
  }
  std::string function_name;
  uint32_t function_named = kNone;
  std::vector<std::string_view> sources;  // of its values
  for (const StatementRef& ref : *selected) {
    const Function& f = trace->functions()[ref.function];
    const Statement& s = f.statements[ref.statement];
    if (format == Format::human && table.rows() == listing.shown(selected->size())) break;
    if (function_named != ref.function) {
      function_name = demangle(f.name);
      function_named = ref.function;
      if (format == Format::json) sources = value_sources(f);
    }
    const std::string_view value_origin = sources.empty() ? "" : sources[ref.statement];
    const uint64_t id = statement_id(*trace, ref);
    const uint32_t index = ref.statement - f.blocks[s.block].first_statement;
    const Location* at = s.location < f.locations.size() ? &f.locations[s.location] : nullptr;
    const std::string_view source =
        at && at->file < f.files.size() ? std::string_view(f.files[at->file]) : "";
    const uint32_t source_line = at ? at->line : 0, column = at ? at->column : 0;
    const std::string_view type = s.type < f.types.size() ? std::string_view(f.types[s.type]) : "";
    const std::string callee = s.callee < f.symbols.size() ? demangle(f.symbols[s.callee]) : "";
    const uint64_t executions =
        listing.counts ? (*profile)[ref.function].statements[ref.statement] : 0;
    if (format == Format::json) {
      out.print(
          "{{\"id\":{},\"function\":{},\"function_id\":{},\"block\":\"{}\",\"index\":{},"
          "\"op\":\"{}\",\"type\":{},\"file\":{},\"line\":{},\"column\":{},\"inlined_at\":[{}],"
          "\"callee\":{},\"pseudo\":{},"
          "\"source\":{},\"text\":{}",
          id, json_string(function_name), ref.function, block_name(s.block), index, op_name(s.op),
          json_string(type), source.empty() ? "null" : json_string(source), source_line, column,
          inlined_json(f, s.location), callee.empty() ? "null" : json_string(callee), s.pseudo,
          value_origin.empty() ? "null" : json_string(value_origin),
          json_string(statement_text(f, ref.statement)));
      if (listing.counts) out.print(",\"executions\":{}", executions);
      out.text("}\n");
    } else if (format == Format::csv) {
      out.print("{},{},{},{},{},{},{},{},{},{},{},{}", id, csv_field(function_name),
                block_name(s.block), index, op_name(s.op), csv_field(type), csv_field(source),
                source_line, column, csv_field(callee), s.pseudo,
                csv_field(statement_text(f, ref.statement)));
      if (listing.counts) out.print(",{}", executions);
      out.put('\n');
    } else {
      std::vector<std::string> cells = {
          fmt::format("#{}", id),
          fmt::format("{}:{}.{}", short_function(function_name), block_name(s.block), index),
          short_place(f, s.location), statement_text(f, ref.statement)};
      if (listing.counts) cells.insert(cells.begin() + 2, grouped(executions));
      table.row(std::move(cells));
    }
  }
  if (format == Format::human) print_listing(out, table, selected->size(), "statements", listing);
  return kDone;
}

}  // namespace vestige::cli
