#include "codec/sequitur/rule_sums.h"

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

// Figure 2 of the parallel-executions paper: thread 1 runs 1 2 3 4 5 3 4 6, where 3 locks and 4
// unlocks; S→1 2 A 5 A 6, A→3 4.
TEST(RuleSums, SynchronizationsOfThePaper) {
  const Grammar grammar = built({1, 2, 3, 4, 5, 3, 4, 6});
  const PlainGrammar& rules = grammar.rules();
  ASSERT_EQ(rules.rules(), 2u);
  const RuleSums syncs(
      rules, [&](uint32_t t) { return grammar.value(t) == 3 || grammar.value(t) == 4 ? 1 : 0; });
  EXPECT_EQ(syncs.total(), 4u);
  EXPECT_EQ(syncs.of_rule(0), 2u);
  // The counts on edges: 2 before the second A of S, 1 before the 4 of A.
  EXPECT_EQ(syncs.before(rules.begin(1), rules.begin(1) + 4), 2u);
  EXPECT_EQ(syncs.before(rules.begin(0), rules.begin(0) + 1), 1u);
  GrammarCursor cursor(grammar);
  const uint64_t positions[] = {2, 3, 5, 6};
  for (uint64_t m = 0; m < 4; ++m) {
    EXPECT_EQ(cursor.seek(syncs, m), 0u);
    EXPECT_EQ(cursor.position(), positions[m]);
    EXPECT_EQ(cursor.path().size(), 2u);  // S, then A
    EXPECT_EQ(cursor.before(syncs), m);
  }
}

TEST(RuleSums, FindsByAnySum) {
  Random random(1);
  for (int round = 0; round < 1000; ++round) {
    const auto values = stream_of_shape(random, round % kShapes, 1 + random() % 300);
    const Grammar grammar = built(values);
    const auto weight = [](uint64_t value) { return value % 3 == 0 ? 0 : value % 5; };
    const RuleSums sums(grammar.rules(), [&](uint32_t t) { return weight(grammar.value(t)); });
    GrammarCursor cursor(grammar);
    uint64_t before = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      const uint64_t here = weight(values[i]);
      if (here > 0 && random() % 8 == 0) {
        const uint64_t inside = random() % here;
        ASSERT_EQ(cursor.seek(sums, before + inside), inside);
        ASSERT_EQ(cursor.position(), i);
        ASSERT_EQ(cursor.before(sums), before);
      }
      before += here;
    }
    ASSERT_EQ(sums.total(), before);
  }
}

// Bodies long enough for samples, at every offset to them.
TEST(RuleSums, LongBodies) {
  Random random(2);
  PlainGrammar plain;
  plain.terminals = {0, 1, 2, 3, 4, 5, 6};
  plain.ends.clear();
  std::vector<uint64_t> values;
  for (uint32_t size = 1; size < 100; ++size) {
    for (uint32_t i = 0; i < size; ++i) plain.symbols.push_back(random() % 7);
    plain.ends.push_back(static_cast<uint32_t>(plain.symbols.size()));
  }
  for (uint32_t rule = 0; rule < 99; ++rule) plain.symbols.push_back(rule_symbol(rule));
  plain.ends.push_back(static_cast<uint32_t>(plain.symbols.size()));
  const auto grammar = Grammar::make(std::move(plain));
  ASSERT_TRUE(grammar.has_value());
  values = expand(grammar->rules());
  GrammarCursor cursor(*grammar);
  for (size_t i = 0; i < values.size(); ++i) {
    ASSERT_TRUE(cursor.seek(i));
    ASSERT_EQ(grammar->value(cursor.terminal()), values[i]);
    ASSERT_EQ(cursor.position(), i);
    ASSERT_EQ(cursor.before(grammar->lengths()), i);
  }
}

}  // namespace
}  // namespace vestige::sequitur
