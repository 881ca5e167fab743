// Keyframes on random programs: any window alone is what it is in the full walk.
#include <gtest/gtest.h>

#include <filesystem>

#include "trace/eval/random_program.h"
#include "trace/eval/twin.h"
#include "trace/index/compare.h"
#include "trace/index/recording.h"
#include "vestige/index.h"

namespace vestige::windows_test {
namespace {

void check(const Recording& recording, uint64_t window_statements, Comparison& sum) {
  const auto trace = Trace::open(recording.path);
  ASSERT_TRUE(trace) << trace.error().message;
  const auto report = build_index(*trace, {.progress = {}, .window_statements = window_statements});
  ASSERT_TRUE(report) << report.error().message;
  const auto windows = Windows::open(*trace);
  ASSERT_TRUE(windows) << windows.error().message;
  ASSERT_TRUE(windows->indexed());
  const Comparison found = compare_windows(*trace, *windows, [] { return true; });
  EXPECT_EQ(found.difference, "");
  EXPECT_EQ(found.windows, report->windows);
  sum.compared += found.compared;
  sum.observations += found.observations;
  sum.unknown += found.unknown;
  sum.problems += found.problems;
}

TEST(Windows, OfRandomPrograms) {
  Comparison sum;
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RecordingOptions options;
    options.seed = seed;
    options.threads = 1 + seed % 3;
    options.throws = seed % 3 == 0 ? 0.1 : 0;
    check(record_random(options), seed == 4 ? 4 : 30 + seed * 10, sum);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(sum.compared, 500u);
  EXPECT_GT(sum.observations, 50000u);
  EXPECT_EQ(sum.problems, 0u);
}

TEST(Windows, WithHoles) {
  Comparison sum;
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RecordingOptions options;
    options.seed = seed;
    options.throws = 0.05;
    options.holes = true;
    check(record_random(options), 60 + 5 * seed, sum);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(sum.unknown, 100u);
}

TEST(Windows, WithEventsThatForget) {
  Comparison sum;
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RecordingOptions options;
    options.seed = seed;
    options.throws = 0.05;
    options.forgets = true;
    check(record_random(options), 60 + 5 * seed, sum);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(sum.unknown, 100u);
}

// What is told is not what happened: problems are found in the same places.
TEST(Windows, WithProblems) {
  Comparison sum;
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RecordingOptions options;
    options.seed = seed;
    options.lies = true;
    check(record_random(options), 100, sum);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(sum.problems, 100u);
}

}  // namespace
}  // namespace vestige::windows_test
