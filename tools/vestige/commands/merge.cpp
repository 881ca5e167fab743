// vestige merge: the ranks of a run, each with a trace of its own, as one trace of descriptors.
#include <fmt/format.h>

#include <filesystem>

#include "commands.h"
#include "descriptor_query.h"
#include "merge_over_mpi.h"
#include "output.h"
#include "report.h"

namespace vestige::cli {

Result<Descriptors> read_rank(const std::string& file) {
  auto rank = read_descriptors(file);
  if (!rank) return rank;
  for (const auto& [name, text] : rank->notes())
    if (name == "missing") report_note(fmt::format("{} is not whole: {}", file, text));
  return rank;
}

Result<void> write_merged(const Descriptors& merged, const std::string& output,
                          const std::string& temporary) {
  if (auto written = merged.write(temporary); !written) return written;
  std::error_code failure;
  std::filesystem::rename(temporary, output, failure);
  if (failure)
    return fail(ErrorKind::io, fmt::format("cannot create {}: {}", output, failure.message()));
  return {};
}

void report_merged(const Descriptors& merged, const MergeJob& job) {
  std::error_code failure;
  const auto bytes = std::filesystem::file_size(job.output, failure);
  if (job.presentation.json) {
    nlohmann::ordered_json object = {{"ranks", merged.ranks()}};
    object.update(written_json(merged, bytes));
    Output().json(object);
  } else if (!job.presentation.quiet) {
    report_error(fmt::format("{} ranks, {} threads in {}", grouped(merged.ranks()),
                             grouped(merged.threads().size()), byte_size(bytes)));
  }
}

namespace {

int merge_here(const MergeJob& job) {
  std::vector<Descriptors> ranks;
  for (const std::string& file : job.files) {
    auto rank = read_rank(file);
    if (!rank) return report_trace(rank.error());
    ranks.push_back(std::move(*rank));
  }
  const auto merged = Descriptors::merge(std::move(ranks));
  if (!merged) return report_trace(merged.error());
  if (const auto written = merged->write(job.output); !written) return report(written.error());
  report_merged(*merged, job);
  return kDone;
}

}  // namespace

int command_merge(Arguments arguments) {
  CommandLine line(
      "merge",
      "Makes one trace of descriptors of those of several ranks: full recordings, or what "
      "vestige represent made of them. The order of the files does not matter. Under mpirun the "
      "processes share the work.",
      "vestige merge rank0.vst rank1.vst -o all.vst");
  MergeJob job;
  CLI::App& app = line.app();
  app.add_option("TRACE", job.files, "Trace files")->required()->type_name("TRACE");
  app.add_option("-o,--output", job.output, "The new trace file")->required()->type_name("TRACE");
  line.add_presentation(job.presentation, false);
  if (const auto code = line.parse(arguments)) return *code;
  for (const std::string& file : job.files) {
    std::error_code failure;
    if (std::filesystem::equivalent(file, job.output, failure)) {
      report_error(fmt::format("{} would be overwritten; give -o another name", file));
      return kWrongUse;
    }
  }
  const auto run = parallel_run();
  return run ? merge_over_mpi(job, *run) : merge_here(job);
}

}  // namespace vestige::cli
