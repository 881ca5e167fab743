// vestige recover: writes what can be read of a damaged or unfinished trace as a whole one.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "output.h"
#include "report.h"
#include "vestige/trace.h"

namespace vestige::cli {

int command_recover(Arguments arguments) {
  CommandLine line("recover", "Writes what a crash left of a trace as a whole trace.",
                   "vestige recover broken.vst -o whole.vst");
  std::string file, output;
  Presentation presentation;
  line.add_trace(file);
  line.app()
      .add_option("-o,--output", output, "The new trace file")
      ->required()
      ->type_name("TRACE");
  line.add_presentation(presentation, false);
  if (const auto code = line.parse(arguments)) return *code;
  std::error_code failure;
  if (!std::filesystem::exists(file, failure)) {
    report_error(fmt::format("cannot open {}: there is no such file", file));
    return kBadTrace;
  }
  if (!std::filesystem::is_regular_file(file, failure)) {
    report_error(fmt::format("{} is not a regular file", file));
    return kBadTrace;
  }
  if (std::filesystem::equivalent(file, output, failure)) {
    report_error(fmt::format("{} would overwrite itself; give -o another name", file));
    return kWrongUse;
  }
  const auto recovered = recover(file, output);
  if (!recovered) return report(recovered.error());
  Output out;
  if (presentation.json) {
    nlohmann::ordered_json json = {
        {"chunks", recovered->chunks}, {"paths", recovered->paths}, {"damage", recovered->damage}};
    out.json(json);
    return kDone;
  }
  for (const std::string& damage : recovered->damage) out.print("{}\n", damage);
  out.flush();
  if (!presentation.quiet) {
    report_error(fmt::format("recovered {} paths in {} chunks into {}", grouped(recovered->paths),
                             grouped(recovered->chunks), output));
  }
  return kDone;
}

}  // namespace vestige::cli
