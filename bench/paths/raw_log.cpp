// The control flow of a trace as the path-matching paper logs it: four bytes for each function
// entered, each block and each end of an activation, of the first thread.
//
//     raw_log TRACE > FILE
#include <cstdint>
#include <cstdio>
#include <vector>

#include "vestige/query.h"

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: raw_log TRACE\n"), 2;
  const auto trace = vestige::Trace::open(argv[1]);
  if (!trace) return std::fprintf(stderr, "%s\n", trace.error().message.c_str()), 3;
  auto cursor = trace->walk(0);
  if (!cursor) return std::fprintf(stderr, "%s\n", cursor.error().message.c_str()), 3;
  constexpr uint32_t kFunction = 0x80000000, kEnd = 0xffffffff;
  std::vector<uint32_t> log;
  const auto flush = [&] {
    const bool written = std::fwrite(log.data(), sizeof log[0], log.size(), stdout) == log.size();
    log.clear();
    return written;
  };
  while (cursor->next()) {
    const vestige::Path& path = cursor->path();
    if (path.enters) log.push_back(kFunction | path.function);
    log.insert(log.end(), path.blocks.begin(), path.blocks.end());
    if (path.leaves) log.push_back(kEnd);
    if (log.size() >= 1 << 16 && !flush()) return 4;
  }
  return cursor->error() || !flush() || std::fflush(stdout) != 0 ? 4 : 0;
}
