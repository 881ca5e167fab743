// vestige represent: a trace written in another way; today: its memory references as descriptors.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "output.h"
#include "progress.h"
#include "report.h"
#include "trace_query.h"
#include "vestige/spmd.h"

namespace vestige::cli {

int command_represent(Arguments arguments) {
  CommandLine line("represent",
                   "Writes the memory references of a full recording as descriptors: loops with "
                   "affine addresses, merged over threads.",
                   "vestige represent matmul.vst --as eprsd -o small.vst");
  std::string file, output, as;
  Presentation presentation;
  line.add_trace(file);
  CLI::App& app = line.app();
  app.add_option("--as", as, "eprsd")
      ->required()
      ->check(CLI::IsMember({"eprsd"}))
      ->type_name("FORM");
  app.add_option("-o,--output", output, "The new trace file")->required()->type_name("TRACE");
  line.add_presentation(presentation, false);
  line.add_unavailable("--window");
  line.add_unavailable("--lossy");
  line.add_unavailable("--plugin");
  if (const auto code = line.parse(arguments)) return *code;
  const auto trace = open_trace(file);
  if (!trace) return kBadTrace;
  std::error_code failure;
  if (std::filesystem::equivalent(file, output, failure)) {
    report_error(fmt::format("{} would overwrite itself; give -o another name", file));
    return kWrongUse;
  }
  uint64_t paths = 0, done = 0;
  for (const ThreadInfo& thread : trace->threads()) paths += thread.paths;
  Progress progress(presentation.quiet, presentation.color);
  const auto descriptors = Descriptors::fold(*trace, [&](uint64_t more) {
    done += more;
    progress.count(done, paths, "paths");
  });
  progress.clear();
  if (!descriptors) return report_trace(descriptors.error());
  if (const auto written = descriptors->write(output); !written) return report(written.error());
  uint64_t references = 0;
  for (const DescriptorThread& thread : descriptors->threads()) references += thread.references;
  const auto bytes = std::filesystem::file_size(output, failure);
  if (presentation.json) {
    Output out;
    const nlohmann::ordered_json json = {{"threads", descriptors->threads().size()},
                                         {"references", references},
                                         {"raw_bytes", 8 * references},
                                         {"file_bytes", bytes}};
    out.print("{}\n", json.dump());
  } else if (!presentation.quiet) {
    report_error(fmt::format("{} references of {} threads in {}", grouped(references),
                             grouped(descriptors->threads().size()), byte_size(bytes)));
  }
  return kDone;
}

}  // namespace vestige::cli
