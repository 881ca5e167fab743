// What record and run share: the flags that say what to record, and the recording itself.
#pragma once

#include <string>

#include "command_line.h"
#include "vestige/record.h"

namespace vestige::cli {

struct RecordingFlags {
  std::string what;  // empty: not said
  std::string engine = "auto";
  std::string max_size, last;
  double exit_wait = 1;  // seconds
  bool quiet = false;
  // Not empty: the file that gets descriptors; options.output is then a recording that is gone
  // afterwards.
  std::string descriptors;
  bool fold_irregular = false;  // otherwise what does not fold stays a recording
  RecordOptions options;
};

// Behind the recording's own name where descriptors are wanted.
inline constexpr const char* kRecordingSuffix = ".recording";

void add_recording_flags(CommandLine& line, RecordingFlags& flags);

// Runs options.command and reports on standard error. Gives the exit code: the program's own
// status, or 4 when that is 0 but the trace could not be written to its end.
int record_and_report(RecordingFlags& flags);

}  // namespace vestige::cli
