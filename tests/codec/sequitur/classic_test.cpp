// The classic algorithm that benchmarks compare with: what it was given comes out again, and both
// invariants hold.
#include <gtest/gtest.h>

#include "../../../bench/sequitur/classic_sequitur.h"
#include "streams.h"

namespace vestige {
namespace {

using bench::ClassicSequitur;

ClassicSequitur built(const std::vector<uint64_t>& values) {
  ClassicSequitur grammar;
  for (const uint64_t value : values) grammar.append(value);
  return grammar;
}

std::vector<uint64_t> expanded(const ClassicSequitur& grammar) {
  std::vector<uint64_t> out;
  grammar.expand([&](uint64_t value) { out.push_back(value); });
  return out;
}

std::vector<uint64_t> letters(const char* text) {
  return std::vector<uint64_t>(text, text + std::char_traits<char>::length(text));
}

TEST(Classic, ExampleOfThePaper) {  // S → B B, B → a b c
  const ClassicSequitur grammar = built(letters("abcabc"));
  EXPECT_EQ(grammar.rules(), 2u);
  EXPECT_EQ(grammar.symbols(), 5u);
  EXPECT_EQ(grammar.bytes(0), 28u);
}

TEST(Classic, PowersOfTwoTakeARuleEach) {
  const ClassicSequitur grammar = built(std::vector<uint64_t>(1 << 10, 'x'));
  EXPECT_EQ(grammar.rules(), 10u);
  EXPECT_EQ(grammar.symbols(), 20u);
  EXPECT_TRUE(grammar.sound());
}

TEST(Classic, RandomStreams) {
  Random random(1);
  for (int round = 0; round < 3000; ++round) {
    const size_t size = 1 + random() % (round % 100 == 0 ? 20000 : 200);
    const auto values = round % 3 == 0   ? control_flow(random, size)
                        : round % 3 == 1 ? repetitive(random, size, 1 + random() % 9, 30, 5)
                                         : repetitive(random, size, 1 + random() % 2, 8, 9);
    const ClassicSequitur grammar = built(values);
    ASSERT_EQ(expanded(grammar), values) << round;
    ASSERT_TRUE(grammar.sound()) << round;
  }
}

}  // namespace
}  // namespace vestige
