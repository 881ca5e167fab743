// A worked example in the manner of the paper's Figure 6, made by hand: context size three, the
// states at four consecutive positions, met forwards and backwards. docs/codecs.md prints it.
//
// The stream 3 5 7 3 5 7 3 8, with three zeros of padding before it. From the left contexts:
//     (0 0 0)→3  (0 0 3)→5  (0 3 5)→7  (3 5 7)→3  (5 7 3)→5  (7 3 5)→7  (3 5 7)→3  (5 7 3)→8
// so the only number whose slot must change is the fifth, 5: BL entry ⟨F, 8⟩, all others ⟨T⟩.
#include <gtest/gtest.h>

#include <set>

#include "paper_fcm.h"
#include "shapes.h"

namespace vestige {
namespace {

const Stream kNumbers = {3, 5, 7, 3, 5, 7, 3, 8};

struct Expected {
  std::deque<uint64_t> window;
  std::deque<PaperEntry> fr, bl;
  uint64_t left_of_573, right_of_573;  // BLTB and FRTB at the context (5 7 3)
};

const PaperEntry T{};
constexpr PaperEntry F(uint64_t displaced) { return {false, displaced}; }

// Positions 4 … 7: so many numbers lie before the cursor.
const std::vector<Expected> kStates = {
    {{5, 7, 3}, {T, T, T, F(0)}, {F(8), T, T, T}, 5, 3},
    {{7, 3, 5}, {T, T, T, F(0), F(0)}, {T, T, T}, 8, 3},
    {{3, 5, 7}, {T, T, T, F(0), F(0), F(0)}, {T, T}, 8, 3},
    {{5, 7, 3}, {T, T, T, F(0), F(0), F(0), T}, {T}, 8, 3},
};

class Example : public testing::Test {
 protected:
  Example() : paper_(kNumbers, 3, 1024, 1024) {}
  void expect_state(size_t position) {
    const Expected& expected = kStates[position - 4];
    EXPECT_EQ(paper_.u, expected.window);
    EXPECT_EQ(paper_.fr, expected.fr);
    EXPECT_EQ(paper_.bl, expected.bl);
    EXPECT_EQ(paper_.left[paper_.left_slot({5, 7, 3})], expected.left_of_573);
    EXPECT_EQ(paper_.right[paper_.right_slot({5, 7, 3})], expected.right_of_573);
  }
  PaperFcm paper_;
};

TEST_F(Example, NoTwoContextsShareASlot) {
  std::set<size_t> slots;
  std::deque<uint64_t> window = {0, 0, 0};
  for (const uint64_t number : kNumbers) {
    slots.insert(paper_.left_slot(window));
    window.pop_front();
    window.push_back(number);
  }
  EXPECT_EQ(slots.size(), 6u);
}

TEST_F(Example, TheSameStatesForwardsAndBackwards) {
  for (size_t position = 1; position <= 7; ++position) {
    paper_.forward();
    if (position >= 4) expect_state(position);
  }
  paper_.forward();
  EXPECT_EQ(paper_.fr.back(), F(0));
  EXPECT_TRUE(paper_.bl.empty());
  for (size_t position = 7; position >= 4; --position) {
    paper_.backward();
    expect_state(position);
  }
}

TEST_F(Example, OursHasThemToo) {
  FcmWalk<3> walk;
  ASSERT_TRUE(walk.load(encode_fcm(kNumbers, 3), kNumbers.size()));
  std::vector<uint64_t> out(kNumbers.size());
  const auto expect_ours = [&](size_t position) {
    const Expected& expected = kStates[position - 4];
    ASSERT_EQ(walk.position(), position);
    EXPECT_EQ(walk.window().newest(), expected.window.back());
    for (size_t i = 0; i < expected.fr.size(); ++i)
      EXPECT_EQ(walk.right_missed(i), !expected.fr[i].hit);
    for (size_t i = 0; i < expected.bl.size(); ++i)
      EXPECT_EQ(walk.vacates(position + i), !expected.bl[i].hit);
    EXPECT_EQ(walk.right_displaced().size(), position == 4 ? 1 : position == 5 ? 2 : 3);
  };
  walk.forward(std::span(out).first(3));
  for (size_t position = 4; position <= 7; ++position) {
    walk.forward(std::span(out).first(1));
    expect_ours(position);
  }
  walk.forward(out);
  for (size_t position = 7; position >= 4; --position) {
    walk.backward(std::span(out).first(1));
    EXPECT_EQ(out[0], kNumbers[position]);
    expect_ours(position);
  }
}

}  // namespace
}  // namespace vestige
