#include "base/task_group.h"

#include <gtest/gtest.h>

#include <atomic>

namespace vestige {
namespace {

TEST(TaskGroup, WithoutAPoolTasksAreDoneAtOnce) {
  bool called = false;
  TaskGroup group(nullptr, [&] { called = true; });
  int done = 0;
  group.run([&] { ++done; });
  EXPECT_EQ(done, 1);
  EXPECT_FALSE(group.busy());
  EXPECT_FALSE(called);
}

TEST(TaskGroup, WaitsForItsOwnTasksOnly) {
  WorkerPool pool(3);
  std::atomic<bool> go = false;
  TaskGroup others(&pool);
  others.run([&] { go.wait(false); });
  uint64_t sum = 0;
  {
    TaskGroup group(&pool);
    for (uint64_t i = 0; i < 1000; ++i) {
      group.run([&sum, i] { std::atomic_ref(sum).fetch_add(i); });
      group.wait(7);
    }
    group.wait();
    EXPECT_FALSE(group.busy());
    EXPECT_EQ(sum, 499500u);  // no lock: what tasks wrote is there
    group.run([&sum] { std::atomic_ref(sum).store(1); });
  }
  EXPECT_EQ(sum, 1u);
  EXPECT_TRUE(others.busy());
  go = true;
  go.notify_all();
}

TEST(TaskGroup, WhatComesBehindSeesTheTaskGone) {
  WorkerPool pool(2);
  std::atomic<int> behind = 0;
  TaskGroup group(&pool, [&] { ++behind; });
  for (int i = 0; i < 100; ++i) group.run([] {});
  group.wait();
  EXPECT_EQ(behind, 100);
}

}  // namespace
}  // namespace vestige
