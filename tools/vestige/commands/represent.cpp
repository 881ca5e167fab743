// vestige represent: a trace written in another way (include/vestige/represent.h, spmd.h).
#include "vestige/represent.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "descriptor_query.h"
#include "indexing.h"
#include "output.h"
#include "progress.h"
#include "report.h"
#include "trace_query.h"
#include "vestige/spmd.h"
#include "vestige/wet.h"

namespace vestige::cli {

namespace {

double percent(uint64_t part, uint64_t whole) { return whole ? 100.0 * part / whole : 0; }

// What a plain log of the same would take, with `width` bytes for an address.
uint64_t plain_bytes(const RepresentationReport& report, Representation as, uint64_t width) {
  const uint64_t control = as == Representation::dor ? 0 : 4 * report.blocks;
  return control + width * report.accesses;
}

void print(const RepresentationReport& report, Representation as, bool copied, Format format) {
  Output out;
  const uint64_t kept = report.control_bytes + report.sync_bytes + report.access_bytes +
                        report.detail_bytes + report.memory_bytes;
  const uint64_t plain = plain_bytes(report, as, 4), wide = plain_bytes(report, as, 8);
  if (format == Format::json) {
    nlohmann::ordered_json json = {
        {"blocks", report.blocks},
        {"accesses", report.accesses},
        {"all_accesses", report.all_accesses},
        {"sync_ops", report.sync_operations},
        {"control_bytes", report.control_bytes},
        {"sync_bytes", report.sync_bytes},
        {"access_bytes", report.access_bytes},
        {"detail_bytes", report.detail_bytes},
        {"memory_bytes", report.memory_bytes},
        {"file_bytes", report.file_bytes},
        {"plain_bytes", plain},
        {"plain_bytes_wide", wide},
        {"percent", percent(kept, plain)},
        {"percent_wide", percent(kept, wide)},
    };
    if (copied) json["kept"] = "recording";
    out.json(json);
    return;
  }
  const auto row = [&](const char* name, const std::string& what) {
    out.print("{:<12}{}\n", name, what);
  };
  if (as != Representation::dor)
    row("control", fmt::format("{} in {}", grouped(report.blocks) + " blocks",
                               byte_size(report.control_bytes)));
  if (as != Representation::cor)
    row("accesses", fmt::format("{} to shared memory, of {}, in {}", grouped(report.accesses),
                                grouped(report.all_accesses), byte_size(report.access_bytes)));
  if (as == Representation::cdr)
    row("details",
        fmt::format("{} of sizes, times and library functions", byte_size(report.detail_bytes)));
  if (as != Representation::cor && report.memory_bytes > 0)
    row("memory", fmt::format("{} of when it changed hands", byte_size(report.memory_bytes)));
  row("sync", fmt::format("{} operations in {}", grouped(report.sync_operations),
                          byte_size(report.sync_bytes)));
  row("in all", fmt::format("{}, {:.2f} % of a plain log (4 bytes a block and an access; {:.2f} % "
                            "with 8 bytes an address)",
                            byte_size(kept), percent(kept, plain), percent(kept, wide)));
  row("file", fmt::format("{}, {}", byte_size(report.file_bytes),
                          copied ? "a copy of the recording" : "with the program"));
}

void print(const WetReport& report, Format format) {
  Output out;
  const double bits = report.statements ? 8.0 * static_cast<double>(report.file_bytes) /
                                              static_cast<double>(report.statements)
                                        : 0;
  if (format == Format::json) {
    const nlohmann::ordered_json json = {
        {"statements", report.statements}, {"paths", report.paths},
        {"nodes", report.nodes},           {"segments", report.segments},
        {"groups", report.groups},         {"labels", report.labels},
        {"time_bytes", report.time_bytes}, {"value_bytes", report.value_bytes},
        {"edge_bytes", report.edge_bytes}, {"file_bytes", report.file_bytes},
        {"bits_per_statement", bits},
    };
    out.json(json);
    return;
  }
  const auto row = [&](const char* name, const std::string& what) {
    out.print("{:<12}{}\n", name, what);
  };
  row("nodes", fmt::format("{}, which ran {} times in {}", grouped(report.nodes),
                           grouped(report.paths), counted(report.segments, "segment")));
  row("times", byte_size(report.time_bytes));
  row("values",
      fmt::format("{} of {}", byte_size(report.value_bytes), counted(report.groups, "group")));
  row("edges",
      fmt::format("{} of {}", byte_size(report.edge_bytes), counted(report.labels, "label")));
  row("file",
      fmt::format("{}, with the program; {} ({:.3f} bits per statement)",
                  byte_size(report.file_bytes), counted(report.statements, "statement"), bits));
}

// A form stays up to this size, whatever the recording takes.
constexpr uint64_t kSmallForm = uint64_t{64} << 10;

// Whole, or as it was.
bool replace_by_copy(const std::string& input, const std::string& output) {
  const std::string temporary = output + ".part";
  std::error_code failure;
  std::filesystem::copy_file(input, temporary, std::filesystem::copy_options::overwrite_existing,
                             failure);
  if (!failure) std::filesystem::rename(temporary, output, failure);
  if (!failure) return true;
  std::filesystem::remove(temporary, failure);
  return false;
}

// Addresses that follow from little take more as addresses. Where `smaller` is wanted, the
// recording takes the place of a form that is larger; true: it did.
bool settle(const std::string& input, const std::string& output, bool smaller,
            const Presentation& presentation) {
  std::error_code failure;
  const auto before = std::filesystem::file_size(input, failure);
  if (failure) return false;
  const auto form = std::filesystem::file_size(output, failure);
  if (failure || form <= before) return false;
  const bool replaced = smaller && form > kSmallForm && replace_by_copy(input, output);
  if (presentation.quiet) return replaced;
  if (replaced)
    report_note(fmt::format(
        "in this form {} would take {}, and {} takes {} and answers the same: {} is a copy of it "
        "(--always keeps the form)",
        output, byte_size(form), input, byte_size(before), output));
  else
    report_note(fmt::format("{} ({}) is larger than {} ({}), from which the same can be derived",
                            output, byte_size(form), input, byte_size(before)));
  return replaced;
}

int write_file(const Descriptors& descriptors, const std::string& input, const std::string& output,
               bool smaller, const Presentation& presentation) {
  if (const auto written = descriptors.write(output); !written) return report(written.error());
  const bool copied = settle(input, output, smaller, presentation);
  std::error_code failure;
  const auto bytes = std::filesystem::file_size(output, failure);
  Output out;
  if (presentation.json) {
    nlohmann::ordered_json json = written_json(descriptors, bytes);
    if (copied) json["kept"] = "recording";
    out.json(json);
  } else {
    out.print("{} references of {} in {}\n", grouped(count_references(descriptors)),
              counted(descriptors.threads().size(), "thread"), byte_size(bytes));
    for (const auto& [name, text] : descriptors.notes()) out.print("{}: {}\n", name, text);
    print_lost(descriptors, out);
  }
  return kDone;
}

int write_descriptors(const Trace& trace, const std::string& output, const FoldOptions& options,
                      bool smaller, Progress& bar, const Presentation& presentation) {
  const auto descriptors = Descriptors::fold(trace, options);
  bar.clear();
  if (!descriptors)
    return descriptors.error().kind == ErrorKind::usage ? report(descriptors.error())
                                                        : report_trace(descriptors.error());
  return write_file(*descriptors, trace.file(), output, smaller, presentation);
}

int write_execution(const Trace& trace, const std::string& output,
                    const std::function<void(uint64_t)>& progress, Progress& bar,
                    const Presentation& presentation) {
  WetOptions options;
  options.progress = progress;
  const auto written = write_wet(trace, output, options);
  bar.clear();
  if (!written) return report_trace(written.error());
  settle(trace.file(), output, false, presentation);
  print(*written, presentation.format());
  return kDone;
}

int write_representation(const Trace& trace, Representation as, const std::string& output,
                         const std::function<void(uint64_t)>& progress, bool smaller, Progress& bar,
                         const Presentation& presentation) {
  auto report = represent(trace, as, output, progress);
  bar.clear();
  if (!report) return report_trace(report.error());
  const bool copied =
      settle(trace.file(), output, smaller && as == Representation::cdr, presentation);
  if (copied) report->file_bytes = trace.file_bytes();
  print(*report, as, copied, presentation.format());
  return kDone;
}

}  // namespace

int command_represent(Arguments arguments) {
  CommandLine line(
      "represent",
      "Writes a trace in another way, mostly smaller: control flow, shared accesses, both, "
      "the whole execution with values and dependences, or memory references as descriptors merged "
      "over threads.",
      "vestige represent matmul.vst --as eprsd -o small.vst");
  std::string file, output, as;
  Presentation presentation;
  line.add_trace(file);
  CLI::App& app = line.app();
  app.add_option("--as", as,
                 "cor: control flow; dor: accesses to shared memory; cdr: both; wet: control flow, "
                 "values and dependences, to be read as they are; eprsd: descriptors")
      ->required()
      ->check(CLI::IsMember({"cor", "dor", "cdr", "wet", "eprsd"}))
      ->type_name("FORM");
  app.add_option("-o,--output", output, "The new trace file")->required()->type_name("TRACE");
  FoldOptions options;
  app.add_option("--window", options.window,
                 "eprsd: of the on-line folding; a period of N stretches needs 2 N (32)")
      ->check(CLI::Range(2, 4096))
      ->type_name("N");
  app.add_option("--plugin", options.plugin,
                 "eprsd: a shared library with a rule of its own for what folds (vestige/plugin.h)")
      ->type_name("LIB.so");
  std::vector<std::string> lossy;
  app.add_option("--lossy", lossy,
                 "eprsd: gives up exactness: noise:PERCENT, order:REFERENCES, address:BYTES; may "
                 "be given several times")
      ->type_name("MODE:N");
  app.add_flag("--order", options.order,
               "eprsd: keeps the order in which threads synchronized, for replay --order sync");
  bool always = false;
  app.add_flag("--always", always,
               "cdr, eprsd: writes the form also where the recording is smaller and would take its "
               "place");
  line.add_presentation(presentation, false);
  if (const auto code = line.parse(arguments)) return *code;
  for (const std::string& mode : lossy) {
    const auto parsed = parse_lossy(mode, options.lossy);
    if (!parsed) return report(parsed.error());
    options.lossy = *parsed;
  }
  if (as != "eprsd" && (options.order || options.lossy || !options.plugin.empty() ||
                        options.window != FoldOptions().window)) {
    report_error("--order, --lossy, --window and --plugin are of --as eprsd");
    return kWrongUse;
  }
  std::error_code failure;
  if (std::filesystem::equivalent(file, output, failure)) {
    report_error(fmt::format("{} would overwrite itself; give -o another name", file));
    return kWrongUse;
  }
  if (options.lossy && Descriptors::is_in(file)) {
    auto descriptors = Descriptors::open(file);
    if (!descriptors) return report_trace(descriptors.error());
    if (auto made = descriptors->make_lossy(options.lossy); !made)
      return report_trace(made.error());
    return write_file(*descriptors, file, output, false, presentation);
  }
  const auto trace = open_trace(file);
  if (!trace) return kBadTrace;
  uint64_t paths = 0, done = 0;
  for (const ThreadInfo& thread : trace->threads()) paths += thread.paths;
  Progress bar(presentation.quiet, presentation.color);
  const auto progress = [&](uint64_t more) {
    done += more;
    bar.count(done, paths, "paths");
  };
  if (as == "eprsd") {
    options.progress = progress;
    // What was given up, or asked for beside the references, is in the form only.
    const bool smaller = !always && !options.lossy && !options.order && options.plugin.empty();
    return write_descriptors(*trace, output, options, smaller, bar, presentation);
  }
  if (as == "wet") {
    dependences_for_query(*trace, presentation);
    return write_execution(*trace, output, progress, bar, presentation);
  }
  const Representation form = as == "cor"   ? Representation::cor
                              : as == "dor" ? Representation::dor
                                            : Representation::cdr;
  return write_representation(*trace, form, output, progress, !always, bar, presentation);
}

}  // namespace vestige::cli
