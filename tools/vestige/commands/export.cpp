// vestige export: a recording in another tool's format.
#include "vestige/export.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "output.h"
#include "report.h"
#include "trace_query.h"
#include "vestige/values.h"

namespace vestige::cli {

namespace {

// A file that is written to, or standard output for "-".
class Target {
 public:
  explicit Target(const std::string& name) : name_(name) {
    descriptor_ =
        name == "-" ? 1 : ::open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor_ < 0) failure_ = errno;
  }
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;
  ~Target() { close(); }
  bool write(std::string_view text) {
    while (failure_ == 0 && !text.empty()) {
      const ssize_t done = ::write(descriptor_, text.data(), text.size());
      if (done < 0 && errno != EINTR) failure_ = errno;
      if (done > 0) text.remove_prefix(static_cast<size_t>(done));
    }
    return failure_ == 0;
  }
  void close() {
    if (descriptor_ > 1 && ::close(descriptor_) != 0 && failure_ == 0) failure_ = errno;
    descriptor_ = -1;
  }
  // 0, or the error number of what went wrong.
  int failure() const { return failure_; }
  // Half of it is of no use.
  void discard() {
    if (name_ != "-" && std::filesystem::is_regular_file(name_)) std::filesystem::remove(name_);
  }

 private:
  std::string name_;
  int descriptor_ = -1, failure_ = 0;
};

}  // namespace

int command_export(Arguments arguments) {
  CommandLine line("export", "Writes a recording in another tool's format.",
                   "vestige export --to std server.vst -o server.std");
  std::string file, output, to;
  ExportOptions options;
  Presentation presentation;
  line.add_trace(file);
  CLI::App& app = line.app();
  std::vector<std::string> names, formats;
  for (const ExportFormat& format : export_formats()) {
    names.emplace_back(format.name);
    formats.push_back(fmt::format("{}: {}", format.name, format.holds));
  }
  app.add_option("--to", to, fmt::format("{}", fmt::join(formats, "; ")))
      ->required()
      ->check(CLI::IsMember(names))
      ->type_name("FORMAT");
  app.add_option("-o,--output", output, "The file to write; - for standard output")
      ->required()
      ->type_name("FILE");
  app.add_flag("--shared", options.shared_only, "Without memory that only one thread touches");
  line.add_unavailable("--kind");
  line.add_presentation(presentation, false);
  if (const auto code = line.parse(arguments)) return *code;
  const auto trace = open_trace(file);
  if (!trace) return kBadTrace;
  std::error_code failure;
  if (std::filesystem::equivalent(file, output, failure)) {
    report_error(fmt::format("{} would overwrite itself; give -o another name", file));
    return kWrongUse;
  }
  if (const auto values = has_values(*trace, 0); !values) return report_trace(values.error());
  Target target(output);
  const auto format = std::ranges::find(export_formats(), to, &ExportFormat::name);
  const auto report =
      format->write(*trace, options, [&](std::string_view text) { return target.write(text); });
  if (!report) {
    target.discard();
    return report_trace(report.error());
  }
  target.close();
  if (target.failure() == EPIPE) return kDone;
  if (target.failure() != 0) {
    target.discard();
    report_error(fmt::format("{}: {}", output, std::strerror(target.failure())));
    return kIo;
  }
  if (presentation.json)
    Output(output == "-" ? 2 : 1)
        .json({{"events", report->events},
               {"accesses", report->accesses},
               {"edges", report->edges},
               {"unknown", report->unknown}});
  if (report->unknown && !presentation.quiet)
    report_note(fmt::format("{} accesses of unknown address were left out", report->unknown));
  return kDone;
}

}  // namespace vestige::cli
