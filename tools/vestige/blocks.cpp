// vestige blocks: the blocks of a function, where they go and how deep in loops they lie.
#include <fmt/format.h>

#include <algorithm>

#include "commands.h"
#include "output.h"
#include "report.h"
#include "short_names.h"
#include "trace_query.h"

namespace vestige::cli {
namespace {

uint32_t loop_depth(const Function& f, uint32_t block) {
  uint32_t depth = 0;
  for (uint32_t loop = f.blocks[block].loop; loop < f.loops.size() && depth < f.loops.size();
       loop = f.loops[loop].parent) {
    ++depth;
  }
  return depth;
}

// The lines a block's statements were written on in the function's own file, inlined ones by their
// call site.
std::pair<uint32_t, uint32_t> line_range(const Function& f, uint32_t block) {
  uint32_t first = 0, last = 0;
  const Block& b = f.blocks[block];
  for (uint32_t s = b.first_statement; s < b.first_statement + b.statement_count; ++s) {
    uint32_t at = f.statements[s].location;
    if (at >= f.locations.size()) continue;
    while (f.locations[at].inlined_at < at) at = f.locations[at].inlined_at;
    const uint32_t line = f.locations[at].line;
    if (line == 0) continue;
    first = first ? std::min(first, line) : line;
    last = std::max(last, line);
  }
  return {first, last};
}

std::string join(const Function& f, uint32_t block, std::string_view separator, bool quoted) {
  std::string text;
  for (const uint32_t to : f.blocks[block].successors) {
    if (!text.empty()) text += separator;
    text += quoted ? '"' + block_name(to) + '"' : block_name(to);
  }
  return text;
}

}  // namespace

int command_blocks(Arguments arguments) {
  CommandLine line("blocks", "The blocks of a function: source lines, successors, loop depth.",
                   "vestige blocks bzip2.vst main --counts");
  Listing listing;
  add_listing(line, listing, "FUNCTION", "Its name, or #ID as vestige functions lists it")
      ->required();
  if (const auto code = line.parse(arguments)) return *code;
  const auto trace = open_trace(listing.file);
  if (!trace) return kBadTrace;
  const auto functions = functions_named(*trace, listing.what);
  if (!functions) return report_name(functions.error());
  const auto profile = listing.profile(*trace);
  if (!profile) return report_trace(profile.error());

  using enum Table::Align;
  const Format format = listing.presentation.format();
  Output out;
  if (format == Format::csv) {
    out.print(
        "function_id,function,block,file,first_line,last_line,successors,loop_depth,statements{}\n",
        listing.counts ? ",count" : "");
  }
  for (const uint32_t id : *functions) {
    const Function& f = trace->functions()[id];
    const std::string function = demangle(f.name);
    const std::string source = f.file < f.files.size() ? f.files[f.file] : "";
    std::vector<std::string> headers = {"block", "lines", "to", "loop depth", "statements"};
    std::vector<Table::Align> alignment = {left, left, left, right, right};
    if (listing.counts) headers.push_back("count"), alignment.push_back(right);
    Table table(headers, alignment);
    for (uint32_t b = 0; b < f.blocks.size(); ++b) {
      const auto [first, last] = line_range(f, b);
      const uint64_t count = listing.counts ? (*profile)[id].blocks[b] : 0;
      if (format == Format::json) {
        out.print(
            "{{\"function_id\":{},\"function\":{},\"block\":\"{}\",\"file\":{},\"first_line\":{},"
            "\"last_line\":{},\"successors\":[{}],\"loop_depth\":{},\"statements\":{}",
            id, json_string(function), block_name(b), source.empty() ? "null" : json_string(source),
            first, last, join(f, b, ",", true), loop_depth(f, b), f.blocks[b].statement_count);
        if (listing.counts) out.print(",\"count\":{}", count);
        out.text("}\n");
      } else if (format == Format::csv) {
        out.print("{},{},{},{},{},{},{},{},{}", id, csv_field(function), block_name(b),
                  csv_field(source), first, last, join(f, b, " ", false), loop_depth(f, b),
                  f.blocks[b].statement_count);
        if (listing.counts) out.print(",{}", count);
        out.put('\n');
      } else if (b < listing.shown(f.blocks.size())) {
        const std::string lines = first == 0      ? ""
                                  : first == last ? std::to_string(first)
                                                  : fmt::format("{}-{}", first, last);
        std::vector<std::string> cells = {block_name(b), lines, join(f, b, " ", false),
                                          std::to_string(loop_depth(f, b)),
                                          std::to_string(f.blocks[b].statement_count)};
        if (listing.counts) cells.push_back(grouped(count));
        table.row(std::move(cells));
      }
    }
    if (format == Format::human) {
      out.print("#{} {} {}\n", id, short_function(function), function_place(f));
      print_listing(out, table, f.blocks.size(), "blocks", listing);
    }
  }
  return kDone;
}

}  // namespace vestige::cli
