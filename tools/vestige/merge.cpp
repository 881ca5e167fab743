// vestige merge: the ranks of a run, each with a trace of its own, as one trace of descriptors.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "commands.h"
#include "output.h"
#include "report.h"
#include "vestige/spmd.h"

namespace vestige::cli {

namespace {

// A recording is represented first.
Result<Descriptors> read_rank(const std::string& file) {
  if (Descriptors::is_in(file)) return Descriptors::open(file);
  const auto trace = Trace::open(file);
  if (!trace) return std::unexpected(trace.error());
  if (const auto missing = trace->meta("missing"))
    report_note(fmt::format("{} is not whole: {}", file, *missing));
  return Descriptors::fold(*trace);
}

// Whether mpirun started this process, as one of several.
bool under_mpi() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (const char* size = std::getenv(name)) return std::atoi(size) > 1;
  return false;
}

Result<std::optional<Descriptors>> merge_here(const std::vector<std::string>& files) {
  std::vector<Descriptors> ranks;
  for (const std::string& file : files) {
    auto rank = read_rank(file);
    if (!rank) return std::unexpected(rank.error());
    ranks.push_back(std::move(*rank));
  }
  auto merged = Descriptors::merge(std::move(ranks));
  if (!merged) return std::unexpected(merged.error());
  return std::optional<Descriptors>(std::move(*merged));
}

// Each process reads its share of the files.
Result<std::optional<Descriptors>> merge_over_mpi(const std::vector<std::string>& files) {
  const auto transport = mpi_transport();
  if (!transport) return std::unexpected(transport.error());
  Result<std::vector<Descriptors::Numbered>> own = std::vector<Descriptors::Numbered>();
  for (uint32_t i = (*transport)->rank(); i < files.size() && own; i += (*transport)->size()) {
    auto rank = read_rank(files[i]);
    if (rank)
      own->emplace_back(i, std::move(*rank));
    else
      own = std::unexpected(rank.error());
  }
  return Descriptors::merge_over(**transport, std::move(own));
}

}  // namespace

int command_merge(Arguments arguments) {
  CommandLine line(
      "merge",
      "Makes one trace of descriptors of those of several ranks: full recordings, or what "
      "vestige represent made of them. The order of the files does not matter. Under mpirun the "
      "processes share the work.",
      "vestige merge rank0.vst rank1.vst -o all.vst");
  std::vector<std::string> files;
  std::string output;
  Presentation presentation;
  CLI::App& app = line.app();
  app.add_option("TRACE", files, "Trace files")->required()->type_name("TRACE");
  app.add_option("-o,--output", output, "The new trace file")->required()->type_name("TRACE");
  app.add_flag("-q,--quiet", presentation.quiet, "No notes, no progress");
  if (const auto code = line.parse(arguments)) return *code;
  for (const std::string& file : files) {
    std::error_code failure;
    if (std::filesystem::equivalent(file, output, failure)) {
      report_error(fmt::format("{} would be overwritten; give -o another name", file));
      return kWrongUse;
    }
  }
  const auto merged = under_mpi() ? merge_over_mpi(files) : merge_here(files);
  if (!merged) return report_trace(merged.error());
  if (!*merged) return kDone;  // another process has the result
  if (const auto written = (*merged)->write(output); !written) return report(written.error());
  if (!presentation.quiet) {
    std::error_code failure;
    report_error(fmt::format("{} ranks, {} threads in {}", grouped((*merged)->ranks()),
                             grouped((*merged)->threads().size()),
                             byte_size(std::filesystem::file_size(output, failure))));
  }
  return kDone;
}

}  // namespace vestige::cli
