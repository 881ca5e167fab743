// A program of somebody else (include/vestige/README.md): opens a trace, says how many functions and
// paths it has, and what the first load of it read.
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

  auto walk = vestige::WalkCursor::open(*trace, {.thread = 0, .level = vestige::WalkLevel::path});
  if (!walk) return 3;
  uint64_t paths = 0;
  while (const vestige::WalkRow* row = walk->next())
    paths += row->kind == vestige::WalkRow::Kind::path;
  std::printf("%zu functions, %llu paths\n", trace->functions().size(),
              static_cast<unsigned long long>(paths));

  auto history =
      vestige::HistoryCursor::open(*trace, {.statements = all_loads(*trace), .count = 3});
  if (!history) return 0;  // recorded without values
  while (const vestige::HistoryRow* row = history->next())
    if (row->value)
      std::printf("%s read %llu\n", statement_name(*trace, row->statement).c_str(),
                  static_cast<unsigned long long>(*row->value));
  return walk->error() || history->error() ? 3 : 0;
}
