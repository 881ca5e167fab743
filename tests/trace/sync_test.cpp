// Synchronization operations, by thread and in one order, against the plain lists they were written
// from.
#include "vestige/sync.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "trace/synthetic.h"

namespace vestige {
namespace {

using namespace synthetic;

// Threads that lock and unlock one of a few mutexes and do atomic operations, each where its paths
// are.
TraceFile make_syncs(uint32_t seed, size_t operations) {
  TraceFile file = make_trace(seed, {.paths = 2000});
  std::mt19937 random(seed);
  file.syncs.resize(file.chunks.size());
  std::vector<uint64_t> times(file.chunks.size());
  uint64_t stamp = 0;
  for (size_t i = 0; i < operations; ++i) {
    const size_t thread = random() % file.syncs.size();
    uint64_t& time = times[thread];
    time = std::min<uint64_t>(time + random() % 4, 2000);
    const uint64_t object = 0x1000 + 64 * (random() % 3);
    if (random() % 3 == 0) {
      file.syncs[thread].push_back({SyncKind::atomic_rmw, 5, time, ++stamp, object, 0});
    } else {
      file.syncs[thread].push_back({SyncKind::mutex_lock, 0, time, ++stamp, object, 0});
      stamp += random() % 3;  // stamps may have holes
      file.syncs[thread].push_back({SyncKind::mutex_unlock, 0, time, ++stamp, object, 0});
    }
  }
  write_trace(file);
  return file;
}

std::vector<SyncOperation> plain_operations(const TraceFile& file, uint32_t thread) {
  std::vector<SyncOperation> all;
  for (const SyncRow& row : file.syncs[thread])
    all.push_back(
        {thread, all.size() + 1, row.time, row.kind, row.result, row.object, row.other, row.stamp});
  return all;
}

bool has_problem(const TraceFile& file, const std::string& text) {
  const auto report = verify(file.path);
  if (!report || report->ok) return false;
  return std::ranges::any_of(report->problems, [&](const std::string& problem) {
    return problem.find(text) != std::string::npos;
  });
}

TEST(Sync, ByThreadAndInOneOrder) {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    const TraceFile file = make_syncs(seed, 500);
    const auto trace = Trace::open(file.path);
    ASSERT_TRUE(trace) << trace.error().message;
    std::vector<SyncOperation> all;
    uint64_t unseen = 0;
    for (uint32_t t = 0; t < file.syncs.size(); ++t) {
      const std::vector<SyncOperation> expected = plain_operations(file, t);
      std::vector<SyncOperation> found;
      auto cursor = SyncCursor::open(*trace, t);
      ASSERT_TRUE(cursor);
      while (cursor->next()) found.push_back(cursor->operation());
      EXPECT_EQ(cursor->error(), nullptr);
      EXPECT_EQ(found, expected);
      all.insert(all.end(), expected.begin(), expected.end());
    }
    std::ranges::sort(all, {}, &SyncOperation::stamp);
    auto order = SyncOrderCursor::open(*trace);
    ASSERT_TRUE(order);
    std::vector<SyncOperation> found;
    while (order->next()) found.push_back(order->operation());
    EXPECT_EQ(order->error(), nullptr);
    EXPECT_EQ(found, all);

    // Atomic operations are counted by their paths, of which this program has its own.
    for (const SyncOperation& op : all) unseen += !is_atomic(op.kind);
    uint64_t in_paths = 0;
    for (uint32_t t = 0; t < file.syncs.size(); ++t) {
      auto cursor = trace->walk(t);
      while (cursor->next()) in_paths += cursor->path().syncs;
    }
    EXPECT_EQ(trace->counts()->sync_ops, unseen + in_paths);
    const auto report = verify(file.path);
    ASSERT_TRUE(report);
    EXPECT_TRUE(report->ok) << report->problems.front();
    EXPECT_TRUE(report->notes.empty()) << report->notes.front();
  }
}

TEST(Sync, ATraceWithoutAnyHasNone) {
  const TraceFile file = make_trace(1);
  const auto trace = Trace::open(file.path);
  ASSERT_TRUE(trace);
  EXPECT_FALSE(SyncOrderCursor::open(*trace)->next());
  EXPECT_FALSE(SyncCursor::open(*trace, 0)->next());
  EXPECT_FALSE(SyncCursor::open(*trace, 99));
}

TEST(Sync, VerifyFindsWhatIsWrong) {
  const auto broken = [](const auto& change) {
    TraceFile file = make_syncs(5, 300);
    change(file.syncs[0]);
    write_trace(file);
    return file;
  };
  EXPECT_TRUE(
      has_problem(broken([](auto& rows) { rows[50].stamp = rows[49].stamp; }), "has a stamp"));
  EXPECT_TRUE(has_problem(broken([](auto& rows) { rows[50].stamp = 1; }), "has a stamp below"));
  EXPECT_TRUE(has_problem(broken([](auto& rows) { rows[50].time = 0; }), "has a time below"));
  EXPECT_TRUE(
      has_problem(broken([](auto& rows) { rows.back().time = 2001; }), "behind the thread's end"));
  EXPECT_TRUE(
      has_problem(broken([](auto& rows) { rows[7].kind = SyncKind{99}; }), "of no known kind"));
  // Two threads have it at once: an unlock may have gone by unrecorded.
  TraceFile file = make_syncs(6, 300);
  std::erase_if(file.syncs[0],
                [](const SyncRow& row) { return row.kind == SyncKind::mutex_unlock; });
  write_trace(file);
  const auto report = verify(file.path);
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->ok);
  EXPECT_FALSE(report->notes.empty());
}

TEST(Sync, DamageIsAnError) {
  const TraceFile file = make_syncs(8, 300);
  const Bytes whole = read_file(file.path);
  std::mt19937 random(3);
  size_t failed = 0;
  for (int i = 0; i < 300; ++i) {
    Bytes bytes = whole;
    bytes[random() % bytes.size()] ^= static_cast<uint8_t>(1 + random() % 255);
    write_file(file.path, bytes);
    const auto trace = Trace::open(file.path);
    if (!trace) continue;
    auto order = SyncOrderCursor::open(*trace);
    if (order)
      while (order->next()) {
      }
    failed += !order || order->error();
  }
  EXPECT_GT(failed, 0u);
}

}  // namespace
}  // namespace vestige
