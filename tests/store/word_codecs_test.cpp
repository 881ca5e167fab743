#include <gtest/gtest.h>

#include <random>

#include "codec/word_codec.h"

namespace vestige {
namespace {

std::vector<uint32_t> some_words(size_t count, uint32_t distinct, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<uint32_t> alphabet(distinct);
  for (uint32_t& word : alphabet) word = static_cast<uint32_t>(random() >> (random() % 32));
  std::vector<uint32_t> words;
  while (words.size() < count) {  // runs, as loops make them
    const uint32_t word = alphabet[random() % distinct];
    for (uint64_t n = 1 + random() % 20; n > 0 && words.size() < count; --n) words.push_back(word);
  }
  return words;
}

Bytes encode(const std::vector<uint32_t>& words, WordCodec codec, uint64_t seed) {
  std::mt19937_64 random(seed);
  auto encoder = make_word_encoder(codec);
  for (size_t at = 0; at < words.size();) {  // in uneven pieces
    const size_t n = std::min<size_t>(words.size() - at, 1 + random() % 50000);
    encoder->append({words.data() + at, n});
    at += n;
  }
  EXPECT_EQ(encoder->size(), words.size());
  const Bytes bytes = encoder->finish();
  EXPECT_EQ(encoder->size(), 0u);
  return bytes;
}

class WordCodecs : public testing::TestWithParam<WordCodec> {};

TEST_P(WordCodecs, ForwardsBackwardsAndSeek) {
  std::mt19937_64 random(3);
  for (const size_t count :
       {size_t{0}, size_t{1}, size_t{1000}, size_t{kWordBlock} - 1, size_t{kWordBlock},
        size_t{kWordBlock} + 1, 3 * size_t{kWordBlock} + 77}) {
    for (const uint32_t distinct : {1u, 2u, 3u, 5u, 17u, 300u, 70000u}) {
      const auto words = some_words(count, distinct, count * 31 + distinct);
      const Bytes bytes = encode(words, GetParam(), count);
      auto cursor = WordCursor::open(GetParam(), bytes);
      ASSERT_TRUE(cursor) << cursor.error().message;
      ASSERT_EQ(cursor->size(), words.size());
      uint32_t word = 0;
      for (size_t i = 0; i < words.size(); ++i) {
        ASSERT_TRUE(cursor->next(word));
        ASSERT_EQ(word, words[i]);
      }
      EXPECT_FALSE(cursor->next(word));
      EXPECT_EQ(cursor->position(), words.size());
      for (size_t i = words.size(); i-- > 0;) {
        ASSERT_TRUE(cursor->prev(word));
        ASSERT_EQ(word, words[i]);
      }
      EXPECT_FALSE(cursor->prev(word));
      EXPECT_EQ(cursor->error(), nullptr);
      for (int i = 0; i < 200 && count > 0; ++i) {
        const uint64_t to = random() % (count + 1);
        ASSERT_TRUE(cursor->seek(to));
        ASSERT_EQ(cursor->position(), to);
        if (random() % 2) {
          ASSERT_EQ(cursor->next(word), to < count);
          if (to < count) ASSERT_EQ(word, words[to]);
        } else {
          ASSERT_EQ(cursor->prev(word), to > 0);
          if (to > 0) ASSERT_EQ(word, words[to - 1]);
        }
      }
      EXPECT_FALSE(cursor->seek(count + 1));
    }
  }
}

// Long runs come as runs, or word by word, or with what is around them: the bytes are the same.
TEST_P(WordCodecs, LongRunsAreWhatTheyAre) {
  std::mt19937_64 random(5);
  struct Run {
    uint32_t word;
    size_t count;
  };
  std::vector<Run> runs;
  std::vector<uint32_t> words;
  while (words.size() < 3 * size_t{kWordBlock}) {
    const uint64_t most = random() % 3 == 0 ? 50000 : random() % 2 == 0 ? 200 : 6;
    runs.push_back({static_cast<uint32_t>(random() % 4), 1 + random() % most});
    words.insert(words.end(), runs.back().count, runs.back().word);
  }
  auto by_runs = make_word_encoder(GetParam());
  for (const Run& run : runs) by_runs->append(std::vector<uint32_t>(run.count, run.word));
  auto by_words = make_word_encoder(GetParam());
  for (const uint32_t& word : words) by_words->append({&word, 1});
  EXPECT_EQ(by_runs->size(), by_words->size());
  const Bytes bytes = by_runs->finish();
  EXPECT_EQ(bytes, by_words->finish());
  EXPECT_EQ(bytes, encode(words, GetParam(), 7));
  auto cursor = WordCursor::open(GetParam(), bytes);
  ASSERT_TRUE(cursor);
  uint32_t word = 0;
  for (const uint32_t expected : words) {
    ASSERT_TRUE(cursor->next(word));
    ASSERT_EQ(word, expected);
  }
  EXPECT_FALSE(cursor->next(word));
}

TEST_P(WordCodecs, AnEncoderStartsOverAfterFinish) {
  auto encoder = make_word_encoder(GetParam());
  for (int round = 0; round < 3; ++round) {
    const auto words = some_words(200000, 900, round);
    encoder->append(words);
    const Bytes bytes = encoder->finish();
    auto cursor = WordCursor::open(GetParam(), bytes);
    ASSERT_TRUE(cursor);
    ASSERT_EQ(cursor->size(), words.size());
    uint32_t word = 0;
    for (const uint32_t expected : words) {
      ASSERT_TRUE(cursor->next(word));
      ASSERT_EQ(word, expected);
    }
  }
}

TEST_P(WordCodecs, SurvivesAnyBytes) {
  std::mt19937_64 random(11);
  const Bytes good = encode(some_words(300000, 400, 1), GetParam(), 1);
  for (int i = 0; i < 3000; ++i) {
    Bytes bytes = good;
    if (i % 3 == 0) bytes.resize(random() % bytes.size());
    for (uint64_t n = 1 + random() % 4; n > 0 && !bytes.empty(); --n)
      bytes[random() % (i % 2 ? bytes.size() : std::min<size_t>(bytes.size(), 64))] =
          static_cast<uint8_t>(random());
    auto cursor = WordCursor::open(GetParam(), bytes);
    if (!cursor) continue;
    uint32_t word = 0;
    for (const uint64_t at : {uint64_t{0}, cursor->size() / 2, cursor->size()}) {
      if (!cursor->seek(at)) continue;
      (void)cursor->next(word);
      (void)cursor->prev(word);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, WordCodecs, testing::Values(WordCodec::packed, WordCodec::context));

TEST(WordCodec, UnknownCodecIsSaidSo) {
  const auto cursor = WordCursor::open(static_cast<WordCodec>(99), {});
  ASSERT_FALSE(cursor);
  EXPECT_EQ(cursor.error().kind, ErrorKind::unsupported);
}

TEST(WordCodec, ADamagedBlockLeavesTheOthersReadable) {
  const auto words = some_words(3 * size_t{kWordBlock}, 400, 5);
  Bytes bytes = encode(words, WordCodec::packed, 5);
  for (size_t i = bytes.size() - 200; i < bytes.size(); ++i) bytes[i] = 0xff;  // in the last block
  auto cursor = WordCursor::open(WordCodec::packed, bytes);
  ASSERT_TRUE(cursor);
  uint32_t word = 0;
  EXPECT_FALSE(cursor->seek(2 * size_t{kWordBlock} + 5));
  ASSERT_NE(cursor->error(), nullptr);
  ASSERT_TRUE(cursor->seek(kWordBlock + 5));
  EXPECT_EQ(cursor->error(), nullptr);
  ASSERT_TRUE(cursor->next(word));
  EXPECT_EQ(word, words[kWordBlock + 5]);
}

}  // namespace
}  // namespace vestige
