// How fast is a path found in a compressed trace? The four schemes of the path-matching paper on
// paths that really ran: rare ones (in few chunks), medium ones (in about half of them) and
// frequent ones (in nearly all), as the paper's types 1, 2 and 3.
//
//     paths_bench TRACE [PATHS-PER-TYPE]          JSON lines: the trace, each path, each chunk size
//
// The index is made first (in memory terms: mapped); every scheme answers the same question, the
// number of matches, in the same process. Processor time of one thread. All schemes must agree, and
// so they must with other sizes of chunks.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "base/sort_stably.h"
#include "query/paths/scanner.h"
#include "query/paths/unpacker.h"
#include "trace/paths/terminal_stream.h"
#include "trace/paths/whole_paths.h"
#include "vestige/paths.h"
#include "vestige/query.h"

namespace {

using namespace vestige;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

template <class Work>
double timed(const Work& work) {
  const double start = cpu_seconds();
  work();
  return cpu_seconds() - start;
}

struct Sample {
  uint32_t function;
  std::vector<uint32_t> blocks;
  size_t chunks;         // that hold the function
  uint64_t matches = 0;  // by scheme 1
};

// Blocks in a row of one activation, from a random time on: the function's own paths, calls left
// out by following the depth.
std::vector<uint32_t> follow(const Trace& trace, uint64_t time, size_t length, uint32_t& function) {
  auto cursor = trace.walk(0);
  if (!cursor || !cursor->seek(time)) return {};
  function = cursor->path().function;
  std::vector<uint32_t> blocks;
  int64_t depth = 0;
  for (int step = 0; step < 4000; ++step) {
    const Path& path = cursor->path();
    if (depth == 0 && path.function == function && !(step > 0 && path.enters))
      blocks.insert(blocks.end(), path.blocks.begin(), path.blocks.end());
    if (step > 0 && path.enters) ++depth;
    if (path.leaves && --depth < 0) break;
    if (blocks.size() >= length || !cursor->next()) break;
  }
  if (blocks.size() > length) blocks.resize(length);
  return blocks;
}

// Scheme 1 taken apart: what it spends on unpacking and what on matching, in blocks that stay in
// the cache between the two.
struct Unpacked {
  uint64_t count = 0;
  double unpack = 0, scan = 0;
};
Unpacked scheme1(const Trace& trace, const WholePaths::Thread& thread, const PathPattern& pattern) {
  Unpacked out;
  Scanner scanner(trace, pattern.program());
  std::vector<uint32_t> block;
  for (const PathGrammar& part : thread.parts) {
    scanner.use(part.terminals, true);
    Unpacker unpacker(part);
    while (true) {
      out.unpack += timed([&] { unpacker.read(block); });
      if (block.empty()) break;
      out.scan += timed([&] { out.count += scanner.count(block); });
    }
  }
  return out;
}

// What scheme 3 spends before it matches: on the index, and on unpacking the chunks that the
// function runs in. What is left of it is its scan.
struct Before {
  double index = 0, unpack = 0;
};
Before before_scan(const Trace& trace, const WholePaths::Thread& thread, uint32_t function) {
  Before out;
  std::vector<uint32_t> holding;
  out.index = timed([&] {
    Extent passed;
    holding = thread.by_time.holding(function);
    auto held = holding.begin();
    for (uint32_t c = 0; c < thread.by_time.chunks().size(); ++c) {
      if (held != holding.end() && *held == c)
        ++held;
      else
        passed = joined(passed, thread.by_time.chunks()[c].extent);
    }
  });
  out.unpack = timed([&] {
    TerminalStream stream(trace.state(), 0);
    std::vector<uint32_t> block;
    uint64_t reached = 0;  // the time behind what was read
    for (const uint32_t number : holding) {
      const PathChunk& chunk = thread.by_time.chunks()[number];
      const uint64_t end = chunk.first_time + chunk.extent.times;
      if (reached < chunk.first_time) {
        if (!stream.seek(chunk.first_time, function)) return;
        reached = chunk.first_time;
      }
      while (reached < end && stream.read(block) && !block.empty())
        for (const uint32_t n : block) reached += stream.terminals()[n].times;
    }
  });
  return out;
}

// The deepest call, as far as it was recorded.
int64_t deepest(const Trace& trace) {
  auto cursor = trace.walk(0);
  int64_t depth = 0, most = 0;
  while (cursor && cursor->next()) {
    depth += cursor->path().enters;
    most = std::max(most, depth);
    depth -= cursor->path().leaves;
  }
  return most;
}

// Functions by the chunks they run in, and of each type some paths that ran: of type 1 those in the
// fewest chunks (the paper's are in one), of type 2 those nearest to half of them, of type 3 any.
std::map<int, std::vector<Sample>> draw(const Trace& trace, const WholePaths::Thread& thread,
                                        size_t per_type) {
  std::mt19937_64 random(1);
  std::map<int, std::vector<Sample>> types;
  const auto& chunks = thread.by_rule.chunks();
  const auto type_of = [](double coverage) {
    return coverage <= 0.05 ? 1 : coverage < 0.8 ? 2 : 3;
  };
  for (uint32_t f = 0; f < trace.functions().size(); ++f) {
    const auto holding = thread.by_rule.holding(f);
    if (holding.empty()) continue;
    const int type =
        type_of(static_cast<double>(holding.size()) / static_cast<double>(chunks.size()));
    if (types[type].size() >= per_type * 8) continue;
    // A time at which it runs: within one of its chunks, found by walking.
    const PathChunk& chunk = chunks[holding[random() % holding.size()]];
    auto cursor = *trace.walk(0);
    if (!cursor.seek(chunk.first_time)) continue;
    uint64_t found = 0;
    for (uint64_t i = 0; i < std::min<uint64_t>(chunk.extent.times, 3'000'000); ++i) {
      if (cursor.path().function == f) {
        found = cursor.time();
        if (random() % 4 == 0) break;
      }
      if (!cursor.next()) break;
    }
    if (found == 0) continue;
    uint32_t function = f;
    auto blocks = follow(trace, found, 2 + random() % 63, function);
    if (blocks.size() >= 2) types[type].push_back({function, blocks, holding.size()});
  }
  for (auto& [type, samples] : types) {
    std::shuffle(samples.begin(), samples.end(), random);
    const auto away = [&](const Sample& s) {
      const size_t half = chunks.size() / 2;
      return type == 1         ? s.chunks
             : type == 3       ? 0
             : s.chunks > half ? s.chunks - half
                               : half - s.chunks;
    };
    sort_stably(samples, {}, away);
    if (samples.size() > per_type) samples.resize(per_type);
  }
  return types;
}

// The best of three rounds.
template <class Work>
double best(const Work& work) {
  double least = timed(work);
  for (int round = 1; round < 3; ++round) least = std::min(least, timed(work));
  return least;
}

PatternOptions literal(const Sample& sample) {
  PatternOptions options;
  options.function = sample.function;
  for (const uint32_t block : sample.blocks) options.text += " B" + std::to_string(block);
  options.thread = 0;
  return options;
}

// Of the same function, an expression of at most 16 states.
PatternOptions expression(const Sample& sample) {
  PatternOptions options = literal(sample);
  options.kind = PatternKind::regex;
  const auto name = [&](size_t i) {
    return "B" + std::to_string(sample.blocks[i % sample.blocks.size()]);
  };
  options.text =
      name(0) + " (" + name(1) + "|" + name(2) + ")* (" + name(3) + "|. " + name(4) + ")";
  return options;
}

// One path by all schemes. False: they disagree.
bool measure(const Trace& trace, const PathSearch& search, const WholePaths::Thread& thread,
             int type, Sample& sample) {
  const auto pattern = search.pattern(literal(sample));
  const auto like = search.pattern(expression(sample));
  if (!pattern || !like) return true;
  const Unpacked unpacked = scheme1(trace, thread, *pattern);
  sample.matches = unpacked.count;
  bool agree = true;
  const auto count = [&](MatchScheme scheme) {
    agree &= search.count(*pattern, scheme) == unpacked.count;
  };
  const double grammar = best([&] { count(MatchScheme::grammar); });
  const double chunks = timed([&] { count(MatchScheme::chunks); });
  const double index = best([&] { count(MatchScheme::index); });
  const double automatic = best([&] { (void)search.count(*pattern); });
  const double by_expression = best([&] { (void)search.count(*like); });
  const double first = timed([&] { search.matches(*pattern).next(); });
  const Before before = before_scan(trace, thread, sample.function);
  std::printf(
      "{\"kind\":\"path\",\"type\":%d,\"function\":\"%s\",\"blocks\":%zu,\"chunks\":%zu,"
      "\"matches\":%llu,\"id\":%u,\"text\":\"%s\",\"index3_ms\":%.4f,\"unpack3_ms\":%.3f,"
      "\"unpack_ms\":%.3f,\"scan_ms\":%.3f,\"scheme2_ms\":%.4f,"
      "\"scheme3_ms\":%.4f,\"scheme4_ms\":%.4f,\"first_ms\":%.4f,\"automatic_ms\":%.4f,"
      "\"expression_ms\":%.4f}\n",
      type, demangle(trace.functions()[sample.function].name).substr(0, 30).c_str(),
      sample.blocks.size(), sample.chunks, static_cast<unsigned long long>(unpacked.count),
      sample.function, literal(sample).text.c_str(), 1e3 * before.index, 1e3 * before.unpack,
      1e3 * unpacked.unpack, 1e3 * unpacked.scan, 1e3 * grammar, 1e3 * chunks, 1e3 * index,
      1e3 * first, 1e3 * automatic, 1e3 * by_expression);
  std::fflush(stdout);
  return agree;
}

// The same paths with chunks of another size. False: the answers are others.
bool with_chunks_of(const Trace& trace, uint64_t bytes,
                    const std::map<int, std::vector<Sample>>& types) {
  PathIndexOptions options;
  options.chunk_bytes = bytes;
  const auto report = build_path_index(trace, options);
  const auto search = PathSearch::open(trace);
  if (!report || !search) return false;
  bool agree = true;
  for (const auto& [type, samples] : types)
    for (const Sample& sample : samples) {
      const auto pattern = search->pattern(literal(sample));
      if (!pattern) continue;
      const auto count = [&](MatchScheme scheme) {
        agree &= search->count(*pattern, scheme) == sample.matches;
      };
      const double chunks = timed([&] { count(MatchScheme::chunks); });
      const double index = best([&] { count(MatchScheme::index); });
      std::printf(
          "{\"kind\":\"chunks\",\"chunk_bytes\":%llu,\"chunks\":%llu,\"index_bytes\":%llu,"
          "\"type\":%d,\"scheme3_ms\":%.4f,\"scheme4_ms\":%.4f}\n",
          static_cast<unsigned long long>(bytes), static_cast<unsigned long long>(report->chunks),
          static_cast<unsigned long long>(report->index_bytes), type, 1e3 * chunks, 1e3 * index);
    }
  std::fflush(stdout);
  return agree;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "usage: paths_bench TRACE [PATHS-PER-TYPE]\n"), 2;
  const size_t per_type = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 4;
  const auto trace = Trace::open(argv[1]);
  if (!trace) return std::fprintf(stderr, "%s\n", trace.error().message.c_str()), 3;
  const auto report = build_path_index(*trace);
  const auto search = PathSearch::open(*trace);
  const auto whole = WholePaths::open(*trace);
  if (!report || !search || !whole) return std::fprintf(stderr, "no index of paths\n"), 3;
  const WholePaths::Thread& thread = whole->threads()[0];
  size_t functions = 0;
  for (uint32_t f = 0; f < trace->functions().size(); ++f)
    functions += !thread.by_rule.holding(f).empty();
  std::printf(
      "{\"kind\":\"trace\",\"raw_bytes\":%llu,\"paths\":%llu,\"deepest\":%lld,"
      "\"functions\":%zu,\"symbols\":%llu,\"rules\":%llu,\"chunks\":%zu,\"trace_bytes\":%llu,"
      "\"grammar_bytes\":%llu,\"index_bytes\":%llu}\n",
      static_cast<unsigned long long>(report->raw_bytes),
      static_cast<unsigned long long>(report->paths), static_cast<long long>(deepest(*trace)),
      functions, static_cast<unsigned long long>(report->symbols),
      static_cast<unsigned long long>(report->rules), thread.by_rule.chunks().size(),
      static_cast<unsigned long long>(trace->file_bytes()),
      static_cast<unsigned long long>(report->grammar_bytes),
      static_cast<unsigned long long>(report->index_bytes));
  std::fflush(stdout);
  auto types = draw(*trace, thread, per_type);
  bool agree = true;
  for (auto& [type, samples] : types)
    for (Sample& sample : samples) agree &= measure(*trace, *search, thread, type, sample);
  for (const uint64_t megabytes : {80, 40, 4})  // the last is what queries use
    agree &= with_chunks_of(*trace, megabytes << 20, types);
  if (!agree) std::fprintf(stderr, "%s: the schemes disagree\n", argv[1]);
  return agree ? 0 : 1;
}
