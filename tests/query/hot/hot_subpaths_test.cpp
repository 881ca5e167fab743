// Hot subpaths on grammars against the same question asked of the expanded stream.
#include "query/hot/hot_subpaths.h"

#include <gtest/gtest.h>

#include <map>

#include "../../codec/sequitur/streams.h"
#include "codec/sequitur/grammar_builder.h"
#include "hot_subpaths_twin.h"

namespace vestige {
namespace {

using sequitur::GrammarBuilder;
using sequitur::PlainGrammar;
using sequitur::rule_symbol;
using sequitur::Symbol;

void expand(const PlainGrammar& grammar, Symbol symbol, std::vector<uint64_t>& out) {
  if (sequitur::is_terminal(symbol)) {
    out.push_back(grammar.terminals[symbol]);
    return;
  }
  const uint32_t rule = sequitur::rule_of(symbol);
  for (uint32_t place = grammar.begin(rule); place < grammar.ends[rule]; ++place)
    for (uint64_t i = 0; i < grammar.run(place).count; ++i)
      expand(grammar, grammar.run(place).symbol, out);
}

std::vector<const PlainGrammar*> pointers(const std::vector<PlainGrammar>& parts) {
  std::vector<const PlainGrammar*> out;
  for (const PlainGrammar& part : parts) out.push_back(&part);
  return out;
}

// How many were found, so that a test can tell that it tests something.
size_t compare(const std::vector<PlainGrammar>& parts, const Facts& facts,
               const HotSubpathOptions& options) {
  std::vector<uint64_t> stream;
  for (const PlainGrammar& part : parts) expand(part, rule_symbol(part.start()), stream);
  const HotSubpathReport expected = naive_hot_subpaths(stream, facts, options);
  const auto report = find_hot_subpaths(pointers(parts), facts, options);
  EXPECT_TRUE(report) << report.error().message;
  if (!report) return 0;
  EXPECT_EQ(report->length, expected.length);
  EXPECT_EQ(report->weight, expected.weight);
  EXPECT_EQ(report->threshold, expected.threshold);
  EXPECT_EQ(report->found, expected.found);
  EXPECT_EQ(rows(*report), rows(expected)) << testing::PrintToString(stream);
  for (size_t i = 1; i < report->subpaths.size(); ++i)
    EXPECT_GE(report->subpaths[i - 1].cost, report->subpaths[i].cost);
  return expected.found;
}

PlainGrammar built(std::span<const uint64_t> stream) {
  GrammarBuilder builder;
  builder.append(stream);
  return builder.finish();
}

HotSubpathOptions random_options(Random& random, uint32_t longest) {
  HotSubpathOptions options;
  options.max_length = 1 + static_cast<uint32_t>(random() % longest);
  options.min_length = 1 + static_cast<uint32_t>(random() % std::min(options.max_length, 4u));
  options.share = 0.5 / static_cast<double>(1 + random() % 40);
  if (random() % 4 == 0) options.cost = 1 + random() % 60;
  return options;
}

Facts random_facts(Random& random) {
  const uint64_t kind = random() % 4, seed = random();
  return [=](uint64_t value) {
    const uint64_t dice = (value + seed) * 0x9e3779b97f4a7c15 >> 40;
    TerminalFacts facts;
    if (kind == 1) facts.weight = dice % 7;
    if (kind == 2) facts.weight = dice % 5 == 0 ? 100 : 1;
    if (kind == 3) facts = {dice % 4, dice / 16 % 5 == 0};
    return facts;
  };
}

// A grammar that no builder makes: runs of rules within runs, short and long.
PlainGrammar random_grammar(Random& random) {
  PlainGrammar grammar;
  for (uint64_t t = 1 + random() % 4; t > 0; --t) grammar.terminals.push_back(t * 11);
  grammar.ends.clear();
  const uint32_t rules = 1 + static_cast<uint32_t>(random() % 4);
  std::vector<uint64_t> lengths;
  for (uint32_t r = 0; r < rules; ++r) {
    uint64_t length = 0;
    for (uint64_t n = 1 + random() % 4; n > 0; --n) {
      const bool is_rule = r > 0 && random() % 2;
      const auto number =
          static_cast<uint32_t>(random() % (is_rule ? r : grammar.terminals.size()));
      const uint64_t one = is_rule ? lengths[number] : 1;
      const uint64_t count = random() % 2 ? 1 : 2 + random() % 30;
      if (length + one * count > 3000) continue;
      length += one * count;
      const Symbol symbol = is_rule ? rule_symbol(number) : number;
      if (count == 1) {
        grammar.symbols.push_back(symbol);
      } else {
        grammar.symbols.push_back(sequitur::kRunBase + static_cast<Symbol>(grammar.runs.size()));
        grammar.runs.push_back({symbol, count});
      }
    }
    if (length == 0) {
      grammar.symbols.push_back(0);
      length = 1;
    }
    lengths.push_back(length);
    grammar.ends.push_back(static_cast<uint32_t>(grammar.symbols.size()));
  }
  return grammar;
}

TEST(HotSubpaths, RandomStreams) {
  Random random(1);
  size_t found = 0;
  for (int round = 0; round < 4000 && !testing::Test::HasFailure(); ++round) {
    SCOPED_TRACE(round);
    const auto stream = stream_of_shape(random, round % kShapes, random() % 250);
    found += compare({built(stream)}, random_facts(random), random_options(random, 12));
  }
  EXPECT_GT(found, 10'000u);
}

TEST(HotSubpaths, RandomGrammarsWithRuns) {
  Random random(2);
  size_t found = 0;
  for (int round = 0; round < 1500 && !testing::Test::HasFailure(); ++round) {
    SCOPED_TRACE(round);
    found += compare({random_grammar(random)}, random_facts(random), random_options(random, 9));
  }
  EXPECT_GT(found, 2'000u);
}

TEST(HotSubpaths, PartsInARow) {
  Random random(3);
  size_t found = 0;
  for (int round = 0; round < 1000 && !testing::Test::HasFailure(); ++round) {
    SCOPED_TRACE(round);
    const auto stream = stream_of_shape(random, round % kShapes, random() % 200);
    std::vector<PlainGrammar> parts;
    for (size_t at = 0; at < stream.size() || parts.empty();) {
      const size_t n = std::min<size_t>(stream.size() - at, random() % 60);
      parts.push_back(built(std::span(stream).subspan(at, n)));
      at += n;
    }
    found += compare(parts, random_facts(random), random_options(random, 12));
  }
  EXPECT_GT(found, 2'000u);
}

TEST(HotSubpaths, LongOnes) {
  Random random(4);
  size_t found = 0;
  for (int round = 0; round < 20 && !testing::Test::HasFailure(); ++round) {
    SCOPED_TRACE(round);
    const auto stream = repetitive(random, 600, 40, 80, 3);
    HotSubpathOptions options;
    options.min_length = 2;
    options.max_length = 100;
    options.share = 0.02 + static_cast<double>(random() % 10) / 50;
    found += compare({built(stream)}, [](uint64_t) { return TerminalFacts{}; }, options);
  }
  EXPECT_GT(found, 60u);
}

// Runs too long to expand: what is expected follows from their counts.
TEST(HotSubpaths, HugeRuns) {
  constexpr uint64_t kMany = 1'000'000'000'000;
  PlainGrammar grammar;
  grammar.terminals = {7, 8, 9};
  grammar.runs = {{0, kMany}, {rule_symbol(0), kMany}};
  // S → 9 (7 8)^n 9 7^n
  grammar.symbols = {0, 1, 2, sequitur::kRunBase + 1, 2, sequitur::kRunBase};
  grammar.ends = {2, 6};
  const PlainGrammar* parts[] = {&grammar};
  HotSubpathOptions options;
  options.min_length = options.max_length = 5;
  options.cost = 1;
  const auto report = find_hot_subpaths(parts, [](uint64_t) { return TerminalFacts{}; }, options);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->length, 3 * kMany + 2);
  std::map<std::vector<uint64_t>, std::pair<uint64_t, uint64_t>> found;
  for (const HotSubpath& s : report->subpaths) found[s.terminals] = {s.occurrences, s.first};
  using Pair = std::pair<uint64_t, uint64_t>;
  EXPECT_EQ((found[{7, 8, 7, 8, 7}]), Pair(kMany - 2, 1));
  EXPECT_EQ((found[{8, 7, 8, 7, 8}]), Pair(kMany - 2, 2));
  EXPECT_EQ((found[{9, 7, 8, 7, 8}]), Pair(1, 0));
  EXPECT_EQ((found[{7, 7, 7, 7, 7}]), Pair(kMany - 4, 2 * kMany + 2));
  EXPECT_EQ((found[{9, 7, 7, 7, 7}]), Pair(1, 2 * kMany + 1));
  EXPECT_EQ((found[{8, 7, 8, 9, 7}]), Pair(1, 2 * kMany - 2));
  EXPECT_EQ(report->found, 4u + 5u);  // the second 9 is in five
}

TEST(HotSubpaths, TopAndLimits) {
  Random random(5);
  const auto stream = repetitive(random, 3000, 9, 30, 4);
  const std::vector<PlainGrammar> parts = {built(stream)};
  const Facts one = [](uint64_t) { return TerminalFacts{}; };
  HotSubpathOptions options;
  options.min_length = 2;
  options.share = 0.001;
  const auto all = find_hot_subpaths(pointers(parts), one, options);
  ASSERT_TRUE(all);
  ASSERT_GT(all->found, 20u);
  options.top = 5;
  const auto top = find_hot_subpaths(pointers(parts), one, options);
  ASSERT_TRUE(top);
  EXPECT_EQ(top->found, all->found);
  ASSERT_EQ(top->subpaths.size(), 5u);
  for (size_t i = 0; i < 5; ++i) EXPECT_EQ(top->subpaths[i].terminals, all->subpaths[i].terminals);

  const auto refused = [&](ErrorKind kind) {
    const auto report = find_hot_subpaths(pointers(parts), one, options);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().kind, kind) << report.error().message;
  };
  options.most_candidates = 20;
  refused(ErrorKind::unsupported);
  options.most_candidates = 1 << 20;
  options.most_places = 20;
  refused(ErrorKind::unsupported);
  options.most_places = 1 << 20;
  options.share = 0;
  refused(ErrorKind::usage);
  options.share = 0.1;
  options.min_length = 9;
  refused(ErrorKind::usage);
  options.min_length = 0;
  refused(ErrorKind::usage);
  options.min_length = 1;
  options.max_length = 5000;
  refused(ErrorKind::usage);
  options.max_length = 8;
  EXPECT_TRUE(find_hot_subpaths(pointers(parts), one, options));
  const auto heavy = find_hot_subpaths(
      pointers(parts), [](uint64_t) { return TerminalFacts{UINT64_MAX / 2}; }, options);
  ASSERT_FALSE(heavy);
  EXPECT_EQ(heavy.error().kind, ErrorKind::unsupported);
}

TEST(HotSubpaths, NothingAtAll) {
  EXPECT_EQ(compare({}, [](uint64_t) { return TerminalFacts{}; }, {}), 0u);
  EXPECT_EQ(compare({PlainGrammar{}}, [](uint64_t) { return TerminalFacts{}; }, {}), 0u);
}

}  // namespace
}  // namespace vestige
