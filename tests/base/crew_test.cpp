// Every part is done once, by owner or helpers, and no round ends before its parts do.
#include "base/crew.h"

#include <gtest/gtest.h>

#include <atomic>

namespace vestige {
namespace {

TEST(Crew, EveryPartOnceInEveryRound) {
  for (const unsigned helpers : {0u, 1u, 3u}) {
    Crew crew(helpers);
    std::vector<uint64_t> done;  // written by whoever does the part, read by the owner
    for (size_t round = 0; round < 3000; ++round) {
      const size_t parts = round % 7;
      done.assign(parts, 0);
      crew.share(parts, [&](size_t part) { done[part] += round + 1; });
      for (const uint64_t times : done) ASSERT_EQ(times, round + 1);
    }
  }
}

TEST(Crew, HelpersDoPartsWhileTheOwnerIsAtOne) {
  Crew crew(1);
  std::atomic<int> there = 0;
  // Each waits for the other: the owner alone would never come back.
  crew.share(2, [&](size_t) {
    ++there;
    while (there < 2) std::this_thread::yield();
  });
  EXPECT_EQ(there, 2);
}

}  // namespace
}  // namespace vestige
