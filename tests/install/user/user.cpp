// A program of somebody else: opens a trace, says how many paths it has, and lists what one statement computed.
#include <cstdio>

#include "vestige/query.h"
#include "vestige/trace.h"
#include "vestige/values.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const auto trace = vestige::Trace::open(argv[1]);
  if (!trace) {
    std::fprintf(stderr, "%s\n", trace.error().message.c_str());
    return 3;
  }
  auto walk = vestige::Walk::start(*trace, {.thread = 0, .level = vestige::WalkLevel::path});
  if (!walk) return 3;
  uint64_t paths = 0;
  while (const vestige::WalkRow* row = walk->next())
    paths += row->kind == vestige::WalkRow::Kind::path;
  std::printf("%zu functions, %llu paths\n", trace->functions().size(),
              static_cast<unsigned long long>(paths));
  return 0;
}
