#include <gtest/gtest.h>

#include <string_view>

#include "codec/sequitur/grammar_builder.h"
#include "plain.h"
#include "streams.h"

namespace vestige::sequitur {
namespace {

std::vector<uint64_t> letters(std::string_view text) { return {text.begin(), text.end()}; }

PlainGrammar built(const std::vector<uint64_t>& values) {
  GrammarBuilder builder;
  builder.append(values);
  return builder.finish();
}
std::string built(std::string_view text) { return sequitur::text(built(letters(text))); }

// The grammar of every prefix obeys the invariants and expands to it.
void check_prefixes(const std::vector<uint64_t>& values) {
  GrammarBuilder builder;
  for (size_t n = 0; n < values.size(); ++n) {
    builder.append({&values[n], 1});
    const PlainGrammar grammar = builder.so_far();
    ASSERT_EQ(broken_invariant(grammar), "") << "after " << n + 1 << ": " << text(grammar);
    ASSERT_EQ(expand(grammar), std::vector(values.begin(), values.begin() + n + 1));
  }
}
void check_whole(const std::vector<uint64_t>& values) {
  const PlainGrammar grammar = built(values);
  ASSERT_EQ(broken_invariant(grammar), "") << "of " << values.size() << " values";
  ASSERT_EQ(expand(grammar), values);
}

TEST(GrammarBuilder, PaperExample) {
  EXPECT_EQ(built("abca"), "S→abca");
  EXPECT_EQ(built("abcab"), "S→AcA A→ab");
  EXPECT_EQ(built("abcabc"), "S→A^2 A→abc");
}

TEST(GrammarBuilder, NothingAndLittle) {
  EXPECT_EQ(built(""), "S→");
  EXPECT_EQ(built("a"), "S→a");
  EXPECT_EQ(built("ab"), "S→ab");
}

TEST(GrammarBuilder, RunsAreOneSymbol) {
  EXPECT_EQ(built("aa"), "S→a^2");
  EXPECT_EQ(built("aaa"), "S→a^3");
  EXPECT_EQ(built("aaaaaaaaaaaaaaaa"), "S→a^16");
  EXPECT_EQ(built("aaabaaab"), "S→A^2 A→a^3b");
  EXPECT_EQ(built("aaabaab"), "S→a^3ba^2b");  // different runs are different symbols
  EXPECT_EQ(built("xababababy"), "S→xA^4y A→ab");
}

TEST(GrammarBuilder, LongRunsTakeNoRules) {
  GrammarBuilder builder;
  const std::vector<uint64_t> ones(1 << 16, 1), pairs = [] {
    std::vector<uint64_t> out;
    for (int i = 0; i < 1 << 16; ++i) out.push_back(i % 2);
    return out;
  }();
  for (int i = 0; i < 16; ++i) builder.append(ones);
  PlainGrammar grammar = builder.finish();
  EXPECT_EQ(grammar.symbols.size(), 1u);
  EXPECT_EQ(grammar.rules(), 1u);
  EXPECT_EQ(grammar.run(0).count, 1u << 20);
  for (int i = 0; i < 16; ++i) builder.append(pairs);
  grammar = builder.finish();
  EXPECT_EQ(grammar.symbols.size(), 3u);
  EXPECT_EQ(grammar.run(2).count, 1u << 19);
}

TEST(GrammarBuilder, RulesAreReused) {
  EXPECT_EQ(built("abcdbc"), "S→aAdA A→bc");
  EXPECT_EQ(built("abcdbcabcdbc"), "S→A^2 A→aBdB B→bc");
  EXPECT_EQ(built("abxabyabz"), "S→AxAyAz A→ab");
}

// A rule loses its last but one use when a longer one takes its place, at either end.
TEST(GrammarBuilder, RulesUsedOnceAreInlined) {
  EXPECT_EQ(built("abcxabcyabc"), "S→AxAyA A→abc");
  EXPECT_EQ(built("abcdeXabcdYabcde"), "S→AXBYA A→Be B→abcd");
  EXPECT_EQ(built("abcdXcdYabcd"), "S→AXBYA A→abB B→cd");
}

TEST(GrammarBuilder, OverlapsAndTriples) {
  for (const std::string_view text :
       {"aabaaab", "abbbabcbb", "abbbabcbbb", "aaabaaabaaab", "abababab", "abcabcabcabc",
        "aabbaabbaab", "xaaayaaazaaa", "abaababaabaab", "bbebeebebebbebee"})
    check_prefixes(letters(text));
}

TEST(GrammarBuilder, EverySmallString) {
  for (const auto& [alphabet, size] : {std::pair{2, 14}, {3, 9}, {4, 7}}) {
    uint64_t count = 1;
    for (int i = 0; i < size; ++i) count *= static_cast<uint64_t>(alphabet);
    for (uint64_t number = 0; number < count; ++number) {
      std::vector<uint64_t> values;
      for (uint64_t rest = number, i = 0; i < static_cast<uint64_t>(size); ++i) {
        values.push_back('a' + rest % static_cast<uint64_t>(alphabet));
        rest /= static_cast<uint64_t>(alphabet);
      }
      ASSERT_NO_FATAL_FAILURE(check_whole(values));
    }
  }
}

TEST(GrammarBuilder, EveryPrefixOfRandomStreams) {
  Random random(1);
  for (int round = 0; round < 300; ++round) {
    const uint64_t alphabet = 2 + random() % 5;
    ASSERT_NO_FATAL_FAILURE(
        check_prefixes(repetitive(random, random() % 150, alphabet, 1 + random() % 40, 4)));
    ASSERT_NO_FATAL_FAILURE(check_prefixes(stream_of_shape(random, round % kShapes, 100)));
  }
}

TEST(GrammarBuilder, RandomStreams) {
  Random random(2);
  for (int round = 0; round < 20000; ++round)
    ASSERT_NO_FATAL_FAILURE(check_whole(
        repetitive(random, random() % 200, 2 + random() % 5, 1 + random() % 60, 1 + random() % 4)));
  for (int round = 0; round < 60; ++round)  // long ones, which are swept
    ASSERT_NO_FATAL_FAILURE(check_whole(
        repetitive(random, 5000 + random() % 20000, 2 + random() % 30, 1 + random() % 600, 4)));
}

TEST(GrammarBuilder, ManyAppendsAreOne) {
  Random random(3);
  const auto values = control_flow(random, 20000);
  GrammarBuilder builder;
  for (size_t at = 0; at < values.size();) {
    const size_t some = std::min<size_t>(random() % 50, values.size() - at);
    builder.append(std::span(values).subspan(at, some));
    at += some;
  }
  EXPECT_EQ(builder.size(), values.size());
  const PlainGrammar grammar = builder.finish();
  EXPECT_EQ(builder.size(), 0u);
  EXPECT_EQ(grammar.symbols, built(values).symbols);
  EXPECT_EQ(built(values).symbols, built(values).symbols);
}

// 32 bytes for each symbol of the grammar are allowed, half of it is meant.
TEST(GrammarBuilder, MemoryForEachSymbol) {
  Random random(4);
  const auto peak = [](const std::vector<uint64_t>& values) {
    GrammarBuilder builder;
    double peak = 0;
    for (size_t at = 0; at + 1000 <= values.size(); at += 1000) {
      builder.append(std::span(values).subspan(at, 1000));
      if (builder.symbols() > 5000)
        peak = std::max(
            peak, static_cast<double>(builder.bytes()) / static_cast<double>(builder.symbols()));
    }
    EXPECT_GT(peak, 0);
    return peak;
  };
  EXPECT_LE(peak(control_flow(random, 1'000'000)), 20);
  std::vector<uint64_t> few(1'000'000);
  for (uint64_t& value : few) value = random() % 5;
  EXPECT_LE(peak(few), 20);
  EXPECT_LE(peak(stream_of_shape(random, 4, 300'000)), 40);  // each symbol a terminal of its own
}

}  // namespace
}  // namespace vestige::sequitur
