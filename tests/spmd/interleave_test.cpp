// Threads as one stream: everything once, each thread in its own order, and nothing before what it
// waited for.
#include "query/replay/interleave.h"

#include <gtest/gtest.h>

#include <random>

namespace vestige {
namespace {

struct Plan {
  std::vector<uint64_t> places;  // of references
  std::vector<ThreadFeed::Mark> marks;
};

class PlannedFeed final : public ThreadFeed {
 public:
  PlannedFeed(const Plan& plan, uint32_t thread, size_t batch)
      : plan_(plan), thread_(thread), batch_(batch) {}
  Result<void> read(std::vector<Placed>& out) override {
    out.clear();
    for (; out.size() < batch_ && at_ < plan_.places.size(); ++at_)
      out.push_back({plan_.places[at_], {Reference::Kind::read, thread_, 0, at_, 1}});
    return {};
  }
  Result<std::optional<Mark>> next_mark() override {
    if (mark_ == plan_.marks.size()) return std::optional<Mark>();
    return std::optional<Mark>(plan_.marks[mark_++]);
  }

 private:
  const Plan& plan_;
  const uint32_t thread_;
  const size_t batch_;
  size_t at_ = 0, mark_ = 0;
};

TEST(Interleave, WhatWaitedComesLater) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 200; ++round) {
    const size_t threads = 1 + random() % 5;
    std::vector<Plan> plans(threads);
    // A made-up run: stamps in the order in which things happened.
    std::vector<uint64_t> time(threads, 0);
    std::vector<std::pair<uint32_t, uint64_t>> parents(threads, {kNone, 0});
    size_t alive = 1;
    for (uint64_t stamp = 1; stamp < 60; ++stamp) {
      const size_t t = random() % alive;
      for (uint64_t n = random() % 4; n != 0; --n)
        for (uint64_t m = ++time[t], k = random() % 3; k != 0; --k) plans[t].places.push_back(m);
      if (random() % 3 == 0 && alive < threads) {
        parents[alive] = {static_cast<uint32_t>(t), time[t]};
        ++alive;
      }
      plans[t].marks.push_back({time[t], stamp});
    }
    const uint64_t turn = 1 + random() % 6;
    std::vector<InterleavedThread> feeds;
    for (uint32_t t = 0; t < alive; ++t)
      feeds.push_back({std::make_unique<PlannedFeed>(plans[t], t, 1 + random() % 5),
                       parents[t].first, parents[t].second});
    std::vector<size_t> done(alive, 0);
    // How many marks a thread must have passed, and may have passed.
    const auto passed = [&](size_t t) {
      uint64_t least = 0;
      if (done[t] > 0)
        for (const auto& mark : plans[t].marks)
          if (mark.place < plans[t].places[done[t] - 1]) least = mark.stamp;
      return least;
    };
    const auto waits = [&](size_t t) {  // the first mark that it cannot have passed
      for (const auto& mark : plans[t].marks)
        if (done[t] < plans[t].places.size() && plans[t].places[done[t]] <= mark.place)
          return mark.stamp;
      return UINT64_MAX;
    };
    const auto result = interleave(std::move(feeds), turn, [&](const Reference& reference) {
      const uint32_t t = reference.thread;
      EXPECT_EQ(reference.address, done[t]);
      ++done[t];
      for (size_t other = 0; other < alive; ++other)
        if (other != t) EXPECT_LT(passed(t), waits(other)) << "thread " << t << " passed too early";
      if (const auto [parent, place] = parents[t]; parent != kNone && done[t] == 1)
        EXPECT_TRUE(done[parent] == plans[parent].places.size() ||
                    plans[parent].places[done[parent]] > place);
      return true;
    });
    ASSERT_TRUE(result);
    for (size_t t = 0; t < alive; ++t) EXPECT_EQ(done[t], plans[t].places.size());
    if (HasFailure()) return;
  }
}

TEST(Interleave, TakesTurns) {
  const Plan plan{{1, 2, 3, 4}, {}};
  std::vector<InterleavedThread> feeds;
  for (uint32_t t = 0; t < 2; ++t)
    feeds.push_back({std::make_unique<PlannedFeed>(plan, t, 3), kNone, 0});
  std::string order;
  ASSERT_TRUE(interleave(std::move(feeds), 2, [&](const Reference& reference) {
    order += static_cast<char>('0' + reference.thread);
    return true;
  }));
  EXPECT_EQ(order, "00110011");
}

}  // namespace
}  // namespace vestige
