// vestige merge under mpirun.
#pragma once

#include <string>
#include <vector>

#include "command_line.h"
#include "vestige/record_ranks.h"
#include "vestige/spmd.h"

namespace vestige::cli {

struct MergeJob {
  std::vector<std::string> files;
  std::string output;
  Presentation presentation;
};

// A trace of one or more ranks; a recording is represented first. Notes what is missing in it.
Result<Descriptors> read_rank(const std::string& file);
// Writes the result to a new file that takes the place of `output` when it is complete.
Result<void> write_merged(const Descriptors& merged, const std::string& output,
                          const std::string& temporary);
// Says what was written to job.output.
void report_merged(const Descriptors& merged, const MergeJob& job);

// This process's part of the merge; its exit code. When a process is killed, the result is written
// all the same, and says so.
int merge_over_mpi(const MergeJob& job, const ParallelRun& run);

}  // namespace vestige::cli
