// vestige functions: the recorded functions, with ids and source lines.
#include <fmt/format.h>
#include <fnmatch.h>

#include "commands.h"
#include "output.h"
#include "report.h"
#include "short_names.h"
#include "trace_query.h"

namespace vestige::cli {
namespace {

// A shell pattern over the whole name, or, without pattern characters, a part of it.
bool matches(const std::string& pattern, const std::string& name) {
  if (pattern.find_first_of("*?[") == pattern.npos) return name.find(pattern) != name.npos;
  return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

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

  using enum Table::Align;
  const Format format = listing.presentation.format();
  Output out;
  std::vector<std::string> headers = {"id", "function", "place", "blocks", "statements", "paths"};
  std::vector<Table::Align> alignment = {right, left, left, right, right, right};
  if (listing.counts) headers.push_back("activations"), alignment.push_back(right);
  Table table(headers, alignment);
  if (format == Format::csv) {
    out.print("id,name,linkage_name,file,line,module,blocks,statements,paths{}\n",
              listing.counts ? ",activations" : "");
  }
  uint64_t found = 0;
  for (uint32_t id = 0; id < trace->functions().size(); ++id) {
    const Function& f = trace->functions()[id];
    const std::string name = demangle(f.name);
    if (!pattern.empty() && !matches(pattern, name) && !matches(pattern, f.name)) continue;
    ++found;
    const std::string source = f.file < f.files.size() ? f.files[f.file] : "";
    const uint64_t activations = listing.counts ? (*profile)[id].activations : 0;
    if (format == Format::json) {
      out.print(
          "{{\"id\":{},\"name\":{},\"linkage_name\":{},\"file\":{},\"line\":{},\"module\":{},"
          "\"blocks\":{},\"statements\":{},\"paths\":{}",
          id, json_string(name), json_string(f.name), source.empty() ? "null" : json_string(source),
          f.line, f.module, f.blocks.size(), f.statements.size(), f.path_count);
      if (listing.counts) out.print(",\"activations\":{}", activations);
      out.text("}\n");
    } else if (format == Format::csv) {
      out.print("{},{},{},{},{},{},{},{},{}", id, csv_field(name), csv_field(f.name),
                csv_field(source), f.line, f.module, f.blocks.size(), f.statements.size(),
                f.path_count);
      if (listing.counts) out.print(",{}", activations);
      out.put('\n');
    } else if (found <= listing.shown(found)) {
      std::vector<std::string> cells = {
          fmt::format("#{}", id),   short_function(name),         function_place(f),
          grouped(f.blocks.size()), grouped(f.statements.size()), grouped(f.path_count)};
      if (listing.counts) cells.push_back(grouped(activations));
      table.row(std::move(cells));
    }
  }
  if (found == 0 && !pattern.empty()) {
    if (!listing.presentation.quiet)
      report_error(fmt::format("no function of {} matches '{}'", listing.file, pattern));
    return kNo;
  }
  if (format == Format::human) print_listing(out, table, found, "functions", listing);
  return kDone;
}

}  // namespace vestige::cli
