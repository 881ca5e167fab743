// sampled_paths TRACE COUNT SEED: paths that a recorded program really took, of all frequencies,
// and some it did not: every scheme must find them where a plain pass over the trace does. The
// plain pass keeps the last blocks of every activation on the stack and knows nothing of grammars.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>

#include "vestige/paths.h"
#include "vestige/query.h"

namespace {

using namespace vestige;

constexpr size_t kLongest = 64;

struct Wanted {
  uint32_t function;
  std::vector<uint32_t> blocks;
  uint64_t count = 0;
  std::vector<PathMatch> some;  // the first few
};

// The blocks an activation ran lately, the last one last.
struct Activation {
  uint32_t function = kNone;
  std::vector<uint32_t> blocks;
};

// Calls see(thread, time, place in the path, activation) at every block that begins.
template <class See>
bool walk_plainly(const Trace& trace, const See& see) {
  for (uint32_t thread = 0; thread < trace.threads().size(); ++thread) {
    auto cursor = trace.walk(thread);
    std::vector<Activation> stack;
    const auto events = trace.events(thread);
    if (!events) return false;
    auto event = events->begin();
    while (cursor->next()) {
      const Path& path = cursor->path();
      // How deep it is behind an exception or a jump, the reader says.
      for (; event != events->end() && event->time < cursor->time(); ++event)
        if (event->kind == TraceEvent::Kind::unwound)
          stack.resize(std::min(stack.size(), trace.stack(thread, event->time)->size()));
      if (path.enters || stack.empty()) stack.push_back({path.function, {}});
      Activation& here = stack.back();
      here.function = path.function;
      for (uint32_t i = 0; i < path.blocks.size(); ++i) {
        here.blocks.push_back(path.blocks[i]);
        if (here.blocks.size() > 2 * kLongest)
          here.blocks.erase(here.blocks.begin(), here.blocks.end() - kLongest);
        see(thread, cursor->time(), i, here);
      }
      if (path.leaves) stack.pop_back();
    }
    if (cursor->error()) return false;
  }
  return true;
}

bool ends_with(const std::vector<uint32_t>& text, const std::vector<uint32_t>& end) {
  return text.size() >= end.size() && std::equal(end.rbegin(), end.rend(), text.rbegin());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return std::fprintf(stderr, "usage: sampled_paths TRACE COUNT SEED\n"), 2;
  const size_t count = std::strtoull(argv[2], nullptr, 10);
  std::mt19937_64 random(std::strtoull(argv[3], nullptr, 10));
  const auto trace = Trace::open(argv[1]);
  if (!trace) return std::fprintf(stderr, "%s\n", trace.error().message.c_str()), 3;
  const auto search = PathSearch::open(*trace);
  if (!search) return std::fprintf(stderr, "%s\n", search.error().message.c_str()), 3;

  // Samples: of each function some (so rare ones are there), and some anywhere (frequent ones).
  std::map<std::pair<uint32_t, std::vector<uint32_t>>, Wanted> wanted;
  std::map<uint32_t, uint64_t> seen;
  uint64_t blocks = 0;
  walk_plainly(*trace, [&](uint32_t, uint64_t, uint32_t, const Activation& here) {
    const uint64_t n = ++seen[here.function];
    ++blocks;
    if (wanted.size() >= count || (random() % (n * n) != 0 && random() % 20000 != 0)) return;
    const size_t length = 1 + random() % std::min(here.blocks.size(), kLongest);
    std::vector<uint32_t> path(here.blocks.end() - static_cast<ptrdiff_t>(length),
                               here.blocks.end());
    if (random() % 16 == 0) path[random() % path.size()] = here.blocks.front();
    wanted[{here.function, path}] = {here.function, path, 0, {}};
  });
  std::map<std::pair<uint32_t, uint32_t>, std::vector<Wanted*>> by_last;
  for (auto& [key, w] : wanted) by_last[{w.function, w.blocks.back()}].push_back(&w);
  walk_plainly(*trace, [&](uint32_t thread, uint64_t time, uint32_t at, const Activation& here) {
    const auto found = by_last.find({here.function, here.blocks.back()});
    if (found == by_last.end()) return;
    for (Wanted* w : found->second)
      if (ends_with(here.blocks, w->blocks)) {
        ++w->count;
        if (w->some.size() < 5) w->some.push_back({thread, time, at});
      }
  });

  size_t different = 0, matches = 0;
  for (const auto& [key, w] : wanted) {
    PatternOptions options;
    options.function = w.function;
    for (const uint32_t block : w.blocks) options.text += " B" + std::to_string(block);
    const auto pattern = search->pattern(options);
    if (!pattern) return std::fprintf(stderr, "%s\n", pattern.error().message.c_str()), 1;
    matches += w.count;
    for (int scheme = 0; scheme <= 4; ++scheme) {
      const auto how = static_cast<MatchScheme>(scheme);
      const auto counted = search->count(*pattern, how);
      bool same = counted && *counted == w.count;
      MatchCursor cursor = search->matches(*pattern, how);
      for (const PathMatch& expected : w.some) {
        const auto match = cursor.next();
        same = same && match && match->thread == expected.thread && match->time == expected.time &&
               match->block == expected.block;
      }
      if (same) continue;
      if (++different <= 5)
        std::printf("scheme %d: %s%s: %llu matches, not %llu\n", scheme,
                    trace->functions()[w.function].name.c_str(), options.text.c_str(),
                    static_cast<unsigned long long>(counted.value_or(0)),
                    static_cast<unsigned long long>(w.count));
    }
  }
  std::printf("%zu paths, %zu matches in %llu blocks: %zu differences\n", wanted.size(), matches,
              static_cast<unsigned long long>(blocks), different);
  return different == 0 && !wanted.empty() ? 0 : 1;
}
