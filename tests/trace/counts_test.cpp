// Counts and profile against adding up path by path.
#include <gtest/gtest.h>

#include "trace/histogram.h"
#include "trace/synthetic.h"

namespace vestige {
namespace {

using namespace synthetic;

TEST(Counts, EqualAddingUp) {
  for (const size_t size : {500u, 5'000'00u}) {
    const TraceFile file = make_trace(static_cast<uint32_t>(size), {.paths = size}, 3);
    auto trace = Trace::open(file.path);
    ASSERT_TRUE(trace);
    TraceCounts all;
    for (uint32_t thread = 0; thread < 2; ++thread) {
      TraceCounts expected;
      std::vector<FunctionCounts> profile(file.program.functions.size());
      for (size_t f = 0; f < profile.size(); ++f) {
        profile[f].blocks.resize(file.program.functions[f].blocks.size());
        profile[f].statements.resize(file.program.functions[f].statements.size());
      }
      for (const uint32_t id : file.runs[thread].paths) {
        const Path& path = *trace->path(id);  // itself compared with enumeration in path_test
        const uint32_t f = file.program.function_of(id);
        ++expected.paths;
        expected.blocks += path.blocks.size();
        expected.statements += path.statements;
        expected.loads += path.loads;
        expected.stores += path.stores;
        expected.sync_ops += path.syncs;
        profile[f].activations += file.program.enters(id);
        for (const uint32_t block : path.blocks) ++profile[f].blocks[block];
        for (const uint32_t s : path.segments) {
          const Segment& segment = file.program.functions[f].segments[s];
          for (uint32_t i = 0; i < segment.statement_count; ++i)
            ++profile[f].statements[segment.first_statement + i];
        }
      }
      auto counts = trace->counts(thread);
      ASSERT_TRUE(counts);
      EXPECT_EQ(counts->paths, expected.paths);
      EXPECT_EQ(counts->blocks, expected.blocks);
      EXPECT_EQ(counts->statements, expected.statements);
      EXPECT_EQ(counts->loads, expected.loads);
      EXPECT_EQ(counts->stores, expected.stores);
      EXPECT_EQ(counts->sync_ops, expected.sync_ops);
      all.paths += expected.paths;
      all.statements += expected.statements;
      auto counted = trace->profile(thread);
      ASSERT_TRUE(counted);
      ASSERT_EQ(counted->size(), profile.size());
      uint64_t statements = 0;
      for (size_t f = 0; f < profile.size(); ++f) {
        EXPECT_EQ((*counted)[f].activations, profile[f].activations);
        EXPECT_EQ((*counted)[f].blocks, profile[f].blocks);
        EXPECT_EQ((*counted)[f].statements, profile[f].statements);
        for (size_t s = 0; s < profile[f].statements.size(); ++s)
          if (!file.program.functions[f].statements[s].pseudo)
            statements += profile[f].statements[s];
      }
      EXPECT_EQ(statements, expected.statements);
    }
    auto counts = trace->counts();
    ASSERT_TRUE(counts);
    EXPECT_EQ(counts->paths, all.paths);
    EXPECT_EQ(counts->statements, all.statements);
  }
}

TEST(Counts, RefuseUnknownPathsAndThreads) {
  TraceFile file = make_trace(9, {.paths = 1000}, 1);
  file.runs[0].paths[10] = 0x20000;
  auto encoder = make_word_encoder(WordCodec::packed);
  encoder->append(file.runs[0].paths);
  file.chunks[0][0].words = encoder->finish();
  write_trace(file);
  auto trace = Trace::open(file.path);
  ASSERT_TRUE(trace);
  EXPECT_FALSE(trace->counts());
  EXPECT_FALSE(trace->profile(0));
  EXPECT_TRUE(trace->counts(1));
  EXPECT_FALSE(trace->counts(2));
}

TEST(Histogram, SettlesWhatItCounted) {
  PathHistogram histogram(100);
  std::vector<uint32_t> words{5, 5, 4096, 99 * 4096 + 1, 5};
  EXPECT_EQ(histogram.add(words), words.size());
  EXPECT_EQ(histogram.add(std::vector<uint32_t>{7, 100 * 4096}), 1u);
  std::vector<std::pair<uint32_t, uint64_t>> seen;
  histogram.settle([&](uint32_t id, uint64_t n) { seen.emplace_back(id, n); });
  const std::vector<std::pair<uint32_t, uint64_t>> expected{
      {5, 3}, {7, 1}, {4096, 1}, {99 * 4096 + 1, 1}};
  EXPECT_EQ(seen, expected);
  histogram.settle([&](uint32_t, uint64_t) { FAIL(); });
}

}  // namespace
}  // namespace vestige
