// All four schemes on trace files: several chunks and threads, exceptions, missing paths.
#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "query/paths/plain_search.h"
#include "trace/call_stack.h"
#include "trace/synthetic.h"
#include "vestige/paths.h"

namespace vestige {
namespace {

// The terminals of a run, from its plainest form.
std::vector<Terminal> terminals_of(const Trace& trace, const synthetic::Run& run) {
  std::vector<Terminal> out;
  std::vector<uint32_t> functions;
  size_t event = 0;
  const auto events = [&](uint64_t time) {
    for (; event < run.events.size() && run.events[event].time <= time; ++event) {
      const Event& e = run.events[event];
      if (e.kind != format::EventKind::resync) continue;
      Terminal t;
      const bool keeps = e.reason == format::ResyncReason::unwound;
      const uint64_t keep = std::min<uint64_t>(e.stack.keep, functions.size());
      t.lowest = -static_cast<int32_t>(functions.size() - (keeps ? keep : 0));
      functions.resize(keep);
      functions.resize(keep + e.stack.frames.size(), kNone);
      t.net = t.lowest + static_cast<int32_t>(functions.size() - (keeps ? keep : 0));
      out.push_back(t);
    }
  };
  events(0);
  for (uint64_t time = 1; time <= run.paths.size(); ++time) {
    const Path& path = *trace.path(run.paths[time - 1]);
    out.push_back(terminal_of(path, functions.empty() ? kNone : functions.back()));
    if (path.enters) functions.push_back(kNone);
    if (functions.empty()) functions.push_back(kNone);
    functions.back() = path.function;
    if (path.leaves) functions.pop_back();
    events(time);
  }
  return out;
}

class Files : public testing::Test {
 protected:
  // Beside the trace, so that nothing outside of the test's folder is touched.
  static PathSearch open(const Trace& trace, uint64_t chunk_bytes) {
    PathIndexOptions options;
    options.chunk_bytes = chunk_bytes;
    auto search = PathSearch::open(trace, options);
    EXPECT_TRUE(search) << search.error().message;
    return std::move(*search);
  }
};

TEST_F(Files, AllSchemesAgreeWithPlainSearch) {
  for (uint32_t seed = 1; seed <= 40 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    synthetic::RunOptions run_options;
    run_options.paths = 200 + random() % 600;
    run_options.outer_frames = seed % 3 == 0;
    run_options.unwind = seed % 2 ? 0.02 : 0.0;
    const auto file = synthetic::make_trace(seed, run_options);
    const Trace trace = std::move(*Trace::open(file.path));
    const PathSearch search = open(trace, 4 * (1 + random() % 300));
    for (int i = 0; i < 12; ++i) {
      PatternOptions options;
      options.function = random() % trace.functions().size();
      if (random() % 3 == 0) options.caller = random() % trace.functions().size();
      const auto blocks = trace.functions()[options.function].blocks.size();
      const uint32_t thread = random() % 2;
      const auto blocks_of = [&](uint32_t path) { return trace.path(path)->blocks; };
      std::vector<std::vector<plain::Activation>> all;
      for (const auto& run : file.runs)
        all.push_back(plain::activations(terminals_of(trace, run), 1, options.function,
                                         options.caller, blocks_of));
      std::vector<uint32_t> path;
      if (!all[thread].empty()) {
        const auto& from = all[thread][random() % all[thread].size()];
        const size_t length = 1 + random() % 6;
        for (const auto& step : from)
          if (!step.call && path.size() < length) path.push_back(step.what);
      }
      if (path.empty()) path.push_back(random() % blocks);
      for (const uint32_t block : path) options.text += " " + std::to_string(block);
      SCOPED_TRACE(options.text);
      std::vector<PathMatch> expected;
      for (uint32_t t = 0; t < all.size(); ++t)
        for (const Hit& hit : plain::find_literal(all[t], path))
          expected.push_back({t, hit.time, hit.block});
      const auto pattern = search.pattern(options);
      ASSERT_TRUE(pattern) << pattern.error().message;
      for (const MatchScheme scheme :
           {MatchScheme::automatic, MatchScheme::unpack, MatchScheme::grammar, MatchScheme::chunks,
            MatchScheme::index}) {
        SCOPED_TRACE(int(scheme));
        EXPECT_EQ(*search.count(*pattern, scheme), expected.size());
        MatchCursor matches = search.matches(*pattern, scheme);
        for (const PathMatch& e : expected) {
          const auto match = matches.next();
          ASSERT_TRUE(match);
          ASSERT_EQ(match->thread, e.thread);
          ASSERT_EQ(match->time, e.time);
          ASSERT_EQ(match->block, e.block);
        }
        EXPECT_FALSE(matches.next());
        EXPECT_FALSE(matches.error());
        const std::vector<const PathPattern*> twice = {&*pattern, &*pattern};
        EXPECT_EQ(*search.count(twice, scheme), std::vector<uint64_t>(2, expected.size()));
      }
    }
    std::filesystem::remove(file.path + ".wpp");
    std::filesystem::remove(file.path);
  }
}

TEST_F(Files, DamagedIndexIsMadeAnew) {
  const auto file = synthetic::make_trace(7);
  const Trace trace = std::move(*Trace::open(file.path));
  const std::string index = file.path + ".wpp";
  uint64_t count = 0;
  const auto count_now = [&] {
    const PathSearch search = open(trace, 400);
    PatternOptions options;
    options.text = "B0 B1";
    return *search.count(*search.pattern(options));
  };
  count = count_now();
  std::mt19937 random(7);
  const Bytes whole = synthetic::read_file(index);
  for (int i = 0; i < 200; ++i) {
    Bytes bytes = whole;
    if (i % 4 == 0)
      bytes.resize(random() % bytes.size());
    else
      bytes[random() % bytes.size()] ^= static_cast<uint8_t>(1 << random() % 8);
    synthetic::write_file(index, bytes);
    EXPECT_EQ(count_now(), count);
  }
}

}  // namespace
}  // namespace vestige
