// vestige compress: a trace of records (PC and value, references, control flow …) made small.
#include "vestige/compress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "commands.h"
#include "explanation.h"
#include "output.h"
#include "progress.h"
#include "report.h"

namespace vestige::cli {
namespace {

using Json = nlohmann::ordered_json;

double ratio(const CompressReport& report) {
  return report.out ? double(report.in) / report.out : 0;
}

Json to_json(const CompressReport& report, bool explain) {
  Json json = {{"in", report.in},
               {"out", report.out},
               {"ratio", ratio(report)},
               {"seconds", report.seconds},
               {"mb_per_s", megabytes_per_second(report.in, report.seconds)},
               {"codec", report.codec},
               {"format", report.format},
               {"records", report.records}};
  if (explain) json["explain"] = explanation_json(report.predictors);
  return json;
}

// -7 as --level=7: as flags of their own the nine would fill the help.
Arguments spell_out_level(Arguments arguments) {
  for (std::string& word : arguments) {
    if (word.size() > 1 && word[0] == '-' && word.find_first_not_of("0123456789", 1) == word.npos)
      word = "--level=" + word.substr(1);
  }
  return arguments;
}

}  // namespace

int command_compress(Arguments arguments) {
  CommandLine line("compress",
                   "Compresses a trace of records, single pass, in fixed memory; - is standard "
                   "input or output.",
                   "vestige compress -9 --format vpc gcc.loadval.vpc gcc.loadval.vcz");
  line.usage("vestige compress [-1 … -9] [OPTIONS] IN OUT");
  CompressOptions options;
  std::string in, out;
  bool all = false;
  int level = 0;
  Presentation presentation;
  CLI::App& app = line.app();
  app.add_option("IN", in, "The trace")->required()->type_name("");
  app.add_option("OUT", out, "The compressed file")->required()->type_name("");
  app.add_option("--format", options.format,
                 "vpc, cf, refs, u64 or record:SPEC, as in record:pc:4,value:8; "
                 "told from the input when not given")
      ->type_name("FORMAT");
  app.add_option("--codec", options.codec,
                 "vestige (the default), vpc, vpc2, sequitur, runs, packed, select …")
      ->type_name("NAME");
  app.add_option("--predictors", options.predictors,
                 "The predictors of vpc and vpc2 (docs/codecs.md); without --codec: vpc2")
      ->type_name("LIST");
  app.add_option("--level", level,
                 "1 (fast) to 9 (small), of the codec vestige; also -1 … -9; 5 when not given")
      ->check(CLI::Range(1, 9).description(""))
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
      ->type_name("N");
  app.add_option("--section", options.section,
                 "Records between places where reading can begin; fewer make a larger file "
                 "(docs/codecs.md)")
      ->check(CLI::Range(uint64_t{1000}, UINT64_MAX).description(""))
      ->type_name("N");
  app.add_flag("--explain", options.explain, "Which predictor predicted what, by field and PC");
  app.add_flag("--all", all, "With --explain: every PC");
  app.add_option("--threads", options.threads, "At most this many; 2 when not given")
      ->check(CLI::Range(1, 256).description(""))
      ->type_name("N");
  line.add_presentation(presentation, false);
  if (const auto code = line.parse(spell_out_level(std::move(arguments)))) return *code;
  if (level != 0) options.level = level;
  if (out == "-" && isatty(STDOUT_FILENO)) {
    report_error("standard output is a terminal; give a file, or redirect it");
    return kWrongUse;
  }

  Progress progress(presentation.quiet, presentation.color);
  options.progress = [&](uint64_t done, uint64_t made, uint64_t total) {
    progress.update(done, made, total);
  };
  const auto report = compress(in, out, options);
  progress.clear();
  if (!report) return report_conversion(report.error());

  if (!presentation.quiet && level != 0 && report->codec != "vestige")
    report_note(
        fmt::format("the codec {} has no levels; -{} changes nothing", report->codec, level));
  if (!presentation.quiet && !presentation.json) {
    report_error(fmt::format(
        "{} → {} bytes (ratio {:.2f}), {} records of {}, codec {}, {:.1f} MB/s",
        grouped(report->in), grouped(report->out), ratio(*report), grouped(report->records),
        report->format, report->codec, megabytes_per_second(report->in, report->seconds)));
  }
  // Standard output may be the data's.
  Output answer(out == "-" ? STDERR_FILENO : STDOUT_FILENO);
  if (presentation.json)
    answer.json(to_json(*report, options.explain));
  else if (options.explain)
    print_explanation(report->predictors, all, wants_color(presentation.color), answer);
  return kDone;
}

}  // namespace vestige::cli
