// PathCursor against the run it was made from.
#include <gtest/gtest.h>

#include "store/writer.h"
#include "trace/synthetic.h"

namespace vestige {
namespace {

using namespace synthetic;

void compare_whole_walk(const TraceFile& file) {
  auto trace = Trace::open(file.path);
  ASSERT_TRUE(trace) << trace.error().message;
  for (uint32_t thread = 0; thread < file.runs.size(); ++thread) {
    const auto& paths = file.runs[thread].paths;
    auto cursor = trace->walk(thread);
    ASSERT_TRUE(cursor);
    EXPECT_EQ(cursor->time(), 0u);
    EXPECT_FALSE(cursor->prev());
    for (size_t i = 0; i < paths.size(); ++i) {
      ASSERT_TRUE(cursor->next());
      ASSERT_EQ(cursor->time(), i + 1);
      ASSERT_EQ(cursor->path().id, paths[i]);
    }
    EXPECT_FALSE(cursor->next());
    EXPECT_FALSE(cursor->next()) << "the end stays the end";
    EXPECT_EQ(cursor->error(), nullptr);
    EXPECT_EQ(cursor->time(), paths.size() + 1);
    for (size_t i = paths.size(); i-- > 0;) {
      ASSERT_TRUE(cursor->prev());
      ASSERT_EQ(cursor->time(), i + 1);
      ASSERT_EQ(cursor->path().id, paths[i]);
    }
    EXPECT_FALSE(cursor->prev());
    EXPECT_EQ(cursor->time(), 0u);
    ASSERT_TRUE(cursor->next());
    EXPECT_EQ(cursor->path().id, paths.front());
  }
}

TEST(Cursor, WalksBothWays) {
  for (uint32_t seed = 0; seed < 20; ++seed) compare_whole_walk(make_trace(seed));
}

TEST(Cursor, SkipsWhatIsTheSame) {
  std::mt19937 random(5);
  uint64_t skipped = 0;
  for (uint32_t seed = 0; seed < 20; ++seed) {
    const TraceFile file = make_trace(seed, {.paths = seed == 0 ? 400'000u : 3000u});
    auto trace = Trace::open(file.path);
    ASSERT_TRUE(trace);
    const auto& paths = file.runs[0].paths;
    auto cursor = trace->walk(0);
    EXPECT_EQ(cursor->same_ahead(), 0u);
    for (size_t i = 0; i < paths.size(); ++i) {
      ASSERT_TRUE(cursor->next());
      ASSERT_EQ(cursor->path().id, paths[i]);
      const uint64_t same = cursor->same_ahead();
      ASSERT_LE(same, paths.size() - i - 1);
      for (uint64_t n = 0; n < same; ++n) ASSERT_EQ(paths[i + 1 + n], paths[i]);
      const uint64_t most = random() % 8;
      ASSERT_EQ(cursor->same_ahead(most), std::min(same, most));
      const uint64_t some = random() % (same + 1);
      cursor->skip_same(some);
      i += some;
      skipped += some;
      ASSERT_EQ(cursor->time(), i + 1);
      ASSERT_EQ(cursor->path().id, paths[i]);
    }
    EXPECT_FALSE(cursor->next());
  }
  EXPECT_GT(skipped, 0u);
}

TEST(Cursor, WalksBothWaysOverManyWindows) {
  compare_whole_walk(make_trace(77, {.paths = 700'000}, 3));
}

TEST(Cursor, SeeksAndWandersAtRandom) {
  for (uint32_t seed = 100; seed < 110; ++seed) {
    const size_t size = seed == 100 ? 400'000 : 2000;
    const TraceFile file = make_trace(seed, {.paths = size}, 4);
    auto trace = Trace::open(file.path);
    ASSERT_TRUE(trace);
    auto cursor = trace->walk(1);
    const auto& paths = file.runs[1].paths;
    std::mt19937 random(seed);
    uint64_t time = 0;  // where a plain index would be
    for (int i = 0; i < 3000; ++i) {
      bool stands = false;
      switch (random() % 4) {
        case 0:
          time = random() % (size + 3);
          stands = cursor->seek(time);
          time = std::min<uint64_t>(time, size + 1);
          break;
        case 1:
          stands = cursor->next();
          time = std::min<uint64_t>(time + 1, size + 1);
          break;
        default:
          stands = cursor->prev();
          time = time == 0 ? 0 : time - 1;
          break;
      }
      ASSERT_EQ(stands, time >= 1 && time <= size);
      ASSERT_EQ(cursor->time(), time);
      if (stands) {
        ASSERT_EQ(cursor->path().id, paths[time - 1]);
      }
    }
  }
}

TEST(Cursor, RefusesThreadsThatAreNotThere) {
  const TraceFile file = make_trace(5);
  auto trace = Trace::open(file.path);
  ASSERT_TRUE(trace);
  auto cursor = trace->walk(2);
  ASSERT_FALSE(cursor);
  EXPECT_EQ(cursor.error().kind, ErrorKind::usage);
  EXPECT_NE(cursor.error().message.find("threads are 0 to 1"), std::string::npos)
      << cursor.error().message;
}

TEST(Cursor, AThreadWithoutPathsIsEmpty) {
  TraceFile file = make_trace(6);
  file.chunks[1].clear();
  write_trace(file);
  auto trace = Trace::open(file.path);
  ASSERT_TRUE(trace);
  auto cursor = trace->walk(1);
  EXPECT_FALSE(cursor->next());
  EXPECT_FALSE(cursor->prev());
  EXPECT_FALSE(cursor->seek(1));
  EXPECT_EQ(cursor->error(), nullptr);
  EXPECT_EQ(trace->threads()[1].paths, 0u);
}

TEST(Cursor, OldestChunksMayBeGone) {
  TraceFile file = make_trace(7, {.paths = 3000}, 6);
  const auto chunks = file.chunks[0];
  file.chunks[0].erase(file.chunks[0].begin(), file.chunks[0].begin() + 2);
  write_trace(file);
  auto trace = Trace::open(file.path);
  ASSERT_TRUE(trace);
  const uint64_t first = chunks[2].first_time;
  EXPECT_EQ(trace->threads()[0].first_time, first);
  EXPECT_EQ(trace->threads()[0].paths, 3000 - first + 1);
  auto cursor = trace->walk(0);
  ASSERT_TRUE(cursor->next());
  EXPECT_EQ(cursor->time(), first);
  EXPECT_FALSE(cursor->prev());
  EXPECT_FALSE(cursor->seek(first - 1));
  EXPECT_EQ(cursor->error(), nullptr);
  ASSERT_TRUE(cursor->seek(2999));
  EXPECT_EQ(cursor->path().id, file.runs[0].paths[2998]);
  auto report = verify(file.path);
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->ok) << report->problems.front();
}

TEST(Cursor, StepsOverAHole) {
  TraceFile file = make_trace(8, {.paths = 3000}, 6);
  const ControlChunk lost = file.chunks[0][2];
  file.chunks[0].erase(file.chunks[0].begin() + 2);
  write_trace(file);
  auto trace = Trace::open(file.path);
  ASSERT_TRUE(trace);
  auto cursor = trace->walk(0);
  std::vector<uint64_t> forwards, backwards;
  while (cursor->next()) forwards.push_back(cursor->time());
  while (cursor->prev()) backwards.push_back(cursor->time());
  std::reverse(backwards.begin(), backwards.end());
  EXPECT_EQ(forwards, backwards);
  EXPECT_EQ(forwards.size(), 3000 - lost.path_count);
  ASSERT_TRUE(cursor->seek(1));
  EXPECT_FALSE(cursor->seek(lost.first_time));
  ASSERT_TRUE(cursor->error());
  EXPECT_EQ(cursor->error()->kind, ErrorKind::missing);
  EXPECT_EQ(cursor->time(), 1u) << "a failed move stays";
  auto events = trace->events(0);
  ASSERT_TRUE(events);
  size_t damaged = 0;
  for (const TraceEvent& event : *events) {
    if (event.kind != TraceEvent::Kind::damaged) continue;
    ++damaged;
    EXPECT_EQ(event.time, lost.first_time - 1);
    EXPECT_EQ(event.numbers, std::vector<uint64_t>{lost.path_count});
  }
  EXPECT_EQ(damaged, 1u);
}

TEST(Cursor, AnUnknownPathIdStopsItAndCanBeSkipped) {
  TraceFile file = make_trace(9, {.paths = 1000}, 1);
  auto& run = file.runs[0];
  run.paths[499] = 0xfffff;  // no function has it
  auto encoder = make_word_encoder(WordCodec::packed);
  encoder->append(run.paths);
  file.chunks[0][0].words = encoder->finish();
  write_trace(file);
  auto trace = Trace::open(file.path);
  ASSERT_TRUE(trace);
  auto cursor = trace->walk(0);
  uint64_t steps = 0;
  while (cursor->next()) ++steps;
  EXPECT_EQ(steps, 499u);
  ASSERT_TRUE(cursor->error());
  EXPECT_EQ(cursor->time(), 499u);
  EXPECT_EQ(cursor->path().id, run.paths[498]);
  EXPECT_FALSE(cursor->seek(500));
  EXPECT_EQ(cursor->time(), 499u);
  ASSERT_TRUE(cursor->prev());
  EXPECT_EQ(cursor->time(), 498u);
  ASSERT_TRUE(cursor->seek(501));
  EXPECT_FALSE(cursor->prev());
  EXPECT_EQ(cursor->time(), 501u);
  cursor->skip_damage();
  ASSERT_TRUE(cursor->prev());
  EXPECT_EQ(cursor->time(), 499u);
  cursor->to_start();
  steps = 0;
  while (cursor->next()) ++steps;
  EXPECT_EQ(steps, 999u);
  while (cursor->prev()) --steps;
  EXPECT_EQ(steps, 0u);
}

}  // namespace
}  // namespace vestige
