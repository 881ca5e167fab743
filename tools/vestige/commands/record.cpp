// vestige record: runs a program built with vestige-cc and writes its trace.
#include <fmt/format.h>

#include <filesystem>

#include "commands.h"
#include "recording.h"
#include "report.h"

namespace vestige::cli {

int command_record(Arguments arguments) {
  CommandLine line("record", "Runs a program built with vestige-cc and records it.",
                   "vestige record -o sort.vst -- ./sort numbers.txt");
  RecordingFlags flags;
  flags.options.output.clear();
  line.app()
      .add_option("-o,--output", flags.options.output, "The trace file; PROG.vst by default")
      ->type_name("TRACE");
  std::string as;
  line.app()
      .add_option("--as", as,
                  "eprsd: the file gets memory references as descriptors (vestige represent), and "
                  "nothing else; what does not fold stays a recording")
      ->check(CLI::IsMember({"eprsd"}))
      ->type_name("FORM");
  line.app().add_flag("--fold-irregular", flags.fold_irregular,
                      "--as eprsd: folds what does not fold well, too, which takes many times as "
                      "long as recording it");
  add_recording_flags(line, flags);
  line.usage("vestige record [flags] -- PROG [args]");
  line.add_behind(flags.options.command);
  std::vector<std::string> words;
  line.add_unknown(words);
  if (const auto code = line.parse(arguments)) return *code;
  for (const std::string& word : words) {
    if (!word.starts_with('-')) {
      report_error(fmt::format("put -- before the program: vestige record -- {}", word));
      return kWrongUse;
    }
    return line.refuse(word);
  }
  if (flags.options.command.empty()) {
    report_error("no program given: vestige record -- PROG args");
    return kWrongUse;
  }
  if (flags.options.output.empty()) {
    flags.options.output =
        std::filesystem::path(flags.options.command.front()).filename().string() + ".vst";
  }
  std::error_code failure;
  if (flags.options.command.front().contains('/') &&
      std::filesystem::equivalent(flags.options.command.front(), flags.options.output, failure)) {
    report_error(fmt::format("{} is the program itself; give the trace another name with -o",
                             flags.options.output));
    return kWrongUse;
  }
  if (!as.empty()) {
    if (flags.what.empty()) flags.what = "memory";
    if (flags.what == "control" || !flags.last.empty() || flags.options.order ||
        flags.options.check) {
      report_error(
          "--as eprsd is of every address: it takes --what memory or --what full, without --last, "
          "--order and --check");
      return kWrongUse;
    }
    flags.descriptors = flags.options.output;
  } else if (flags.fold_irregular) {
    report_error("--fold-irregular is of --as eprsd");
    return kWrongUse;
  }
  return record_and_report(flags);
}

}  // namespace vestige::cli
