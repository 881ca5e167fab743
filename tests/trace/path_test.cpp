// Paths taken apart by the path table, against plain enumeration.
#include <gtest/gtest.h>

#include <thread>

#include "trace/synthetic.h"

namespace vestige {
namespace {

using namespace synthetic;

TEST(Paths, EveryPathOfEveryFunctionEqualsEnumeration) {
  const TraceFile file = make_trace(1);
  auto trace = Trace::open(file.path);
  ASSERT_TRUE(trace) << trace.error().message;
  ASSERT_EQ(trace->functions().size(), file.program.functions.size());
  uint64_t statement = 0;
  for (uint32_t f = 0; f < file.program.functions.size(); ++f) {
    const Function& function = trace->functions()[f];
    EXPECT_EQ(function.name, file.program.functions[f].name);
    EXPECT_EQ(function.first_path, file.program.first_path[f]);
    EXPECT_EQ(function.first_statement, statement);
    statement += function.statements.size();
    ASSERT_EQ(function.path_count, file.program.paths[f].size());
    for (uint32_t i = 0; i < function.path_count; ++i) {
      const uint32_t id = function.first_path + i;
      const Path* path = trace->path(id);
      ASSERT_TRUE(path);
      EXPECT_EQ(path->id, id);
      EXPECT_EQ(path->function, f);
      EXPECT_EQ(path->segments, file.program.paths[f][i].segments);
      EXPECT_EQ(path->blocks, file.program.blocks(id));
      EXPECT_EQ(path->enters, file.program.enters(id));
      EXPECT_EQ(path->leaves, file.program.leaves(id));
      EXPECT_EQ(path->statements, file.program.statements(id).size());
      EXPECT_EQ(path, trace->path(id)) << "the address must be stable";
    }
  }
}

TEST(Paths, IdsOutsideOfAllFunctionsAreRefused) {
  const TraceFile file = make_trace(2);
  auto trace = Trace::open(file.path);
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->path(0), nullptr);
  EXPECT_EQ(trace->path(0xffff), nullptr);
  EXPECT_EQ(trace->path(UINT32_MAX), nullptr);
  const auto& last = trace->functions().back();
  EXPECT_EQ(trace->path(static_cast<uint32_t>(last.first_path + last.path_count)), nullptr);
}

TEST(Paths, LoadsStoresAndSyncsAreCounted) {
  const TraceFile file = make_trace(3);
  auto trace = Trace::open(file.path);
  ASSERT_TRUE(trace);
  for (uint32_t f = 0; f < trace->functions().size(); ++f) {
    const Function& function = trace->functions()[f];
    for (uint32_t i = 0; i < function.path_count; ++i) {
      const Path& path = *trace->path(function.first_path + i);
      uint64_t loads = 0, stores = 0;
      for (const uint32_t s : file.program.statements(path.id)) {
        const Statement& statement = function.statements[s];
        const bool call = statement.op == Op::call;
        const bool copy = call && statement.callee == 1, fill = call && statement.callee == 2;
        loads += statement.op == Op::load || statement.op == Op::atomic_rmw || copy;
        stores += statement.op == Op::store || statement.op == Op::atomic_rmw || copy || fill;
      }
      EXPECT_EQ(path.loads, loads);
      EXPECT_EQ(path.stores, stores);
      EXPECT_EQ(path.syncs, file.program.last_segment(path.id).end == SegmentEnd::sync ? 1u : 0u);
    }
  }
}

TEST(Paths, ManyThreadsMayFillTheTable) {
  const TraceFile file = make_trace(4, {.paths = 20000});
  auto trace = Trace::open(file.path);
  ASSERT_TRUE(trace);
  std::vector<std::thread> threads;
  std::vector<uint64_t> sums(4);
  for (size_t t = 0; t < sums.size(); ++t) {
    threads.emplace_back([&, t] {
      auto cursor = trace->walk(0);
      while (cursor->next()) sums[t] += cursor->blocks().size();
    });
  }
  for (auto& thread : threads) thread.join();
  for (const uint64_t sum : sums) EXPECT_EQ(sum, sums[0]);
  EXPECT_GT(sums[0], 0u);
}

}  // namespace
}  // namespace vestige
