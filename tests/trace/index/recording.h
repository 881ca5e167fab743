// Full recordings of random programs, as files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vestige::windows_test {

struct RecordingOptions {
  uint64_t seed = 1;
  uint32_t threads = 1;
  uint64_t paths = 500;  // of each thread, or a little more
  double throws = 0;
  bool holes = false;    // chunks are missing
  bool forgets = false;  // abandoned paths, gaps, code without ids
  bool lies = false;     // values are told that were not, others are not told
  double empty = 0;      // share of the threads that lack something (Lack)
};
// What a thread lacks. A signal handler, or a rank's thread inside of a library, has no path at
// all.
enum class Lack : uint8_t { nothing, paths, values, paths_and_values, all };
inline constexpr size_t kLacks = 5;
struct Recording {
  std::string path;
  std::vector<Lack> lacks;  // by thread
};
Recording record_random(const RecordingOptions& options);

}  // namespace vestige::windows_test
