// vestige import: a trace that another tool made, as a trace of ours.
#include <fmt/format.h>

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
  CommandLine line("import",
                   "Makes a trace of what another tool recorded; - is standard input. "
                   "cf: control flow, as u32 events or as a .vcz of them.",
                   "vestige import --from cf lua.cflow.u32 -o lua.vst");
  line.usage("vestige import --from cf [OPTIONS] IN -o TRACE");
  std::string from, in, out;
  Presentation presentation;
  CLI::App& app = line.app();
  app.add_option("IN", in, "What the other tool made")->required()->type_name("");
  app.add_option("--from", from, "Its format: cf")
      ->required()
      ->check(CLI::IsMember({"cf"}).description(""))
      ->type_name("FORMAT");
  app.add_option("-o,--output", out, "The trace file")->required()->type_name("TRACE");
  line.add_presentation(presentation, false);
  if (const auto code = line.parse(arguments)) return *code;

  Progress progress(presentation.quiet, presentation.color);
  ImportOptions options;
  options.progress = [&](uint64_t done, uint64_t total) { progress.count(done, total, "events"); };
  const auto report = import_control_flow(in, out, options);
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
