// vestige functions: the recorded functions, with ids and source lines.
#include <fmt/format.h>
#include <fnmatch.h>

#include "commands.h"
#include "output.h"
#include "report.h"
#include "rows/row_tables.h"
#include "short_names.h"
#include "trace_query.h"

namespace vestige::cli {
namespace {

// A shell pattern over the whole name, or, without pattern characters, a part of it.
bool matches(const std::string& pattern, const std::string& name) {
  if (pattern.find_first_of("*?[") == pattern.npos) return name.find(pattern) != name.npos;
  return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

struct FunctionRow {
  uint32_t id;
  const Function& function;
  std::string_view name;
  uint64_t activations;
  std::string_view source() const {
    return function.file < function.files.size() ? std::string_view(function.files[function.file])
                                                 : "";
  }
};

constexpr Column<FunctionRow> kFunctionColumns[] = {
    {"id", ColumnType::id, "number of the function, which #ID means in other commands",
     [](const FunctionRow& row) -> Cell { return row.id; }, Forms::both, right("id")},
    {"name", ColumnType::text, "as in the source",
     [](const FunctionRow& row) -> Cell { return row.name; }, Forms::both, left("function"),
     [](const FunctionRow& row) { return short_function(row.name); }},
    {"linkage_name", ColumnType::text, "as in the object file",
     [](const FunctionRow& row) -> Cell { return std::string_view(row.function.name); }},
    {"file", ColumnType::text, "source file",
     [](const FunctionRow& row) { return Cell::text_or_null(row.source()); }},
    for_people<FunctionRow>(left("place"),
                            [](const FunctionRow& row) { return function_place(row.function); }),
    {"line", ColumnType::number, "where it begins, 0 when that is not known",
     [](const FunctionRow& row) -> Cell { return row.function.line; }},
    {"module", ColumnType::number, "number of the executable or library",
     [](const FunctionRow& row) -> Cell { return row.function.module; }},
    {"blocks", ColumnType::count, "blocks it has",
     [](const FunctionRow& row) -> Cell { return row.function.blocks.size(); }, Forms::both,
     right("blocks")},
    {"statements", ColumnType::count, "statements it has",
     [](const FunctionRow& row) -> Cell { return row.function.statements.size(); }, Forms::both,
     right("statements")},
    {"paths", ColumnType::count, "paths it could take",
     [](const FunctionRow& row) -> Cell { return row.function.path_count; }, Forms::both,
     right("paths")},
    {"activations", ColumnType::count, "with --counts: how often it was entered",
     [](const FunctionRow& row) -> Cell { return row.activations; }, Forms::both,
     right("activations")},
};

}  // namespace

int command_functions(Arguments arguments) {
  CommandLine line("functions", "The functions of a trace, with their ids and source lines.",
                   "vestige functions bzip2.vst 'BZ2_*' --counts");
  Listing listing;
  add_listing(line, listing, "PATTERN",
              "Only names that contain this, or match it as a shell pattern");
  if (const auto code = line.parse(arguments)) return *code;
  const std::string& pattern = listing.what;
  const auto trace = open_trace(listing.file);
  if (!trace) return kBadTrace;
  const auto profile = listing.profile(*trace);
  if (!profile) return report_trace(profile.error());

  Output out;
  RowWriter<FunctionRow> rows(kFunctionColumns, listing.style({"activations"}), out);
  rows.begin();
  uint64_t found = 0;
  for (uint32_t id = 0; id < trace->functions().size(); ++id) {
    const Function& f = trace->functions()[id];
    const std::string name = demangle(f.name);
    if (!pattern.empty() && !matches(pattern, name) && !matches(pattern, f.name)) continue;
    ++found;
    if (listing.shows(found))
      rows.row({id, f, name, listing.counts ? (*profile)[id].activations : 0});
  }
  if (found == 0 && !pattern.empty()) {
    if (!listing.presentation.quiet)
      report_error(fmt::format("no function of {} matches '{}'", listing.file, pattern));
    return kNo;
  }
  rows.end();
  listing.say_more(out, found, rows.rows(), "functions");
  return kDone;
}

RowTable function_rows() { return describe("functions", kFunctionColumns); }

}  // namespace vestige::cli
