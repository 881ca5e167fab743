#include "codec/sequitur/grammar_bytes.h"

#include <gtest/gtest.h>

#include "codec/sequitur/grammar.h"
#include "codec/sequitur/grammar_builder.h"
#include "plain.h"
#include "streams.h"

namespace vestige::sequitur {
namespace {

PlainGrammar built(const std::vector<uint64_t>& values) {
  GrammarBuilder builder;
  builder.append(values);
  return builder.finish();
}

TEST(GrammarBytes, SameGrammarBack) {
  Random random(1);
  for (int round = 0; round < 3000; ++round) {
    const auto values = stream_of_shape(random, round % kShapes, random() % 400);
    const PlainGrammar grammar = built(values);
    const auto back = decode_grammar(encode_grammar(grammar));
    ASSERT_TRUE(back.has_value()) << back.error().message;
    EXPECT_EQ(back->symbols.size(), grammar.symbols.size());
    EXPECT_EQ(back->rules(), grammar.rules());
    EXPECT_EQ(back->runs.size(), grammar.runs.size());
    EXPECT_EQ(broken_invariant(*back), "");
    ASSERT_EQ(expand(*back), values);
  }
}

TEST(GrammarBytes, LongStreams) {
  Random random(2);
  for (unsigned shape = 0; shape < kShapes; ++shape) {
    const auto values = stream_of_shape(random, shape, 60000);
    const auto back = decode_grammar(encode_grammar(built(values)));
    ASSERT_TRUE(back.has_value());
    EXPECT_EQ(expand(*back), values);
  }
}

TEST(GrammarBytes, LittleForLittle) {
  EXPECT_EQ(encode_grammar(built({})).size(), 1u);
  EXPECT_LE(encode_grammar(built({7})).size(), 6u);
  EXPECT_LE(encode_grammar(built(std::vector<uint64_t>(100000, 7))).size(), 10u);
}

// A grammar written by someone else: not as the builder would make it.
TEST(GrammarBytes, AnyGrammar) {
  PlainGrammar grammar;
  grammar.terminals = {5, ~uint64_t{0}, 1};
  grammar.runs = {{1, 3}, {rule_symbol(0), ~uint64_t{0} >> 8}, {rule_symbol(0), 2}};
  grammar.symbols = {0, 0,           kRunBase, kRunBase | 2, 2, kRunBase | 2, rule_symbol(1),
                     0, kRunBase | 1};
  grammar.ends = {3, 6, 9};
  const auto back = decode_grammar(encode_grammar(grammar));
  ASSERT_TRUE(back.has_value());
  const auto read = Grammar::make(*back), plain = Grammar::make(grammar);
  ASSERT_TRUE(read.has_value() && plain.has_value());
  EXPECT_EQ(read->size(), plain->size());
  EXPECT_EQ(back->symbols.size(), grammar.symbols.size());
}

TEST(GrammarBytes, DamageIsNoCrash) {
  Random random(3);
  for (int round = 0; round < 20000; ++round) {
    Bytes bytes = encode_grammar(built(stream_of_shape(random, round % kShapes, random() % 60)));
    for (uint64_t flips = 1 + random() % 3; flips > 0; --flips)
      bytes[random() % bytes.size()] ^= static_cast<uint8_t>(1u << random() % 8);
    if (random() % 4 == 0) bytes.resize(random() % bytes.size());
    if (auto grammar = decode_grammar(bytes)) (void)Grammar::make(std::move(*grammar));
  }
}

TEST(GrammarBytes, SymbolsAreBoundedByBytes) {
  ByteWriter out;
  out.varint(1 << 20);
  for (int i = 0; i < 100; ++i) out.u8(0);
  EXPECT_FALSE(decode_grammar(out.buffer()).has_value());
  EXPECT_FALSE(decode_grammar({}).has_value());
  // Each value a new terminal one more than the last: hardly a bit each, but the bytes are there.
  std::vector<uint64_t> values(100000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = i;
  const Bytes bytes = encode_grammar(built(values));
  EXPECT_GE(bytes.size() * kSymbolsPerByte, values.size());
  const auto back = decode_grammar(bytes);
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(expand(*back), values);
}

}  // namespace
}  // namespace vestige::sequitur
