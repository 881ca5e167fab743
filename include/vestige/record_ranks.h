// Recording a parallel run: mpirun -n P vestige record -- ./app. The ranks on one machine are
// processes of one recording, with one collector and one file.
//
//     if (const auto run = vestige::parallel_run()) {
//       auto meeting = vestige::meet_ranks(options, *run);
//       if (meeting->collects && fork() == 0) {
//         … vestige::collect_ranks(options, *run, *meeting) …
//       }
//       auto status = vestige::record_rank(options, *run, *meeting);
//     }
#pragma once

#include <optional>
#include <string>

#include "vestige/api.h"
#include "vestige/record.h"

VESTIGE_API_BEGIN
namespace vestige {

struct ParallelRun {
  uint32_t rank = 0;
  uint32_t size = 1;       // ranks in all
  uint32_t size_here = 1;  // on this machine
  std::string job;         // what tells this run from others
};

// What the environment says that mpirun (Open MPI's, MPICH's) made. Nothing when this process is
// not one of several ranks.
std::optional<ParallelRun> parallel_run();

// Where the ranks of a run find their collector: a file beside the output, as long as they need it.
struct RankMeeting {
  std::string file;
  std::string notices;    // "PREFIX": each rank says in PREFIX-RANK what its output is
  bool collects = false;  // this process was the first: it is to provide the collector
};
Result<RankMeeting> meet_ranks(const RecordOptions& options, const ParallelRun& run);

// The collector: writes the file and returns when all ranks are over. For a process of its own that
// mpirun does not know, so that what kills the ranks leaves it alone. Others learn of a failure.
Result<RecordSummary> collect_ranks(const RecordOptions& options, const ParallelRun& run,
                                    const RankMeeting& meeting);

// Runs the command as this rank and gives its status. Returns when the file is complete; when the
// command failed and other ranks still run, at once, so that mpirun can end them.
Result<int> record_rank(const RecordOptions& options, const ParallelRun& run,
                        const RankMeeting& meeting);

}  // namespace vestige
VESTIGE_API_END
