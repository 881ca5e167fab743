// Trace::stack and Trace::events against plain replay.
#include <gtest/gtest.h>

#include "trace/depth.h"
#include "trace/synthetic.h"

namespace vestige {
namespace {

using namespace synthetic;

std::vector<Frame> stack_of(const Trace& trace, uint32_t thread, uint64_t time) {
  auto stack = trace.stack(thread, time);
  EXPECT_TRUE(stack) << stack.error().message;
  std::vector<Frame> frames;
  if (stack)
    for (const auto& frame : *stack) frames.push_back({frame.path, frame.time});
  return frames;
}

TEST(Stack, EqualsReplayAtEveryTime) {
  for (uint32_t seed = 0; seed < 12; ++seed) {
    const TraceFile file =
        make_trace(seed, {.paths = 600, .unwind = 0.05, .outer_frames = seed % 2 == 1}, 6);
    auto trace = Trace::open(file.path);
    ASSERT_TRUE(trace);
    for (uint32_t thread = 0; thread < 2; ++thread) {
      const auto expected = plain_stacks(file.program, file.runs[thread]);
      for (uint64_t time = 0; time < expected.size(); ++time)
        ASSERT_EQ(stack_of(*trace, thread, time), expected[time])
            << "seed " << seed << " time " << time;
    }
  }
}

TEST(Stack, DeepRecursionAcrossChunks) {
  const TraceFile file = make_trace(50, {.paths = 20000, .max_depth = 5000, .unwind = 0}, 8);
  auto trace = Trace::open(file.path);
  ASSERT_TRUE(trace);
  for (uint64_t time = 0; time <= 20000; time += 1777)
    ASSERT_EQ(stack_of(*trace, 0, time), plain_stack(file.program, file.runs[0], time));
}

TEST(Stack, WhatALostChunkHidesIsUnknown) {
  TraceFile file = make_trace(51, {.paths = 3000}, 6);
  const auto expected = plain_stacks(file.program, file.runs[0]);
  const uint64_t again = file.chunks[0][3].first_time;
  const uint64_t keep = file.chunks[0][3].stack.keep;
  file.chunks[0].erase(file.chunks[0].begin() + 2);
  write_trace(file);
  auto trace = Trace::open(file.path);
  ASSERT_TRUE(trace);
  auto stack = stack_of(*trace, 0, again - 1);
  ASSERT_EQ(stack.size(), expected[again - 1].size()) << "the depth is known all the same";
  for (size_t i = 0; i < stack.size(); ++i)
    EXPECT_EQ(stack[i], i < keep ? Frame{} : expected[again - 1][i]);
  EXPECT_FALSE(trace->stack(0, again - 2)) << "a time in the hole";
}

TEST(Stack, RefusesTimesThatAreNotThere) {
  const TraceFile file = make_trace(52);
  auto trace = Trace::open(file.path);
  ASSERT_TRUE(trace);
  EXPECT_FALSE(trace->stack(0, 1001));
  EXPECT_FALSE(trace->stack(7, 1));
  EXPECT_TRUE(trace->stack(0, 1000));
}

TEST(Depth, EqualsReplayInAnyOrder) {
  for (const size_t size : {1500u, 300'000u}) {
    const TraceFile file = make_trace(53, {.paths = size, .unwind = 0.01, .outer_frames = true}, 3);
    auto trace = Trace::open(file.path);
    ASSERT_TRUE(trace);
    // After the path, before its events: take the events off one by one.
    std::vector<uint64_t> expected;
    uint64_t depth = 0;
    size_t event = 0;
    const auto& run = file.runs[0];
    for (uint64_t time = 1; time <= size; ++time) {
      for (; event < run.events.size() && run.events[event].time < time; ++event)
        if (run.events[event].kind == format::EventKind::resync)
          depth = run.events[event].stack.keep;
      const uint32_t id = run.paths[time - 1];
      if (file.program.enters(id) || depth == 0) ++depth;
      if (file.program.leaves(id)) --depth;
      expected.push_back(depth);
    }
    DepthMap map(trace->state(), 0);
    std::mt19937 random(1);
    for (int i = 0; i < 200; ++i) {
      const uint64_t time = 1 + random() % size;
      ASSERT_EQ(map.after(time).value(), expected[time - 1]) << time;
    }
    for (uint64_t time = size; time > 0; --time)
      ASSERT_EQ(map.after(time).value(), expected[time - 1]) << time;
  }
}

TEST(Events, AreThoseOfTheRun) {
  const TraceFile file = make_trace(54, {.paths = 4000, .unwind = 0.02});
  auto trace = Trace::open(file.path);
  ASSERT_TRUE(trace);
  auto events = trace->events(1);
  ASSERT_TRUE(events);
  ASSERT_EQ(events->size(), file.runs[1].events.size());
  for (size_t i = 0; i < events->size(); ++i) {
    const Event& expected = file.runs[1].events[i];
    EXPECT_EQ((*events)[i].time, expected.time);
    EXPECT_EQ((*events)[i].numbers, expected.numbers);
    EXPECT_EQ((*events)[i].kind, expected.kind == format::EventKind::resync
                                     ? TraceEvent::Kind::unwound
                                     : TraceEvent::Kind::thread_create);
  }
}

}  // namespace
}  // namespace vestige
