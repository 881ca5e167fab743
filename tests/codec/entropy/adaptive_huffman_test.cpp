#include "codec/entropy/adaptive_huffman.h"

#include <gtest/gtest.h>

#include <queue>
#include <random>
#include <vector>

namespace vestige::vpc {
namespace {

// What Huffman's construction from scratch needs for these frequencies, in bits.
uint64_t least_cost(const std::vector<uint64_t>& frequencies) {
  std::priority_queue<uint64_t, std::vector<uint64_t>, std::greater<>> nodes(frequencies.begin(),
                                                                             frequencies.end());
  uint64_t cost = 0;
  while (nodes.size() > 1) {
    const uint64_t a = nodes.top();
    nodes.pop();
    const uint64_t b = nodes.top();
    nodes.pop();
    cost += a + b;
    nodes.push(a + b);
  }
  return cost;
}

TEST(AdaptiveHuffman, StaysOptimalAndReadsBackWhatItWrote) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 300; ++round) {
    const unsigned symbols = 2 + random() % (AdaptiveHuffman::kMostSymbols - 1);
    std::vector<uint32_t> start(symbols);
    for (uint32_t& frequency : start) frequency = 1 + random() % (1 << random() % 12);
    std::vector<uint64_t> frequencies(start.begin(), start.end());
    AdaptiveHuffman written(start), read(start);
    std::vector<unsigned> sent;
    BitWriter out;
    const unsigned skew = 1 + random() % 6;
    for (int i = 0; i < 400; ++i) {
      uint64_t cost = 0;
      for (unsigned s = 0; s < symbols; ++s) {
        ASSERT_EQ(written.frequency(s), frequencies[s]);
        cost += written.code_length(s) * frequencies[s];
      }
      ASSERT_EQ(cost, least_cost(frequencies));
      unsigned symbol = symbols - 1;
      for (unsigned k = 0; k < skew; ++k) symbol = std::min<unsigned>(symbol, random() % symbols);
      const uint64_t before = out.bits();
      written.put(symbol, out);
      ASSERT_EQ(out.bits() - before, written.code_length(symbol));
      written.count(symbol);
      ++frequencies[symbol];
      sent.push_back(symbol);
    }
    const Bytes bytes = out.take();
    BitReader in(bytes);
    for (const unsigned symbol : sent) {
      ASSERT_EQ(read.get(in), symbol);
      read.count(symbol);
    }
    EXPECT_TRUE(in.finish());
  }
}

TEST(AdaptiveHuffman, OrderIsByFrequency) {
  std::mt19937_64 random(2);
  std::vector<uint32_t> start(29, 1);
  AdaptiveHuffman codes(start);
  for (int i = 0; i < 5000; ++i) {
    std::vector<unsigned> order;
    codes.each([&](unsigned symbol) { order.push_back(symbol); });
    ASSERT_EQ(order.size(), start.size());
    EXPECT_EQ(codes.most_frequent(), order[0]);
    for (size_t k = 1; k < order.size(); ++k) {
      ASSERT_GE(codes.frequency(order[k - 1]), codes.frequency(order[k]));
    }
    const unsigned wanted = order[random() % order.size()];
    EXPECT_EQ(codes.first(99, [&](unsigned symbol) { return symbol == wanted; }), wanted);
    EXPECT_EQ(codes.first(99, [](unsigned) { return false; }), 99u);
    codes.count(std::min(random() % 29, random() % 29));
  }
}

TEST(AdaptiveHuffman, EqualFrequenciesFavourTheLowerSymbol) {
  const std::vector<uint32_t> start = {3, 5, 5, 1, 5};
  const AdaptiveHuffman codes(start);
  std::vector<unsigned> order;
  codes.each([&](unsigned symbol) { order.push_back(symbol); });
  EXPECT_EQ(order, (std::vector<unsigned>{1, 2, 4, 0, 3}));
}

// Frequencies like Fibonacci numbers make the longest codes: one bit less than there are symbols.
TEST(AdaptiveHuffman, LongestCodes) {
  std::vector<uint32_t> start = {1, 1};
  while (start.size() < 46) start.push_back(start[start.size() - 1] + start[start.size() - 2]);
  AdaptiveHuffman codes(start);
  EXPECT_EQ(codes.code_length(0), 45u);
  BitWriter out;
  for (unsigned s = 0; s < start.size(); ++s) codes.put(s, out);
  const Bytes bytes = out.take();
  BitReader in(bytes);
  for (unsigned s = 0; s < start.size(); ++s) EXPECT_EQ(codes.get(in), s);
  EXPECT_TRUE(in.finish());
}

TEST(BitStream, AnyWidths) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::pair<uint64_t, unsigned>> put;
    BitWriter out;
    uint64_t bits = 0;
    for (uint64_t n = random() % 40; n > 0; --n) {
      const unsigned width = random() % 65;
      put.emplace_back(random(), width);
      out.put(put.back().first, width);
      bits += width;
      EXPECT_EQ(out.bits(), bits);
    }
    const Bytes bytes = out.take();
    EXPECT_EQ(bytes.size(), (bits + 7) / 8);
    EXPECT_EQ(out.bits(), 0u);
    BitReader in(bytes);
    for (const auto& [value, width] : put) {
      if (width == 1)
        EXPECT_EQ(in.bit(), value & 1);
      else
        EXPECT_EQ(in.get(width), value & low_bits(width));
    }
    EXPECT_TRUE(in.finish());
    in.get(8);
    EXPECT_TRUE(in.overrun());
    EXPECT_FALSE(in.finish());
  }
}

TEST(BitStream, UnreadOrNonZeroRestIsNotTheEnd) {
  const Bytes bytes = {0x05, 0x80};
  BitReader in(bytes);
  EXPECT_EQ(in.get(3), 5u);
  EXPECT_FALSE(in.finish());
  in.get(6);
  EXPECT_FALSE(in.finish());
  in.get(7);
  EXPECT_TRUE(in.finish());
}

}  // namespace
}  // namespace vestige::vpc
