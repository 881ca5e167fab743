#include "codec/sequitur/annotate.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "codec/sequitur/grammar_builder.h"
#include "codec/sequitur/grammar_cursor.h"
#include "codec/sequitur/uses.h"
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

// Net and least call depth, combined from the bottom up.
struct Depth {
  int64_t net = 0, least = 0;
  bool operator==(const Depth&) const = default;
};

TEST(Annotate, CallDepthOfEveryRule) {
  Random random(3);
  for (int round = 0; round < 200; ++round) {
    const auto values = round % 2 ? control_flow(random, 400) : repetitive(random, 300, 3, 40, 5);
    const auto step = [&](uint64_t value) -> int64_t {
      if (round % 2) return value >> 30 == 1 ? 1 : value >> 31 == 1 ? -1 : 0;
      return static_cast<int64_t>(value) - 1;
    };
    const Grammar grammar = built(values);
    const auto depths = annotate<Depth>(
        grammar.rules(),
        [&](uint32_t t) {
          const int64_t net = step(grammar.value(t));
          return Depth{net, std::min<int64_t>(net, 0)};
        },
        [](const Depth& a, const Depth& b) {
          return Depth{a.net + b.net, std::min(a.least, a.net + b.least)};
        });
    ASSERT_EQ(depths.size(), grammar.rules().rules());
    Depth plain;
    for (const uint64_t value : values) {
      plain.net += step(value);
      plain.least = std::min(plain.least, plain.net);
    }
    ASSERT_EQ(depths.back(), plain);
  }
}

// The order matters: what is combined is what the rule expands to.
TEST(Annotate, RunsInOrder) {
  Random random(4);
  for (int round = 0; round < 500; ++round) {
    const auto values = stream_of_shape(random, round % kShapes, 1 + random() % 60);
    const Grammar grammar = built(values);
    const auto texts = annotate<std::vector<uint64_t>>(
        grammar.rules(), [&](uint32_t t) { return std::vector<uint64_t>{grammar.value(t)}; },
        [](std::vector<uint64_t> a, const std::vector<uint64_t>& b) {
          a.insert(a.end(), b.begin(), b.end());
          return a;
        });
    ASSERT_EQ(texts.back(), values);
  }
}

TEST(Uses, OfEverySymbol) {
  Random random(5);
  for (int round = 0; round < 200; ++round) {
    const Grammar grammar = built(stream_of_shape(random, round % kShapes, 1 + random() % 300));
    const PlainGrammar& rules = grammar.rules();
    const Uses uses(rules);
    size_t all = 0;
    const auto check = [&](Symbol symbol) {
      for (const uint32_t place : uses.of(symbol)) {
        ASSERT_EQ(rules.run(place).symbol, symbol);
        const uint32_t rule = uses.rule_around(place);
        ASSERT_TRUE(rules.begin(rule) <= place && place < rules.ends[rule]);
      }
      ASSERT_TRUE(std::is_sorted(uses.of(symbol).begin(), uses.of(symbol).end()));
      all += uses.of(symbol).size();
    };
    for (uint32_t t = 0; t < rules.terminals.size(); ++t) check(t);
    for (uint32_t rule = 0; rule < rules.rules(); ++rule) check(rule_symbol(rule));
    ASSERT_EQ(all, rules.symbols.size());
    EXPECT_TRUE(uses.of(rule_symbol(rules.start())).empty());
  }
}

}  // namespace
}  // namespace vestige::sequitur
