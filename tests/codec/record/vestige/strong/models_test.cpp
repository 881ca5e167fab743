// The parts the strong models are made of, each on the smallest input that shows what it is for.
#include <gtest/gtest.h>

#include <random>

#include "codec/record/vestige/strong/echo.h"
#include "codec/record/vestige/strong/match.h"
#include "codec/record/vestige/strong/mixer.h"
#include "codec/record/vestige/strong/relation.h"
#include "codec/record/vestige/strong/slots.h"

namespace vestige::strong {
namespace {

TEST(Slots, KeepTheLatestThreeAndHowSteadyTheyAre) {
  CandidateSlot slot{};
  for (const uint64_t value : {1, 2, 3, 4, 4, 4}) slot.learn(value);
  EXPECT_EQ(slot.value, (std::array<uint64_t, 3>{4, 3, 2}));
  EXPECT_EQ(slot.count[0], 3);
  EXPECT_EQ(slot.outcomes[0] & 3, 3);
  slot.learn(2);
  EXPECT_EQ(slot.value, (std::array<uint64_t, 3>{2, 4, 3}));
  EXPECT_LT(slot.count[1], 3);
}

TEST(Slots, AContextIsFoundAgain) {
  SlotTable table(8);
  const uint64_t context = hashed(12345);
  table.find(context).learn(77);
  EXPECT_EQ(table.find(context).value[0], 77u);
  EXPECT_EQ(table.find(hashed(12346)).count[0], 0);
}

// Two fields of an object that is somewhere else each time.
TEST(Relation, FollowsAMovingBase) {
  RelationModel<16> model(8);
  RelationModel<16>::LastValues last{};
  std::mt19937_64 random(1);
  for (int round = 0; round < 4; ++round) {
    last[0] = random();
    const uint64_t value = last[0] + 24;
    const CandidateSlot& shown = model.find(hashed(9), last);
    if (round >= 2) {
      EXPECT_EQ(shown.value[0], value);
    }
    model.learn(value, last);
  }
}

TEST(Match, GoesOnThroughAWrongRow) {
  MatchModel model(12, 4);
  std::mt19937_64 random(2);
  std::vector<uint64_t> rows(50);
  for (uint64_t& row : rows) row = random();
  uint64_t recent = 0, right = 0;
  for (size_t i = 0; i < 150; ++i) {
    const uint64_t row = i == 120 ? 1 : rows[i % 50];
    if (model.found()) right += model.proposed() == row;
    recent = (recent << 16) + hashed(row);
    model.append(row, row, hashed(recent));
  }
  EXPECT_GE(right, 90u);
}

TEST(Echo, FindsTheDistance) {
  MatchModel history(12, 16);
  LatestRows latest(12);
  EchoModel echo(8);
  std::mt19937_64 random(3);
  uint64_t right = 0;
  for (size_t i = 0; i < 100; ++i) {
    const uint64_t value = i < 7 ? random() : i % 7 == 0 ? random() : history.back(7);
    right += echo.find(hashed(i % 7), history).value[0] == value;
    echo.learn(value, latest.distance(value, history));
    latest.note(value, history);
    history.keep(value, value);
  }
  EXPECT_GE(right, 70u);
}

TEST(TwoLayerMixer, LearnsWhichInputTells) {
  TwoLayerMixer<3, 2> mixer(
      {.sets = {1, 2}, .final_sets = 1, .first_weight = 20000, .shift = 5, .haste = 16});
  std::mt19937_64 random(4);
  int sure = 0;
  for (int round = 0; round < 2000; ++round) {
    const bool bit = random() % 2;
    mixer.input(0) = bit ? 500 : -500;
    mixer.input(1) = random() % 2 ? 500 : -500;
    mixer.input(2) = 256;
    mixer.select(0, 0);
    mixer.select(1, random() % 2);
    mixer.select_final(0);
    const int mixed = mixer.mix();
    if (round >= 1000) sure += bit ? mixed > 500 : mixed < -500;
    mixer.learn(bit);
  }
  EXPECT_GE(sure, 950);
}

}  // namespace
}  // namespace vestige::strong
