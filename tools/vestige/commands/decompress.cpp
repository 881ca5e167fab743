// vestige decompress: what vestige compress was given, byte for byte unless that was told --lossy.
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
          {"errors", report.errors},
          {"found_by", report.found_by.empty() ? Json() : Json(report.found_by)},
          {"problem", report.problem.empty() ? Json() : Json(report.problem)}};
}

}  // namespace

int command_decompress(Arguments arguments) {
  CommandLine line(
      "decompress",
      "Gives back what vestige compress was given; - is standard input or output. Of a "
      "damaged file, what precedes the damage, with exit code 3.",
      "vestige decompress gcc.loadval.vcz gcc.loadval.vpc");
  line.usage("vestige decompress [--from N [--count M]] [OPTIONS] IN OUT");
  DecompressOptions options;
  std::string in, out;
  Presentation presentation;
  CLI::App& app = line.app();
  app.add_option("IN", in, "The compressed file")->required()->type_name("");
  app.add_option("OUT", out, "The trace")->required()->type_name("");
  CLI::Option* const from =
      app.add_option("--from", options.from,
                     "Records only, from this one on, counted from 1; what precedes the first "
                     "record and what is left over at the end are left out")
          ->check(CLI::Range(uint64_t{1}, UINT64_MAX).description(""))
          ->type_name("N");
  app.add_option("--count", options.count, "With --from: at most so many")
      ->check(CLI::Range(uint64_t{1}, UINT64_MAX).description(""))
      ->needs(from)
      ->type_name("M");
  app.add_option("--threads", options.threads, "At most this many; all cores when not given")
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
  if (!presentation.quiet && report->found_by == "blocks")
    report_note(in + " has no directory of its blocks that could be used; all were looked at");
  if (!presentation.quiet && report->found_by == "start")
    report_note((in == "-" ? "standard input" : in) +
                " cannot be read but from its start; what precedes record " +
                std::to_string(options.from) + " was decoded, too");
  if (!presentation.quiet)
    for (const auto& [field, bound] : report->errors)
      report_note(fmt::format("lossy: values of {} may be off by {} from what was compressed",
                              field, bound));
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
