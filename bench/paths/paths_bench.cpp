// How fast is a path found in a compressed trace? The four schemes of the path-matching paper on
// paths that really ran: rare ones (in few chunks), medium ones (in about half of them) and
// frequent ones (in nearly all), as the paper's types 1, 2 and 3.
//
//     paths_bench TRACE [PATHS-PER-TYPE]                   a table on stdout
//
// The index is made first (in memory terms: mapped); every scheme answers the same question, the
// number of matches, in the same process. Processor time of one thread. All schemes must agree.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "query/paths/scanner.h"
#include "query/paths/unpacker.h"
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
  double coverage;  // share of the chunks that hold the function
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

double geomean(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += std::log(v);
  return values.empty() ? 0 : std::exp(sum / static_cast<double>(values.size()));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "usage: paths_bench TRACE [PATHS-PER-TYPE]\n"), 2;
  const size_t per_type = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 4;
  const auto trace = Trace::open(argv[1]);
  if (!trace) return std::fprintf(stderr, "%s\n", trace.error().message.c_str()), 3;
  auto search = PathSearch::open(*trace);
  if (!search) return std::fprintf(stderr, "%s\n", search.error().message.c_str()), 3;
  const auto whole = WholePaths::open(*trace);
  const WholePaths::Thread& thread = whole->threads()[0];
  uint64_t symbols = 0, rules = 0;
  for (const PathGrammar& part : thread.parts) {
    symbols += part.symbols.size();
    rules += part.rules.size();
  }
  const uint64_t paths = trace->threads()[0].paths;
  std::printf(
      "%s: %llu paths, %llu raw events, %zu grammars, %llu rules, %llu symbols, %zu chunks; "
      "file %llu bytes, index without grammar %llu\n",
      argv[1], static_cast<unsigned long long>(paths),
      static_cast<unsigned long long>(thread.raw_events), thread.parts.size(),
      static_cast<unsigned long long>(rules), static_cast<unsigned long long>(symbols),
      thread.by_rule.chunks().size(), static_cast<unsigned long long>(whole->file_bytes()),
      static_cast<unsigned long long>(whole->file_bytes() - whole->grammar_bytes()));

  // Functions by the chunks they run in; of each type some paths that ran.
  std::mt19937_64 random(1);
  std::map<int, std::vector<Sample>> types;
  const double chunks = static_cast<double>(thread.by_rule.chunks().size());
  const auto type_of = [](double coverage) {
    return coverage <= 0.05 ? 1 : coverage < 0.8 ? 2 : 3;
  };
  for (uint32_t f = 0; f < trace->functions().size(); ++f) {
    const auto holding = thread.by_rule.holding(f);
    if (holding.empty()) continue;
    const double coverage = static_cast<double>(holding.size()) / chunks;
    const int type = type_of(coverage);
    if (types[type].size() >= per_type * 8) continue;
    // A time at which it runs: within one of its chunks, found by walking.
    const PathChunk& chunk = thread.by_rule.chunks()[holding[random() % holding.size()]];
    auto cursor = *trace->walk(0);
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
    auto blocks = follow(*trace, found, 2 + random() % 63, function);
    if (blocks.size() >= 2) types[type].push_back({function, blocks, coverage});
  }

  std::printf(
      "| type | path | chunks | matches | 1: unpack + scan, ms | scan alone, ms | 2, ms | 3, ms | "
      "4, ms | 2 against 1 | 2 against scan | 4 against 1 | auto, first, ms |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  std::vector<double> all_2, all_scan, all_regex;
  std::map<int, std::vector<double>> all_4;
  bool agree = true;
  for (auto& [type, samples] : types) {
    std::shuffle(samples.begin(), samples.end(), random);
    if (samples.size() > per_type) samples.resize(per_type);
    for (const Sample& sample : samples) {
      PatternOptions options;
      options.function = sample.function;
      for (const uint32_t block : sample.blocks) options.text += " B" + std::to_string(block);
      options.thread = 0;
      const auto pattern = search->pattern(options);
      if (!pattern) continue;
      double seconds[5] = {};
      uint64_t counts[5] = {};
      const Unpacked unpacked = scheme1(*trace, thread, *pattern);
      seconds[1] = unpacked.unpack + unpacked.scan;
      counts[1] = unpacked.count;
      for (const int scheme : {4, 2, 3}) {
        const int rounds = scheme % 2 == 0 ? 3 : 1;
        for (int round = 0; round < rounds; ++round) {
          const double s = timed([&] {
            counts[scheme] = search->count(*pattern, static_cast<MatchScheme>(scheme)).value_or(0);
          });
          if (round == 0 || s < seconds[scheme]) seconds[scheme] = s;
        }
        agree &= counts[scheme] == counts[1];
      }
      // The same function by an expression of at most 16 states, both by `auto`.
      PatternOptions like = options;
      like.kind = PatternKind::regex;
      const auto name = [&](size_t i) {
        return "B" + std::to_string(sample.blocks[i % sample.blocks.size()]);
      };
      like.text =
          name(0) + " (" + name(1) + "|" + name(2) + ")* (" + name(3) + "|. " + name(4) + ")";
      const auto expression = search->pattern(like);
      double literal_time = 0, expression_time = 0;
      for (int round = 0; round < 3; ++round) {
        const double a = timed([&] { (void)search->count(*pattern); });
        const double b = timed([&] { (void)search->count(*expression); });
        if (round == 0 || a < literal_time) literal_time = a;
        if (round == 0 || b < expression_time) expression_time = b;
      }
      all_regex.push_back(expression_time / literal_time);
      const double first = timed([&] { search->matches(*pattern).next(); });
      const double scan = unpacked.scan;
      all_2.push_back(seconds[1] / seconds[2]);
      all_scan.push_back(scan / seconds[2]);
      all_4[type].push_back(seconds[1] / seconds[4]);
      std::printf(
          "| %d | %s, %zu blocks | %.0f %% | %llu | %.1f | %.1f | %.3f | %.1f | %.3f | %.0f× | "
          "%.1f× "
          "| %.0f× | %.3f | %.1f |\n",
          type, demangle(trace->functions()[sample.function].name).substr(0, 30).c_str(),
          sample.blocks.size(), 100 * sample.coverage, static_cast<unsigned long long>(counts[4]),
          seconds[1] * 1e3, scan * 1e3, seconds[2] * 1e3, seconds[3] * 1e3, seconds[4] * 1e3,
          all_2.back(), all_scan.back(), all_4[type].back(), first * 1e3, all_regex.back());
      std::fflush(stdout);
    }
  }
  std::printf("geomean: 2 against 1 %.0f×, 2 against its scan alone %.1f×", geomean(all_2),
              geomean(all_scan));
  for (const auto& [type, values] : all_4)
    std::printf(", 4 against 1 type %d %.0f×", type, geomean(values));
  std::printf(", expression against literal %.1f", geomean(all_regex));
  std::printf("; schemes %s\n", agree ? "agree" : "DISAGREE");
  return agree ? 0 : 1;
}
