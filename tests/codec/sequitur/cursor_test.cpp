#include <gtest/gtest.h>

#include "codec/sequitur/grammar_builder.h"
#include "codec/sequitur/grammar_cursor.h"
#include "plain.h"
#include "streams.h"

namespace vestige::sequitur {
namespace {

Grammar built(const std::vector<uint64_t>& values) {
  GrammarBuilder builder;
  builder.append(values);
  return std::move(*Grammar::make(builder.finish()));
}

TEST(GrammarCursor, Empty) {
  const Grammar grammar = built({});
  GrammarCursor cursor(grammar);
  uint32_t terminal = 0;
  EXPECT_TRUE(cursor.at_end());
  EXPECT_FALSE(cursor.next(terminal));
  EXPECT_FALSE(cursor.prev(terminal));
  EXPECT_TRUE(cursor.seek(0));
  EXPECT_FALSE(cursor.seek(1));
}

// Any walk, against an index into the values.
TEST(GrammarCursor, RandomWalks) {
  Random random(1);
  for (int round = 0; round < 2000; ++round) {
    const auto values = stream_of_shape(random, round % kShapes, 1 + random() % 300);
    const Grammar grammar = built(values);
    GrammarCursor cursor(grammar);
    size_t at = 0;
    std::vector<uint64_t> buffer(20);
    for (int step = 0; step < 60; ++step) {
      uint32_t terminal = 0;
      const size_t some = random() % buffer.size();
      switch (random() % 5) {
        case 0:
          at = random() % (values.size() + 1);
          ASSERT_TRUE(cursor.seek(at));
          break;
        case 1: {
          const size_t read = cursor.read(std::span(buffer).first(some));
          ASSERT_EQ(read, std::min(some, values.size() - at));
          for (size_t i = 0; i < read; ++i) ASSERT_EQ(buffer[i], values[at + i]);
          at += read;
          break;
        }
        case 2: {
          const size_t read = cursor.read_back(std::span(buffer).first(some));
          ASSERT_EQ(read, std::min(some, at));
          for (size_t i = 0; i < read; ++i) ASSERT_EQ(buffer[i], values[at - 1 - i]);
          at -= read;
          break;
        }
        case 3:
          for (size_t i = 0; i < some; ++i) {
            ASSERT_EQ(cursor.next(terminal), at < values.size());
            if (at < values.size()) ASSERT_EQ(grammar.value(terminal), values[at++]);
          }
          break;
        default:
          for (size_t i = 0; i < some; ++i) {
            ASSERT_EQ(cursor.prev(terminal), at > 0);
            if (at > 0) ASSERT_EQ(grammar.value(terminal), values[--at]);
          }
          break;
      }
      ASSERT_EQ(cursor.position(), at);
      ASSERT_EQ(cursor.before(grammar.lengths()), at);
      ASSERT_EQ(cursor.at_end(), at == values.size());
      if (!cursor.at_end()) ASSERT_EQ(grammar.value(cursor.terminal()), values[at]);
    }
    EXPECT_FALSE(cursor.seek(values.size() + 1));
    EXPECT_EQ(cursor.position(), at);
  }
}

}  // namespace
}  // namespace vestige::sequitur
