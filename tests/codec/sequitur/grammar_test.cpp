#include "codec/sequitur/grammar.h"

#include <gtest/gtest.h>

#include "codec/sequitur/grammar_builder.h"
#include "codec/sequitur/grammar_cursor.h"
#include "plain.h"
#include "streams.h"

namespace vestige::sequitur {
namespace {

PlainGrammar with(std::vector<Symbol> symbols, std::vector<uint32_t> ends,
                  std::vector<Run> runs = {}) {
  PlainGrammar grammar;
  grammar.terminals = {10, 20, 30};
  grammar.runs = std::move(runs);
  grammar.symbols = std::move(symbols);
  grammar.ends = std::move(ends);
  return grammar;
}

TEST(Grammar, RefusesWhatStandsForNothing) {
  EXPECT_TRUE(Grammar::make(with({0, 1, rule_symbol(0), 2}, {2, 4})).has_value());
  EXPECT_FALSE(Grammar::make(with({0, 3}, {2})).has_value());               // no such terminal
  EXPECT_FALSE(Grammar::make(with({0, rule_symbol(5)}, {2})).has_value());  // no such rule
  EXPECT_FALSE(Grammar::make(with({0, rule_symbol(0)}, {2})).has_value());  // itself
  EXPECT_FALSE(Grammar::make(with({rule_symbol(1), 0, rule_symbol(0), 2}, {2, 4})).has_value());
  EXPECT_FALSE(Grammar::make(with({0, kRunBase}, {2})).has_value());  // no such run
  EXPECT_FALSE(Grammar::make(with({0, kRunBase}, {2}, {{rule_symbol(0), 2}})).has_value());
  EXPECT_FALSE(Grammar::make(with({0, kRunBase}, {2}, {{kRunBase, 2}})).has_value());
  EXPECT_FALSE(Grammar::make(with({0, kHeadBase}, {2})).has_value());
  EXPECT_FALSE(Grammar::make(with({0, 1}, {0, 2})).has_value());  // an empty rule
  EXPECT_FALSE(Grammar::make(with({0, 1}, {1})).has_value());     // a symbol too many
  EXPECT_FALSE(Grammar::make(with({0, 1}, {3})).has_value());
  EXPECT_FALSE(Grammar::make(with({0, 1}, {2, 1})).has_value());
}

// Each rule is the one before twice.
PlainGrammar doubling(uint32_t times, std::vector<Symbol> start) {
  PlainGrammar grammar = with({0, 1}, {2});
  for (uint32_t i = 1; i < times; ++i) {
    grammar.symbols.insert(grammar.symbols.end(), {rule_symbol(i - 1), 2, rule_symbol(i - 1)});
    grammar.ends.push_back(static_cast<uint32_t>(grammar.symbols.size()));
  }
  grammar.symbols.insert(grammar.symbols.end(), start.begin(), start.end());
  grammar.ends.push_back(static_cast<uint32_t>(grammar.symbols.size()));
  return grammar;
}

TEST(Grammar, ExponentialLengthsAreLegalUpToTwoTo64) {
  const auto grammar = Grammar::make(doubling(62, {rule_symbol(61), 0}));
  ASSERT_TRUE(grammar.has_value());
  // l(i) = 2 l(i-1) + 1, l(0) = 2: 3·2^i - 1; and one more.
  EXPECT_EQ(grammar->size(), uint64_t{3} << 61);
  GrammarCursor cursor(*grammar);
  uint32_t terminal = 9;
  ASSERT_TRUE(cursor.seek(grammar->size() - 1));
  EXPECT_EQ(cursor.terminal(), 0u);
  ASSERT_TRUE(cursor.prev(terminal));
  EXPECT_EQ(terminal, 1u);
  ASSERT_TRUE(cursor.seek((uint64_t{3} << 60) - 1));  // the middle of the largest rule
  EXPECT_EQ(cursor.terminal(), 2u);
  EXPECT_EQ(cursor.position(), (uint64_t{3} << 60) - 1);

  EXPECT_FALSE(Grammar::make(doubling(64, {rule_symbol(63), 0})).has_value());
  PlainGrammar runs = with({0, kRunBase}, {2}, {{1, ~uint64_t{0} - 1}});
  EXPECT_TRUE(Grammar::make(runs).has_value());
  runs.runs[0].count = ~uint64_t{0};
  EXPECT_FALSE(Grammar::make(runs).has_value());
}

// A hundred thousand rules deep: nothing recurses.
TEST(Grammar, AnyDepth) {
  constexpr uint32_t kDepth = 100'000;
  PlainGrammar deep = with({0, 1}, {2});
  for (uint32_t i = 1; i < kDepth; ++i) {
    deep.symbols.insert(deep.symbols.end(), {2, rule_symbol(i - 1)});
    deep.ends.push_back(static_cast<uint32_t>(deep.symbols.size()));
  }
  const auto grammar = Grammar::make(std::move(deep));
  ASSERT_TRUE(grammar.has_value());
  EXPECT_EQ(grammar->size(), kDepth + 1u);
  GrammarCursor cursor(*grammar);
  ASSERT_TRUE(cursor.seek(kDepth));
  EXPECT_EQ(cursor.terminal(), 1u);
  EXPECT_EQ(cursor.path().size(), kDepth);
  uint32_t terminal = 0;
  uint64_t count = 0;
  while (cursor.prev(terminal)) ++count;
  EXPECT_EQ(count, kDepth);
}

TEST(Grammar, PartsUnderOneSpine) {
  Random random(1);
  std::vector<PlainGrammar> parts;
  std::vector<uint64_t> all;
  for (int i = 0; i < 5; ++i) {
    const auto values = i == 2 ? std::vector<uint64_t>() : control_flow(random, 500);
    GrammarBuilder builder;
    builder.append(values);
    parts.push_back(builder.finish());
    all.insert(all.end(), values.begin(), values.end());
  }
  const auto grammar = Grammar::make(join(parts));
  ASSERT_TRUE(grammar.has_value());
  EXPECT_EQ(grammar->size(), all.size());
  EXPECT_EQ(expand(grammar->rules()), all);
  EXPECT_EQ(grammar->rules().body(grammar->rules().start()).size(), 4u);  // no empty part
  std::set<uint64_t> values(grammar->rules().terminals.begin(), grammar->rules().terminals.end());
  EXPECT_EQ(values.size(), grammar->rules().terminals.size());
  EXPECT_EQ(Grammar::make(join({}))->size(), 0u);
}

}  // namespace
}  // namespace vestige::sequitur
