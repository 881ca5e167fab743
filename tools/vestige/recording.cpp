#include "recording.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

#include "descriptor_query.h"
#include "output.h"
#include "report.h"
#include "vestige/live_fold.h"
#include "vestige/query.h"
#include "vestige/record_ranks.h"

namespace vestige::cli {

void add_recording_flags(CommandLine& line, RecordingFlags& flags) {
  CLI::App& app = line.app();
  app.add_option(
         "--what", flags.what,
         "How much to record: control (the paths taken), memory (and every address) or full "
         "(and every value); full by default, control with --include, --exclude, --start, "
         "--stop or --last")
      ->type_name("DEPTH");
  app.add_option("--engine", flags.engine,
                 "What records: auto or llvm (code built with vestige-cc)")
      ->type_name("ENGINE");
  app.add_option(
         "--include", flags.options.include,
         "Record only functions or source files that match the shell pattern; may be repeated")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
  app.add_option("--exclude", flags.options.exclude,
                 "Do not record those that match; may be repeated")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
  app.add_option("--start", flags.options.start,
                 "Record a thread from its first entry into this function")
      ->type_name("FUNCTION");
  app.add_option("--stop", flags.options.stop,
                 "Pause when it enters this one, until the next start")
      ->type_name("FUNCTION");
  app.add_option("--max-size", flags.max_size,
                 "Stop recording when the file has this many bytes; K, M, G are powers of 1024")
      ->type_name("SIZE");
  app.add_option(
         "--last", flags.last,
         "Keep only the last N paths (or a few more) of each thread; K, M, G are powers of 1000")
      ->type_name("N");
  app.add_option("--exit-wait", flags.exit_wait,
                 "How long the program's end waits for its other threads; 1 unless told, 0 for not "
                 "at all")
      ->type_name("SECONDS");
  app.add_flag("--check", flags.options.check,
               "Keep every value of code compiled with --vestige-check as well, for verify to "
               "compare with the derived ones");
  app.add_flag("--order", flags.options.order,
               "Keep the order of conflicting accesses of threads as well, so that a run with "
               "races has one order");
  app.add_flag("-q,--quiet", flags.quiet, "No summary on standard error");
}

namespace {

constexpr double kLongestExitWait = 86400;

std::string whose(const RecordSummary& summary) {
  std::string who = counted(summary.threads, "thread");
  if (summary.ranks > 0)
    who += " of " + counted(summary.ranks, "rank");
  else if (summary.processes > 1)
    who += fmt::format(" of {} processes", grouped(summary.processes));
  return who;
}

// What did not fold is the recording itself.
Result<void> keep_recording(const std::string& recording, const std::string& output) {
  std::error_code failure;
  std::filesystem::rename(recording, output, failure);
  if (failure)
    return std::unexpected(
        Error{ErrorKind::io, fmt::format("{}: cannot write: {}", output, failure.message())});
  return {};
}

// Makes the descriptors of the recording, which is gone then. What became of it; nothing: it could
// not be done, and that is reported.
std::optional<std::string> fold_recording(const RecordingFlags& flags, const RecordSummary& summary,
                                          LiveFold& fold) {
  const std::string& recording = flags.options.output;
  const std::string& output = flags.descriptors;
  const auto failed = [&](const Error& error) {
    report(error);
    report_note(fmt::format("the recording is kept: {}; vestige represent {} --as eprsd -o {}",
                            recording, recording, flags.descriptors));
    return std::nullopt;
  };
  const auto descriptors = fold.finish_if_it_pays();
  if (!descriptors) return failed(descriptors.error());
  if (!*descriptors) {
    if (const auto kept = keep_recording(recording, output); !kept) return failed(kept.error());
    return fmt::format(
        "recorded {} paths of {} into {} ({}): they are irregular, and kept as a recording; "
        "vestige represent {} --as eprsd -o NEW.vst folds them",
        grouped(summary.paths), whose(summary), output, byte_size(summary.file_bytes), output);
  }
  if (const auto written = (*descriptors)->write(output); !written) return failed(written.error());
  std::error_code failure;
  std::filesystem::remove(recording, failure);
  return fmt::format(
      "recorded {} references of {} as descriptors into {} ({}; the recording had {})",
      grouped(count_references(**descriptors)), whose(summary), output,
      byte_size(std::filesystem::file_size(output, failure)), byte_size(summary.file_bytes));
}

// Where threads were when a signal killed them.
void report_deaths(const std::string& output) {
  const auto trace = Trace::open(output);
  if (!trace) return;
  for (uint32_t thread = 0; thread < trace->threads().size(); ++thread)
    if (const auto fatal = fatal_event(*trace, thread); fatal && *fatal)
      report_note(
          fmt::format("thread {}: {}", thread_name(*trace, thread), event_text(*trace, **fatal)));
}

// `fold` is null when descriptors are not wanted.
int report_recording(const RecordingFlags& flags, const RecordSummary& summary, LiveFold* fold) {
  const RecordOptions& options = flags.options;
  const bool folds = fold != nullptr;
  const std::string& output = folds ? flags.descriptors : options.output;
  bool whole = true;
  if (!summary.recorded) {
    if (folds) std::filesystem::remove(options.output);
    if (!flags.quiet) {
      report_error(fmt::format("{} has no recorded code; build it with vestige-cc",
                               options.command.front()));
    }
  } else if (folds) {
    const auto folded = fold_recording(flags, summary, *fold);
    whole = folded.has_value();
    if (folded && !flags.quiet)
      report_error(*folded + (summary.size_cap_reached
                                  ? "; the program went on unrecorded at --max-size"
                                  : ""));
  } else if (!flags.quiet) {
    report_error(fmt::format(
        "recorded {} paths of {} into {} ({}){}{}", grouped(summary.paths), whose(summary),
        options.output, byte_size(summary.file_bytes),
        options.last ? ", which has the last of them" : "",
        summary.size_cap_reached ? "; the program went on unrecorded at --max-size" : ""));
  }
  constexpr int kKilled = 128;  // + the signal
  if (summary.recorded && !folds && !flags.quiet && summary.exit_status > kKilled)
    report_deaths(output);
  if (!summary.warning.empty()) report_note(summary.warning);
  if (!summary.missing.empty())
    report_error(fmt::format("{} is not whole: {}", output, summary.missing));
  if (!summary.problem.empty()) {
    report_error(fmt::format("{} ends early: {}", output, summary.problem));
    whole = false;
  }
  if (!whole && summary.exit_status == 0) return kIo;
  if (summary.threads > 1 && summary.disorderly != 0 && summary.orderly == 0) {
    report_error(fmt::format(
        "{} has no order of accesses: nothing that ran was compiled for it (vestige-cc -pthread "
        "or --vestige-order)",
        options.output));
    if (summary.exit_status == 0) return kWrongUse;
  }
  return summary.exit_status;
}

// Of the recording to come, if descriptors are wanted of it.
std::unique_ptr<LiveFold> begin_fold(RecordingFlags& flags) {
  if (flags.descriptors.empty()) return nullptr;
  auto fold = std::make_unique<LiveFold>(flags.options.output, flags.fold_irregular
                                                                   ? LiveFold::Irregular::fold
                                                                   : LiveFold::Irregular::put_off);
  flags.options.written = [fold = fold.get()](auto... what) { fold->written(what...); };
  return fold;
}

// The first rank that comes leaves a collector behind, in a session of its own: what ends the ranks
// does not end it, and it has the last word.
int record_as_rank(RecordingFlags& flags, const ParallelRun& run) {
  RecordOptions& options = flags.options;
  if (run.size_here < run.size) {
    char host[256] = "";
    ::gethostname(host, sizeof host - 1);
    options.output += fmt::format(".{}", host);
    if (!flags.descriptors.empty()) flags.descriptors = options.output;
  }
  if (!flags.descriptors.empty()) options.output += kRecordingSuffix;
  const auto meeting = meet_ranks(options, run);
  if (!meeting) return report(meeting.error());
  if (meeting->collects) {
    const pid_t collector = ::fork();
    if (collector == 0) {
      ::setsid();
      const auto fold = begin_fold(flags);
      const auto summary = collect_ranks(options, run, *meeting);
      const int code = summary ? report_recording(flags, *summary, fold.get()) : kIo;
      std::fflush(nullptr);
      ::_exit(code);
    }
    if (collector < 0) {
      std::filesystem::remove(meeting->file);
      report_error("cannot start a process for the collector");
      return kIo;
    }
  }
  const auto status = record_rank(options, run, *meeting);
  return status ? *status : report(status.error());
}

}  // namespace

int record_and_report(RecordingFlags& flags) {
  const auto refuse = [](const std::string& sentence) {
    report_error(sentence);
    return int(kWrongUse);
  };
  const bool selects = !flags.options.include.empty() || !flags.options.exclude.empty() ||
                       !flags.options.start.empty() || !flags.options.stop.empty();
  // What a value was derived from is gone when it lies before the last paths.
  const bool partial = selects || !flags.last.empty();
  const bool needs_values = flags.options.check || flags.options.order;
  if (flags.what.empty()) flags.what = partial && !needs_values ? "control" : "full";
  if (flags.what != "control" && flags.what != "memory" && flags.what != "full") {
    return refuse(fmt::format("--what takes control, memory or full, not '{}'", flags.what));
  }
  flags.options.memory = flags.what == "memory";
  flags.options.full = flags.what != "control";
  if (flags.options.full && selects) {
    return refuse("--include, --exclude, --start and --stop work with --what control only");
  }
  if (flags.options.check && !flags.options.full) {
    return refuse("--check compares values; it takes --what full");
  }
  if (flags.options.order && !flags.options.full) {
    return refuse("--order is of accesses, which only full recordings have; it takes --what full");
  }
  if (flags.options.order && !flags.last.empty()) {
    return refuse("--order needs the whole run; leave --last out");
  }
  if (flags.engine == "valgrind") {
    return refuse(
        "--engine valgrind is not available in this version; build with vestige-cc instead");
  }
  if (flags.engine != "auto" && flags.engine != "llvm") {
    return refuse(fmt::format("--engine takes auto, llvm or valgrind, not '{}'", flags.engine));
  }
  RecordOptions& options = flags.options;
  if (!flags.max_size.empty()) {
    const auto size = parse_size(flags.max_size, 1024);
    if (!size || *size == 0)
      return refuse(fmt::format("--max-size takes a size such as 64M, not '{}'", flags.max_size));
    options.max_size = *size;
  }
  if (!(flags.exit_wait >= 0 && flags.exit_wait <= kLongestExitWait))
    return refuse(fmt::format("--exit-wait takes 0 to {} seconds", kLongestExitWait));
  options.exit_wait = static_cast<uint32_t>(flags.exit_wait * 1000);
  if (!flags.last.empty()) {
    const auto count = parse_size(flags.last, 1000);
    if (!count || *count == 0)
      return refuse(
          fmt::format("--last takes a number of paths such as 10M, not '{}'", flags.last));
    options.last = *count;
  }

  const auto run = parallel_run();
  if (run) return record_as_rank(flags, *run);
  if (!flags.descriptors.empty()) options.output += kRecordingSuffix;
  const auto fold = begin_fold(flags);
  const auto summary = record(options);
  if (!summary) return report(summary.error());
  return report_recording(flags, *summary, fold.get());
}

}  // namespace vestige::cli
