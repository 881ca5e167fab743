// check_windows TRACE STATEMENTS: makes an index with windows of so many statements, and compares
// up to 200 windows, evaluated alone, with the full walk. Says what it found; 1 when something
// differs.
#include <cstdio>
#include <cstdlib>
#include <random>

#include "trace/index/compare.h"
#include "vestige/index.h"

int main(int argc, char** argv) {
  using namespace vestige;
  if (argc != 3) return 2;
  const auto trace = Trace::open(argv[1]);
  if (!trace) return std::fprintf(stderr, "%s\n", trace.error().message.c_str()), 3;
  const uint64_t statements = std::strtoull(argv[2], nullptr, 10);
  const auto report = build_index(*trace, {.progress = {}, .window_statements = statements});
  if (!report) return std::fprintf(stderr, "%s\n", report.error().message.c_str()), 3;
  const auto windows = Windows::open(*trace);
  if (!windows) return std::fprintf(stderr, "%s\n", windows.error().message.c_str()), 3;
  std::mt19937 random(1);
  const uint64_t one_in = report->windows / 200 + 1;
  const auto found =
      windows_test::compare_windows(*trace, *windows, [&] { return random() % one_in == 0; });
  std::printf("%lu of %lu windows, %lu observations, %lu unknown%s%s\n", found.compared,
              found.windows, found.observations, found.unknown,
              found.difference.empty() ? "" : "; differs: ", found.difference.c_str());
  return !found.difference.empty();
}
