// vestige compress: a trace of records (PC and value, references, control flow …) made small.
#include "vestige/compress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
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
               {"records", report.records},
               {"errors", report.errors}};
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

// FIELD:N into the options; false when that is not what it says.
bool take_bound(const std::string& text, CompressOptions& options) {
  const size_t colon = text.rfind(':');
  if (colon == text.npos || colon == 0) return false;
  const char* const end = text.data() + text.size();
  uint64_t bound = 0;
  const auto [stop, failed] = std::from_chars(text.data() + colon + 1, end, bound);
  if (failed != std::errc() || stop != end || bound == 0) return false;
  options.errors[text.substr(0, colon)] = bound;
  return true;
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
  std::vector<std::string> lossy;
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
                 "vestige (the default), vpc, vpc2, hybrid, sequitur, runs, packed, select …")
      ->type_name("NAME");
  app.add_option("--predictors", options.predictors,
                 "The predictors of vpc, vpc2 and hybrid (docs/codecs.md); without --codec: vpc2")
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
  app.add_option(
         "--lossy", lossy,
         "value:N: values, unsigned integers, may come back off by N at most; FIELD:N: those "
         "of one field. PCs stay exact (docs/codecs.md)")
      ->allow_extra_args(false)
      ->type_name("FIELD:N");
  app.add_flag("--explain", options.explain, "Which predictor predicted what, by field and PC");
  app.add_flag("--all", all, "With --explain: every PC");
  app.add_option("--threads", options.threads, "At most this many; 2 when not given")
      ->check(CLI::Range(1, 256).description(""))
      ->type_name("N");
  line.add_presentation(presentation, false);
  if (const auto code = line.parse(spell_out_level(std::move(arguments)))) return *code;
  if (level != 0) options.level = level;
  for (const std::string& bound : lossy) {
    if (take_bound(bound, options)) continue;
    report_error("--lossy takes FIELD:N, N from 1 on, as in value:16, not '" + bound + "'");
    return kWrongUse;
  }
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
  if (!presentation.quiet && !presentation.json)
    for (const auto& [field, bound] : report->errors)
      report_note(fmt::format("lossy: values of {} are within {} of the trace's", field, bound));
  // Standard output may be the data's.
  Output answer(out == "-" ? STDERR_FILENO : STDOUT_FILENO);
  if (presentation.json)
    answer.json(to_json(*report, options.explain));
  else if (options.explain)
    print_explanation(report->predictors, all, wants_color(presentation.color), answer);
  return kDone;
}

}  // namespace vestige::cli
