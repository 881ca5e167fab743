// vestige merge: the ranks of a run, each with a trace of its own, as one trace of descriptors.
#include <fmt/format.h>

#include <filesystem>

#include "commands.h"
#include "output.h"
#include "report.h"
#include "vestige/spmd.h"

namespace vestige::cli {

int command_merge(Arguments arguments) {
  CommandLine line("merge",
                   "Makes one trace of descriptors of those of several ranks: full recordings, or what "
                   "vestige represent made of them. The order of the files does not matter.",
                   "vestige merge rank0.vst rank1.vst -o all.vst");
  std::vector<std::string> files;
  std::string output;
  Presentation presentation;
  CLI::App& app = line.app();
  app.add_option("TRACE", files, "Trace files")->required()->type_name("TRACE");
  app.add_option("-o,--output", output, "The new trace file")->required()->type_name("TRACE");
  app.add_flag("-q,--quiet", presentation.quiet, "No notes, no progress");
  if (const auto code = line.parse(arguments)) return *code;
  std::vector<Descriptors> ranks;
  for (const std::string& file : files) {
    std::error_code failure;
    if (std::filesystem::equivalent(file, output, failure)) {
      report_error(fmt::format("{} would be overwritten; give -o another name", file));
      return kWrongUse;
    }
    if (Descriptors::is_in(file)) {
      auto rank = Descriptors::open(file);
      if (!rank) return report_trace(rank.error());
      ranks.push_back(std::move(*rank));
      continue;
    }
    const auto trace = Trace::open(file);
    if (!trace) return report_trace(trace.error());
    auto rank = Descriptors::fold(*trace);
    if (!rank) return report_trace(rank.error());
    ranks.push_back(std::move(*rank));
  }
  const auto merged = Descriptors::merge(std::move(ranks));
  if (!merged) return report_trace(merged.error());
  if (const auto written = merged->write(output); !written) return report(written.error());
  if (!presentation.quiet) {
    std::error_code failure;
    report_error(fmt::format("{} ranks, {} threads in {}", grouped(merged->ranks()),
                             grouped(merged->threads().size()),
                             byte_size(std::filesystem::file_size(output, failure))));
  }
  return kDone;
}

}  // namespace vestige::cli
