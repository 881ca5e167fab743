// check_hot_subpaths TRACE: hot subpaths of a recorded program's first thread, weighted by
// statements, on the grammar and on the stream itself. Says what it found; 1 when they differ.
#include <cstdio>

#include "codec/sequitur/grammar_builder.h"
#include "hot_subpaths_twin.h"
#include "vestige/trace.h"

int main(int argc, char** argv) {
  using namespace vestige;
  constexpr size_t kMost = 60'000;
  if (argc != 2) return 2;
  const auto trace = Trace::open(argv[1]);
  if (!trace) return std::fprintf(stderr, "%s\n", trace.error().message.c_str()), 3;
  auto cursor = trace->walk(0);
  if (!cursor) return std::fprintf(stderr, "%s\n", cursor.error().message.c_str()), 3;
  std::vector<uint64_t> stream;
  while (stream.size() < kMost && cursor->next()) stream.push_back(cursor->path().id);

  sequitur::GrammarBuilder builder;
  builder.append(stream);
  const sequitur::PlainGrammar grammar = builder.finish();
  const sequitur::PlainGrammar* parts[] = {&grammar};
  const auto statements = [&](uint64_t id) {
    return TerminalFacts{trace->path(static_cast<uint32_t>(id))->statements};
  };
  uint64_t found = 0;
  for (const double share : {0.1, 0.01, 0.001}) {
    HotSubpathOptions options;
    options.share = share;
    options.min_length = share < 0.05 ? 2 : 1;
    const auto report = find_hot_subpaths(parts, statements, options);
    if (!report) return std::fprintf(stderr, "%s\n", report.error().message.c_str()), 3;
    if (rows(*report) != rows(naive_hot_subpaths(stream, statements, options)))
      return std::printf("hot subpaths of share %g differ\n", share), 1;
    found += report->found;
  }
  std::printf("%zu paths, %zu symbols: %lu hot subpaths, all the same\n", stream.size(),
              grammar.symbols.size(), found);
  return found == 0;
}
