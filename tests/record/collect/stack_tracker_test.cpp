#include "record/collect/stack_tracker.h"

#include <gtest/gtest.h>

#include <random>

namespace vestige {
namespace {

// Path ids are small numbers here; 0 is no path.
constexpr uint32_t kIds = 64;
struct Kinds {
  uint8_t of[kIds] = {};
  Kinds() {
    for (uint32_t id = 1; id < kIds; ++id)
      of[id] = static_cast<uint8_t>((id & 3) | path_kind::plain | path_kind::known);
  }
};

// The rule of docs/format.md, word by word on a plain vector.
struct NaiveStack {
  std::vector<Frame> frames;
  void step(uint8_t kind, uint32_t word, uint64_t time) {
    if ((kind & path_kind::enters) || frames.empty()) frames.push_back({});
    frames.back() = {word, time};
    if (kind & path_kind::leaves) frames.pop_back();
  }
};

std::vector<Frame> all_frames(const StackTracker& stack) { return stack.change(0).frames; }

std::vector<Frame> apply(std::vector<Frame> frames, const StackChange& change) {
  EXPECT_LE(change.keep, frames.size());
  frames.resize(std::min<size_t>(change.keep, frames.size()));
  frames.insert(frames.end(), change.frames.begin(), change.frames.end());
  return frames;
}

TEST(StackTracker, AForkedThreadGoesOnWithTheStackOfItsParent) {
  const Kinds kinds;
  constexpr uint32_t kEnters = 1, kLeaves = 2, kGoesOn = 4;  // the low two bits are the kind
  StackTracker parent(kinds.of);
  ASSERT_TRUE(parent.run(std::vector<uint32_t>{kEnters, kEnters + 4, kEnters + 8}, 0));

  StackTracker child(kinds.of);
  child.set_drift(3);  // the child's own time starts from 0
  child.inherit(parent.snapshot());
  EXPECT_EQ(all_frames(child), (std::vector<Frame>{{1, 0}, {5, 0}, {9, 0}}));
  // An exception in the child may go to an activation of the parent's: times are the target's.
  EXPECT_EQ(child.first_after(1), parent.first_after(1));
  ASSERT_TRUE(child.run(std::vector<uint32_t>{kLeaves, kGoesOn}, 0));
  EXPECT_EQ(all_frames(child), (std::vector<Frame>{{1, 0}, {kGoesOn, 2}}));
}

TEST(StackTracker, FollowsLikeItsNaiveTwin) {
  const Kinds kinds;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    std::mt19937_64 random(seed);
    StackTracker tracker(kinds.of);
    NaiveStack naive;
    uint64_t time = 0;
    std::vector<Frame> at_mark;
    tracker.set_mark(StackTracker::chunk);
    // From returning a lot (past the outermost frame) to recursing a lot.
    const uint64_t bias = seed % 5;
    for (int batch = 0; batch < 60; ++batch) {
      std::vector<uint32_t> words(random() % (batch % 3 ? 40 : StackTracker::kBatch + 1));
      for (uint32_t& word : words) {
        do word = 1 + static_cast<uint32_t>(random() % (kIds - 1));
        while ((word & 3) == (bias < 2 ? 1u : 2u) && random() % (2 + bias) == 0);
      }
      ASSERT_EQ(tracker.run(words, time), words.size());
      for (const uint32_t word : words) naive.step(kinds.of[word], word, ++time);
      ASSERT_EQ(all_frames(tracker), naive.frames) << "seed " << seed << " batch " << batch;
      ASSERT_EQ(tracker.depth(), naive.frames.size());
      if (random() % 4 == 0) {
        const StackChange change = tracker.change(tracker.low(StackTracker::chunk));
        ASSERT_EQ(apply(at_mark, change), naive.frames);
        tracker.set_mark(StackTracker::chunk);
        at_mark = naive.frames;
      }
    }
  }
}

TEST(StackTracker, ABatchEndsAtAWordThatIsNotPlain) {
  Kinds kinds;
  kinds.of[9] = path_kind::known | path_kind::excluded;
  for (const uint32_t odd : {0u, 9u}) {
    for (size_t at = 0; at < 300; ++at) {
      std::vector<uint32_t> words(300);
      for (size_t i = 0; i < words.size(); ++i) words[i] = i % 3 == 0 ? 1 : 4;
      StackTracker part(kinds.of), whole(kinds.of);
      ASSERT_EQ(part.run(std::span(words).first(at), 0), at);
      words[at] = odd;
      ASSERT_EQ(whole.run(words, 0), at);
      ASSERT_EQ(all_frames(whole), all_frames(part));
    }
  }
  StackTracker tracker(kinds.of);
  EXPECT_EQ(tracker.run({}, 4), 0u);
}

TEST(StackTracker, FindsTheActivationOfAnEntryTime) {
  const Kinds kinds;
  StackTracker tracker(kinds.of);
  // Three activations entered at times 0, 2 and 5: paths 1 2 | 3 4 5 | 6.
  const std::vector<uint32_t> words = {1, 4, 1, 4, 4, 1};
  ASSERT_TRUE(tracker.run(words, 0));
  EXPECT_EQ(tracker.first_after(0), 1u);
  EXPECT_EQ(tracker.first_after(2), 2u);
  EXPECT_EQ(tracker.first_after(5), 3u);
  EXPECT_EQ(tracker.first_after(6), StackTracker::kNoSlot);
  tracker.cut_to(tracker.first_after(2));
  EXPECT_EQ(all_frames(tracker), (std::vector<Frame>{{4, 2}, {4, 5}}));
  tracker.push_unknown(7);
  EXPECT_EQ(all_frames(tracker), (std::vector<Frame>{{4, 2}, {4, 5}, {}}));
  EXPECT_EQ(tracker.first_after(6), 3u);
}

TEST(StackTracker, DriftKeepsTargetTimesApart) {
  const Kinds kinds;
  StackTracker tracker(kinds.of);
  ASSERT_TRUE(tracker.run(std::vector<uint32_t>{1, 4}, 0));  // target times 1, 2
  tracker.set_drift(10);                                     // ten paths were left out
  ASSERT_TRUE(tracker.run(std::vector<uint32_t>{1, 4}, 2));  // target times 13, 14
  EXPECT_EQ(tracker.first_after(1), 1u);
  EXPECT_EQ(tracker.first_after(2), 2u);
  EXPECT_EQ(tracker.first_after(12), 2u);
  EXPECT_EQ(tracker.first_after(14), StackTracker::kNoSlot);
}

TEST(StackTracker, AMillionActivations) {
  const Kinds kinds;
  StackTracker tracker(kinds.of);
  const std::vector<uint32_t> down(StackTracker::kBatch, 1), up(StackTracker::kBatch, 2);
  for (uint64_t i = 0; i < 250; ++i) ASSERT_TRUE(tracker.run(down, i * down.size()));
  EXPECT_EQ(tracker.depth(), 250 * down.size());
  for (uint64_t i = 0; i < 250; ++i) ASSERT_TRUE(tracker.run(up, (250 + i) * up.size()));
  EXPECT_EQ(tracker.depth(), 0u);
}

}  // namespace
}  // namespace vestige
