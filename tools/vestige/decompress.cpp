// vestige decompress: what vestige compress was given, byte for byte.
#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "commands.h"
#include "output.h"
#include "progress.h"
#include "report.h"
#include "vestige/compress.h"

namespace vestige::cli {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const DecompressReport& report) {
  return {{"in", report.in},
          {"out", report.out},
          {"seconds", report.seconds},
          {"mb_per_s", megabytes_per_second(report.out, report.seconds)},
          {"codec", report.codec},
          {"format", report.format},
          {"records", report.records},
          {"problem", report.problem.empty() ? Json() : Json(report.problem)}};
}

}  // namespace

int command_decompress(Arguments arguments) {
  CommandLine line(
      "decompress",
      "Gives back what vestige compress was given; - is standard input or output. Of a "
      "damaged file, what precedes the damage, with exit code 3.",
      "vestige decompress gcc.loadval.vcz gcc.loadval.vpc");
  line.usage("vestige decompress [OPTIONS] IN OUT");
  DecompressOptions options;
  std::string in, out;
  Presentation presentation;
  CLI::App& app = line.app();
  app.add_option("IN", in, "The compressed file")->required()->type_name("");
  app.add_option("OUT", out, "The trace")->required()->type_name("");
  app.add_option("--threads", options.threads, "At most this many; 2 when not given")
      ->check(CLI::Range(1, 256).description(""))
      ->type_name("N");
  line.add_presentation(presentation, false);
  if (const auto code = line.parse(arguments)) return *code;

  Progress progress(presentation.quiet, presentation.color);
  options.progress = [&](uint64_t done, uint64_t made, uint64_t total) {
    progress.update(done, made, total);
  };
  const auto report = decompress(in, out, options);
  progress.clear();
  if (!report) return report_conversion(report.error());
  if (presentation.json) {
    Output answer(out == "-" ? STDERR_FILENO : STDOUT_FILENO);
    answer.json(to_json(*report));
  }
  if (!report->problem.empty()) {
    report_error(fmt::format("{}; the {} bytes of the trace before that were written",
                             report->problem, grouped(report->out)));
    return kBadTrace;
  }
  if (!presentation.quiet && !presentation.json)
    report_error(fmt::format("{} → {} bytes, {} records of {}, {:.1f} MB/s", grouped(report->in),
                             grouped(report->out), grouped(report->records), report->format,
                             megabytes_per_second(report->out, report->seconds)));
  return kDone;
}

}  // namespace vestige::cli
