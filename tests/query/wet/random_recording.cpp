// random_recording SEED FILE: writes a random recording with threads that lack paths, values or
// both, exceptions and, by seed, holes; prints how many threads lack something.
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "trace/index/recording.h"

int main(int argc, char** argv) {
  using namespace vestige::windows_test;
  if (argc != 3) return 2;
  const uint64_t seed = std::strtoull(argv[1], nullptr, 10);
  const Recording made = record_random({.seed = seed,
                                        .threads = 1 + static_cast<uint32_t>(seed % 5),
                                        .paths = 400,
                                        .throws = seed % 2 ? 0.02 : 0,
                                        .holes = seed % 3 == 0,
                                        .empty = 0.4});
  unsigned lacking = 0;
  for (const Lack lack : made.lacks) lacking += lack != Lack::nothing;
  std::printf("%u\n", lacking);
  // The recording's own folder goes with this process.
  std::filesystem::copy_file(made.path, argv[2]);
  return 0;
}
