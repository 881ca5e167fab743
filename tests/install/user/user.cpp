// A program of somebody else (include/vestige/README.md): opens a trace, says how many functions
// and paths it has, what its first loads read, and how much went into the last of these values.
#include <cstdio>

#include "vestige/vestige.h"

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
  while (const vestige::HistoryRow* row = history->next()) {
    const auto slice = vestige::slice(*trace, {.statement = row->statement});
    if (!slice) return 3;
    std::printf("%s: %llu executions led to its last value\n",
                statement_name(*trace, row->statement).c_str(),
                static_cast<unsigned long long>(slice->count));
  }
  return walk->error() || history->error() ? 3 : 0;
}
