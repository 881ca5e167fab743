// vestige blocks: the blocks of a function, where they go and how deep in loops they lie.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "commands.h"
#include "output.h"
#include "report.h"
#include "rows/row_tables.h"
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

struct BlockRow {
  uint32_t id;  // of the function
  const Function& function;
  std::string_view name, file;
  uint32_t block, first_line, last_line;
  uint64_t count;
};

constexpr Column<BlockRow> kBlockColumns[] = {
    {"function_id", ColumnType::id, "number of the function",
     [](const BlockRow& row) -> Cell { return row.id; }},
    {"function", ColumnType::text, "its name",
     [](const BlockRow& row) -> Cell { return row.name; }},
    {"block", ColumnType::text, "B and its number in the function",
     [](const BlockRow& row) { return Cell::block(row.block); }, Forms::both, left("block")},
    {"file", ColumnType::text, "source file of the function",
     [](const BlockRow& row) { return Cell::text_or_null(row.file); }},
    {"first_line", ColumnType::number, "first line of its statements, 0 when none is known",
     [](const BlockRow& row) -> Cell { return row.first_line; }},
    {"last_line", ColumnType::number, "last line of them",
     [](const BlockRow& row) -> Cell { return row.last_line; }},
    for_people<BlockRow>(left("lines"),
                         [](const BlockRow& row) {
                           return row.first_line == 0 ? ""
                                  : row.first_line == row.last_line
                                      ? std::to_string(row.first_line)
                                      : fmt::format("{}-{}", row.first_line, row.last_line);
                         }),
    {"successors", ColumnType::list, "blocks that may follow",
     [](const BlockRow& row) { return Cell::blocks(row.function.blocks[row.block].successors); },
     Forms::both, left("to")},
    {"loop_depth", ColumnType::number, "how many loops it lies in",
     [](const BlockRow& row) -> Cell { return loop_depth(row.function, row.block); }, Forms::both,
     right("loop depth")},
    {"statements", ColumnType::number, "statements it has",
     [](const BlockRow& row) -> Cell { return row.function.blocks[row.block].statement_count; },
     Forms::both, right("statements")},
    {"count", ColumnType::count, "with --counts: how often it ran",
     [](const BlockRow& row) -> Cell { return row.count; }, Forms::both, right("count")},
};

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

  Output out;
  bool first_function = true;
  for (const uint32_t id : *functions) {
    const Function& f = trace->functions()[id];
    const std::string function = demangle(f.name);
    const std::string_view source =
        f.file < f.files.size() ? std::string_view(f.files[f.file]) : "";
    RowWriter<BlockRow> rows(kBlockColumns, listing.style("count"), out);
    if (listing.presentation.format() == Format::human)
      out.print("#{} {} {}\n", id, short_function(function), function_place(f));
    if (std::exchange(first_function, false)) rows.begin();
    for (uint32_t b = 0; b < f.blocks.size() && listing.shows(b + 1); ++b) {
      const auto [first, last] = line_range(f, b);
      const uint64_t count = listing.counts ? (*profile)[id].blocks[b] : 0;
      rows.row({id, f, function, source, b, first, last, count});
    }
    rows.end();
    listing.say_more(out, f.blocks.size(), rows.rows(), "blocks");
  }
  return kDone;
}

RowTable block_rows() { return describe("blocks", kBlockColumns); }

}  // namespace vestige::cli
