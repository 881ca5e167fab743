// vestige extrapolate: the references of a run that never was, from runs of other sizes.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "descriptor_query.h"
#include "output.h"
#include "report.h"
#include "vestige/spmd.h"
#include "vestige/trace.h"

namespace vestige::cli {

namespace {

// The problem's sizes as recordings tell them: the one number of their command lines that differs,
// counts of threads and ranks apart. None when there is no such number, or several.
std::vector<uint64_t> sizes_in_commands(const std::vector<std::string>& files,
                                        const std::vector<Descriptors>& from) {
  std::vector<std::vector<std::string>> commands;
  for (const std::string& file : files) {
    if (Descriptors::is_in(file)) return {};
    const auto trace = Trace::open(file);
    if (!trace || trace->processes().empty()) return {};
    commands.push_back(trace->processes()[0].arguments);
    if (commands.back().size() != commands[0].size()) return {};
  }
  std::vector<uint64_t> found;
  for (size_t at = 0; at < commands[0].size(); ++at) {
    std::vector<uint64_t> numbers;
    bool threads = true, ranks = true;
    for (size_t i = 0; i < commands.size(); ++i) {
      const auto number = parse_number(commands[i][at]);
      if (!number) break;
      numbers.push_back(*number);
      threads &= *number == from[i].configuration().threads;
      ranks &= *number == from[i].configuration().ranks;
    }
    const auto differs = [&](uint64_t number) { return number != numbers[0]; };
    if (numbers.size() < commands.size() || threads || ranks ||
        std::ranges::none_of(numbers, differs))
      continue;
    if (!found.empty()) return {};
    found = std::move(numbers);
  }
  return found;
}

}  // namespace

int command_extrapolate(Arguments arguments) {
  CommandLine line(
      "extrapolate",
      "Makes descriptors of a configuration that was not run, from two or more that were: full "
      "recordings, or what vestige represent made of them. What does not follow exactly is "
      "refused.",
      "vestige extrapolate n64.vst n96.vst n128.vst --sizes 64,96,128 --size 4096 -o large.vst");
  std::vector<std::string> files;
  std::vector<uint64_t> sizes;
  std::string output;
  Configuration wanted{0, 0, 0};
  bool sized = false;
  Presentation presentation;
  CLI::App& app = line.app();
  app.add_option("TRACE", files, "Trace files, one for each recorded configuration")
      ->required()
      ->type_name("TRACE");
  app.add_option("--sizes", sizes,
                 "The problem's size in each of them; without it, the number that differs in their "
                 "command lines")
      ->delimiter(',')
      ->type_name("N,N…");
  app.add_option("--ranks", wanted.ranks,
                 "Ranks wanted; those recorded, when they are all the same")
      ->check(CLI::Range(1, 65536))
      ->type_name("N");
  app.add_option("--threads", wanted.threads, "Threads of a rank wanted; the same")
      ->check(CLI::Range(1, 65536))
      ->type_name("N");
  CLI::Option* size =
      app.add_option("--size", wanted.size, "Size wanted; the same")->type_name("N");
  app.add_option("-o,--output", output, "The new trace file")->required()->type_name("TRACE");
  line.add_presentation(presentation, false);
  if (const auto code = line.parse(arguments)) return *code;
  sized = size->count() > 0;

  for (const std::string& file : files) {
    std::error_code failure;
    if (std::filesystem::equivalent(file, output, failure)) {
      report_error(fmt::format("{} would be overwritten; give -o another name", file));
      return kWrongUse;
    }
  }
  std::vector<Descriptors> from;
  for (const std::string& file : files) {
    auto one = open_descriptors(file);
    if (!one) return kBadTrace;
    from.push_back(std::move(*one));
  }
  if (sizes.empty() && sized) {
    sizes = sizes_in_commands(files, from);
    if (sizes.empty()) {
      report_error(
          "--size wants --sizes: how large the problem was in each of the recorded "
          "configurations; their command lines do not tell");
      return kWrongUse;
    }
  }
  if (sizes.empty()) sizes.assign(files.size(), 0);
  const Configuration first = from[0].configuration();
  bool same_ranks = true, same_threads = true;
  for (const Descriptors& one : from) {
    same_ranks &= one.configuration().ranks == first.ranks;
    same_threads &= one.configuration().threads == first.threads;
  }
  const bool same_size = std::ranges::all_of(sizes, [&](uint64_t s) { return s == sizes[0]; });
  const char* missing = wanted.ranks == 0 && !same_ranks       ? "--ranks"
                        : wanted.threads == 0 && !same_threads ? "--threads"
                        : !sized && !same_size                 ? "--size"
                                                               : nullptr;
  if (missing) {
    report_error(fmt::format(
        "the recorded configurations differ there; say which is wanted with {}", missing));
    return kWrongUse;
  }
  if (wanted.ranks == 0) wanted.ranks = first.ranks;
  if (wanted.threads == 0) wanted.threads = first.threads;
  if (!sized) wanted.size = sizes[0];

  ExtrapolationReport report_of;
  const auto made = Descriptors::extrapolate(from, sizes, wanted, &report_of);
  if (!made)
    return made.error().kind == ErrorKind::usage ? report(made.error())
                                                 : report_trace(made.error());
  if (const auto written = made->write(output); !written) return report(written.error());
  const uint64_t references = count_references(*made);
  std::error_code failure;
  const auto bytes = std::filesystem::file_size(output, failure);
  Output out;
  if (presentation.json) {
    const nlohmann::ordered_json json = {
        {"ranks", wanted.ranks},        {"threads", wanted.threads},
        {"size", wanted.size},          {"references", references},
        {"numbers", report_of.numbers}, {"unchecked", report_of.unchecked},
        {"bases", report_of.bases},     {"file_bytes", bytes}};
    out.json(json);
    return kDone;
  }
  out.print("{} references of {} in {}\n", grouped(references),
            counted(made->threads().size(), "thread"), byte_size(bytes));
  out.print(
      "{} numbers follow from the recorded ones, {} of them without one to spare; {} made-up "
      "places\n",
      grouped(report_of.numbers), grouped(report_of.unchecked), grouped(report_of.bases));
  return kDone;
}

}  // namespace vestige::cli
