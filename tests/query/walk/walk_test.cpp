// Walk against a plain expansion of the run.
#include <gtest/gtest.h>

#include <algorithm>

#include "trace/synthetic.h"
#include "vestige/query.h"

namespace vestige {
namespace {

using namespace synthetic;

struct PlainRow {
  WalkRow::Kind kind;
  uint64_t time;
  uint32_t depth;
  uint32_t function = kNone, block = kNone, statement = kNone;
  bool operator==(const PlainRow&) const = default;
};
void PrintTo(const PlainRow& row, std::ostream* out) {
  *out << "{kind " << int(row.kind) << " time " << row.time << " depth " << row.depth
       << " function " << int(row.function) << " block " << int(row.block) << " statement "
       << int(row.statement) << "}";
}

std::vector<PlainRow> expand(const Program& program, const Run& run, WalkLevel level) {
  std::vector<PlainRow> rows;
  size_t depth = 0;
  size_t event = 0;
  for (uint64_t time = 0; time <= run.paths.size(); ++time) {
    if (time > 0) {
      const uint32_t id = run.paths[time - 1];
      const uint32_t f = program.function_of(id);
      if (program.enters(id) || depth == 0) ++depth;
      PlainRow row{WalkRow::Kind::path, time, static_cast<uint32_t>(depth - 1), f};
      switch (level) {
        case WalkLevel::path:
          row.block = program.first_segment(id).block;
          rows.push_back(row);
          break;
        case WalkLevel::block:
          row.kind = WalkRow::Kind::block;
          for (const uint32_t block : program.blocks(id)) {
            row.block = block;
            rows.push_back(row);
          }
          break;
        case WalkLevel::statement:
          row.kind = WalkRow::Kind::statement;
          for (const uint32_t statement : program.statements(id)) {
            row.statement = statement;
            row.block = program.functions[f].statements[statement].block;
            rows.push_back(row);
          }
          break;
      }
      if (program.leaves(id)) --depth;
    }
    for (; event < run.events.size() && run.events[event].time == time; ++event) {
      if (run.events[event].kind == format::EventKind::resync) depth = run.events[event].stack.keep;
      rows.push_back({WalkRow::Kind::event, time, static_cast<uint32_t>(depth)});
    }
  }
  return rows;
}

std::vector<PlainRow> rows_of(const Trace& trace, const WalkOptions& options) {
  auto walk = WalkCursor::open(trace, options);
  EXPECT_TRUE(walk) << walk.error().message;
  std::vector<PlainRow> rows;
  if (!walk) return rows;
  while (const WalkRow* row = walk->next()) {
    EXPECT_EQ(row->thread, options.thread);
    EXPECT_EQ(row->kind == WalkRow::Kind::event, row->event != nullptr);
    EXPECT_EQ(row->kind == WalkRow::Kind::event, !row->text.empty());
    if (row->kind == WalkRow::Kind::statement) {
      EXPECT_EQ(row->statement_id,
                trace.functions()[row->function].first_statement + row->statement);
    }
    rows.push_back({row->kind, row->time, row->depth, row->function, row->block, row->statement});
  }
  EXPECT_EQ(walk->error(), nullptr);
  return rows;
}

constexpr WalkLevel kLevels[] = {WalkLevel::path, WalkLevel::block, WalkLevel::statement};

TEST(Walk, EqualsExpansionBothWays) {
  for (uint32_t seed = 0; seed < 10; ++seed) {
    const TraceFile file =
        make_trace(seed, {.paths = 700, .unwind = 0.03, .outer_frames = seed % 2 == 0});
    auto trace = Trace::open(file.path);
    ASSERT_TRUE(trace);
    for (uint32_t thread = 0; thread < 2; ++thread) {
      for (const WalkLevel level : kLevels) {
        auto expected = expand(file.program, file.runs[thread], level);
        ASSERT_EQ(rows_of(*trace, {.thread = thread, .level = level}), expected);
        std::ranges::reverse(expected);
        ASSERT_EQ(rows_of(*trace, {.thread = thread, .level = level, .back = true}), expected);
      }
    }
  }
}

TEST(Walk, EqualsExpansionOverManyWindows) {
  const TraceFile file = make_trace(20, {.paths = 300'000, .unwind = 0.001}, 2);
  auto trace = Trace::open(file.path);
  ASSERT_TRUE(trace);
  auto expected = expand(file.program, file.runs[0], WalkLevel::block);
  EXPECT_TRUE(rows_of(*trace, {.level = WalkLevel::block}) == expected);
  std::ranges::reverse(expected);
  EXPECT_TRUE(rows_of(*trace, {.level = WalkLevel::block, .back = true}) == expected);
}

TEST(Walk, BeginsAnywhere) {
  const TraceFile file = make_trace(21, {.paths = 900, .unwind = 0.02});
  auto trace = Trace::open(file.path);
  ASSERT_TRUE(trace);
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    const uint64_t time = 1 + random() % 900;
    const WalkLevel level = kLevels[random() % 3];
    const auto all = expand(file.program, file.runs[0], level);
    // Forwards: rows of paths from `time`, and events behind it. Backwards: the rest, and the path
    // itself.
    std::vector<PlainRow> forwards, backwards;
    for (const PlainRow& row : all) {
      const bool event = row.kind == WalkRow::Kind::event;
      if (row.time >= time) forwards.push_back(row);
      if (row.time < time || (row.time == time && !event)) backwards.push_back(row);
    }
    std::ranges::reverse(backwards);
    const WalkFrom from{WalkFrom::Kind::time, time};
    ASSERT_EQ(rows_of(*trace, {.level = level, .from = from}), forwards);
    ASSERT_EQ(rows_of(*trace, {.level = level, .from = from, .back = true}), backwards);
    const uint64_t count = random() % 10;
    forwards.resize(std::min<size_t>(forwards.size(), count));
    ASSERT_EQ(rows_of(*trace, {.level = level, .from = from, .count = count}), forwards);
  }
}

TEST(Walk, BeginsAtTheKthSync) {
  const TraceFile file = make_trace(22);
  auto trace = Trace::open(file.path);
  ASSERT_TRUE(trace);
  uint64_t k = 0;
  for (uint64_t time = 1; time <= file.runs[0].paths.size(); ++time) {
    if (file.program.last_segment(file.runs[0].paths[time - 1]).end != SegmentEnd::sync) continue;
    const auto rows = rows_of(
        *trace,
        {.level = WalkLevel::path, .from = WalkFrom{WalkFrom::Kind::sync, ++k}, .count = 1});
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].time, time);
  }
  ASSERT_GT(k, 3u);
  auto past = WalkCursor::open(*trace, {.from = WalkFrom{WalkFrom::Kind::sync, k + 1}});
  ASSERT_FALSE(past);
  EXPECT_NE(past.error().message.find("has " + std::to_string(k) + " sync operations"),
            std::string::npos);
}

TEST(Walk, EdgesOfTime) {
  const TraceFile file = make_trace(23, {.paths = 50}, 2);
  auto trace = Trace::open(file.path);
  ASSERT_TRUE(trace);
  EXPECT_TRUE(rows_of(*trace, {.from = WalkFrom{WalkFrom::Kind::start, 0}, .back = true}).empty());
  EXPECT_TRUE(rows_of(*trace, {.from = WalkFrom{WalkFrom::Kind::end, 0}}).empty());
  auto past = WalkCursor::open(*trace, {.from = WalkFrom{WalkFrom::Kind::time, 51}});
  ASSERT_FALSE(past);
  EXPECT_NE(past.error().message.find("has times 1 to 50, no 51"), std::string::npos)
      << past.error().message;
  EXPECT_FALSE(WalkCursor::open(*trace, {.thread = 9}));
}

TEST(Walk, SaysWhetherThereIsMore) {
  const TraceFile file = make_trace(24, {.paths = 50, .unwind = 0}, 1);
  auto trace = Trace::open(file.path);
  ASSERT_TRUE(trace);
  const size_t all = rows_of(*trace, {.level = WalkLevel::path}).size();
  for (const size_t count : {all - 1, all, all + 1}) {
    auto walk = WalkCursor::open(*trace, {.level = WalkLevel::path, .count = count});
    while (walk->next()) {
    }
    EXPECT_EQ(walk->more(), count < all);
  }
}

TEST(Walk, CrossesHolesBothWays) {
  TraceFile file = make_trace(25, {.paths = 2000}, 6);
  file.chunks[0].erase(file.chunks[0].begin() + 3);
  write_trace(file);
  auto trace = Trace::open(file.path);
  ASSERT_TRUE(trace);
  auto forwards = rows_of(*trace, {.level = WalkLevel::block});
  auto backwards = rows_of(*trace, {.level = WalkLevel::block, .back = true});
  std::ranges::reverse(backwards);
  EXPECT_EQ(forwards, backwards);
  EXPECT_GT(forwards.size(), 1000u);
}

TEST(Walk, ParsesPlaces) {
  EXPECT_EQ(parse_walk_from("start")->kind, WalkFrom::Kind::start);
  EXPECT_EQ(parse_walk_from("end")->kind, WalkFrom::Kind::end);
  EXPECT_EQ(parse_walk_from("17")->number, 17u);
  EXPECT_EQ(parse_walk_from("17")->kind, WalkFrom::Kind::time);
  EXPECT_EQ(parse_walk_from("sync:3")->number, 3u);
  EXPECT_EQ(parse_walk_from("sync:3")->kind, WalkFrom::Kind::sync);
  for (const char* bad :
       {"", "0", "-1", "sync:", "sync:0", "1x", "sync:x", "99999999999999999999999"})
    EXPECT_FALSE(parse_walk_from(bad)) << bad;
}

}  // namespace
}  // namespace vestige
