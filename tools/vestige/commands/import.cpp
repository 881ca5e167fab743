// vestige import: a trace that another tool made, as a trace of ours.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "output.h"
#include "progress.h"
#include "report.h"
#include "vestige/exchange.h"

namespace vestige::cli {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const ImportReport& report, const std::string& from) {
  return {{"from", from},
          {"events", report.events},
          {"blocks", report.blocks},
          {"entries", report.entries},
          {"exits", report.exits},
          {"functions", report.functions},
          {"paths", report.paths},
          {"file_bytes", report.bytes},
          {"seconds", report.seconds}};
}

}  // namespace

int command_import(Arguments arguments) {
  std::string summary = "Makes a trace of what another tool recorded; - is standard input.";
  std::vector<std::string> names;
  for (const ImportFormat& format : import_formats()) {
    names.emplace_back(format.name);
    summary += fmt::format(" {}: {}.", format.name, format.holds);
  }
  const std::string any = fmt::format("{}", fmt::join(names, "|"));
  CommandLine line("import", summary, "vestige import --from cf lua.cflow.u32 -o lua.vst");
  line.usage(fmt::format("vestige import --from {} [OPTIONS] IN -o TRACE", any));
  std::string from, in, out;
  Presentation presentation;
  CLI::App& app = line.app();
  app.add_option("IN", in, "What the other tool made")->required()->type_name("");
  app.add_option("--from", from, "Its format: " + any)
      ->required()
      ->check(CLI::IsMember(names).description(""))
      ->type_name("FORMAT");
  app.add_option("-o,--output", out, "The trace file")->required()->type_name("TRACE");
  line.add_presentation(presentation, false);
  if (const auto code = line.parse(arguments)) return *code;

  Progress progress(presentation.quiet, presentation.color);
  ImportOptions options;
  options.progress = [&](uint64_t done, uint64_t total) { progress.count(done, total, "events"); };
  const auto format = std::ranges::find(import_formats(), from, &ImportFormat::name);
  const auto report = format->import(in, out, options);
  progress.clear();
  if (!report) return cli::report(report.error());
  if (presentation.json) {
    Output answer;
    answer.json(to_json(*report, from));
  } else if (!presentation.quiet) {
    report_error(fmt::format("{} events of {} functions → {} paths, {} bytes",
                             grouped(report->events), grouped(report->functions),
                             grouped(report->paths), grouped(report->bytes)));
  }
  return kDone;
}

}  // namespace vestige::cli
