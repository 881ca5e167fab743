// Full recordings of random programs, as files.
#pragma once

#include <cstdint>
#include <string>

namespace vestige::windows_test {

struct RecordingOptions {
  uint64_t seed = 1;
  uint32_t threads = 1;
  uint64_t paths = 500;  // of each thread, or a little more
  double throws = 0;
  bool holes = false;    // chunks are missing
  bool forgets = false;  // abandoned paths, gaps, code without ids
  bool lies = false;     // values are told that were not, others are not told
};
struct Recording {
  std::string path;
};
Recording record_random(const RecordingOptions& options);

}  // namespace vestige::windows_test
