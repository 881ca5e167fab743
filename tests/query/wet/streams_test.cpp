// The streams of a stored whole execution trace against plain lists: words as nodes, and value
// groups, read forwards, backwards and anywhere.
#include <gtest/gtest.h>

#include <random>

#include "codec/groups/group_bytes.h"
#include "codec/word/nodes/node_words.h"

namespace vestige {
namespace {

// Runs, repetitions and noise.
std::vector<uint32_t> random_words(std::mt19937_64& random, size_t count) {
  std::vector<uint32_t> words;
  const uint32_t kinds = 1 + static_cast<uint32_t>(random() % 40);
  while (words.size() < count) {
    const uint32_t word = 65536 + static_cast<uint32_t>(random() % kinds) * 7;
    const size_t times = random() % 4 == 0 ? 1 + random() % 300 : 1;
    words.insert(words.end(), times, word);
  }
  words.resize(count);
  return words;
}

TEST(NodeWords, AreTheWordsFromAnywhere) {
  std::mt19937_64 random(1);
  for (const size_t count :
       {size_t{0}, size_t{1}, size_t{1000}, size_t{kWordBlock}, size_t{3 * kWordBlock + 77}}) {
    const std::vector<uint32_t> words = random_words(random, count);
    const auto encoder = make_word_encoder(WordCodec::nodes);
    for (size_t at = 0; at < count;) {
      const size_t some = std::min<size_t>(count - at, 1 + random() % 10000);
      encoder->append(std::span(words).subspan(at, some));
      at += some;
    }
    EXPECT_EQ(encoder->size(), count);
    const Bytes bytes = encoder->finish();
    auto cursor = WordCursor::open(WordCodec::nodes, bytes);
    ASSERT_TRUE(cursor) << cursor.error().message;
    ASSERT_EQ(cursor->size(), count);
    uint32_t word = 0;
    for (size_t i = 0; i < count; ++i) ASSERT_TRUE(cursor->next(word) && word == words[i]) << i;
    EXPECT_FALSE(cursor->next(word));
    for (size_t i = count; i-- > 0;) ASSERT_TRUE(cursor->prev(word) && word == words[i]) << i;
    EXPECT_FALSE(cursor->prev(word));
    for (int k = 0; k < 20 && count > 0; ++k) {
      uint64_t place = random() % (count + 1);
      ASSERT_TRUE(cursor->seek(place));
      for (int step = 0; step < 50; ++step) {
        if (random() % 2 == 0) {
          ASSERT_EQ(cursor->next(word), place < count);
          if (place < count) ASSERT_EQ(word, words[place++]);
        } else {
          ASSERT_EQ(cursor->prev(word), place > 0);
          if (place > 0) ASSERT_EQ(word, words[--place]);
        }
      }
    }
  }
}

TEST(NodeWords, SurviveAnyBytes) {
  std::mt19937_64 random(2);
  const auto encoder = make_word_encoder(WordCodec::nodes);
  encoder->append(random_words(random, 5000));
  const Bytes good = encoder->finish();
  for (int i = 0; i < 3000; ++i) {
    Bytes bytes = good;
    for (uint64_t k = 1 + random() % 4; k > 0; --k)
      bytes[random() % bytes.size()] = static_cast<uint8_t>(random());
    if (random() % 4 == 0) bytes.resize(random() % bytes.size());
    auto cursor = WordCursor::open(WordCodec::nodes, bytes);
    if (!cursor) continue;
    uint32_t word = 0;
    for (int k = 0; k < 6000 && cursor->next(word); ++k) {
    }
    for (int k = 0; k < 6000 && cursor->prev(word); ++k) {
    }
  }
}

TEST(GroupBytes, AreTheRowsFromAnywhere) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 60; ++round) {
    const size_t columns = 1 + random() % 6, count = 1 + random() % 3000;
    const uint64_t kinds = round % 3 == 0 ? 1 : 1 + random() % (round % 3 == 1 ? 20 : 100000);
    ValueGroupEncoder encoder(columns);
    std::vector<std::vector<uint64_t>> rows;
    for (size_t i = 0; i < count; ++i) {
      const uint64_t seed = random() % kinds;
      std::vector<uint64_t> row(columns);
      for (size_t c = 0; c < columns; ++c)
        row[c] = c % 3 == 2 ? row[c - 1] : c % 4 == 3 ? 17 : seed * (c + 5) % 1013;
      encoder.append(row);
      rows.push_back(std::move(row));
    }
    ByteWriter out;
    write_group(encoder, out);
    const Bytes bytes = out.take();
    ByteReader in(bytes);
    auto group = GroupCursor::open(in, count, columns);
    ASSERT_TRUE(group) << group.error().message;
    EXPECT_EQ(in.remaining(), 0u);
    for (size_t c = 0; c < columns; ++c) ASSERT_TRUE(group->need(c));
    const auto check = [&](uint64_t row) {
      const auto combination = group->combination(row);
      ASSERT_TRUE(combination) << combination.error().message;
      for (size_t c = 0; c < columns; ++c) ASSERT_EQ(group->at(*combination, c), rows[row][c]);
    };
    for (size_t i = 0; i < count; ++i) check(i);
    for (size_t i = count; i-- > 0;) check(i);
    for (int k = 0; k < 100; ++k) check(random() % count);
    EXPECT_FALSE(group->combination(count));
  }
}

TEST(GroupBytes, SurviveAnyBytes) {
  std::mt19937_64 random(4);
  ValueGroupEncoder encoder(3);
  for (uint64_t i = 0; i < 2000; ++i) {
    const uint64_t row[] = {i % 50, i % 50 * 3, i % 50 + 1};
    encoder.append(row);
  }
  ByteWriter out;
  write_group(encoder, out);
  const Bytes good = out.take();
  for (int i = 0; i < 3000; ++i) {
    Bytes bytes = good;
    for (uint64_t k = 1 + random() % 4; k > 0; --k)
      bytes[random() % bytes.size()] = static_cast<uint8_t>(random());
    if (random() % 4 == 0) bytes.resize(random() % bytes.size());
    ByteReader in(bytes);
    auto group = GroupCursor::open(in, 2000, 3);
    if (!group) continue;
    bool all = true;
    for (size_t c = 0; c < 3; ++c) all = all && group->need(c).has_value();
    for (uint64_t row = 0; all && row < 2000; ++row) {
      const auto combination = group->combination(row);
      if (!combination) break;
      for (size_t c = 0; c < 3; ++c) (void)group->at(*combination, c);
    }
  }
}

}  // namespace
}  // namespace vestige
