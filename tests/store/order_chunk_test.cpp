// Chunks of the order of accesses: what goes in comes out, and no bytes do any harm.
#include "store/order_chunk.h"

#include <gtest/gtest.h>

#include <random>

namespace vestige {
namespace {

OrderChunk random_chunk(std::mt19937_64& random, size_t rows) {
  OrderChunk chunk;
  chunk.thread = static_cast<uint32_t>(random() % 9);
  uint64_t time = 0;
  for (size_t i = 0; i < rows; ++i) {
    time += random() % 3 == 0 ? random() >> (random() % 20 + 30) : 0;
    chunk.rows.push_back({time, static_cast<uint32_t>(random() % 500),
                          static_cast<uint32_t>(random() % 9), random() >> (random() % 60),
                          static_cast<uint32_t>(random() >> 32)});
  }
  return chunk;
}

TEST(OrderChunk, RoundTrip) {
  std::mt19937_64 random(1);
  for (const size_t rows : {0, 1, 2, 100, 5000}) {
    const OrderChunk chunk = random_chunk(random, rows);
    const Bytes bytes = chunk.encode();
    const auto back = OrderChunk::decode(bytes);
    ASSERT_TRUE(back);
    EXPECT_EQ(back->thread, chunk.thread);
    EXPECT_EQ(back->rows, chunk.rows);
    EXPECT_EQ(OrderChunk::thread_of(bytes).value(), chunk.thread);
  }
}

TEST(OrderChunk, ShortBytesAreErrors) {
  std::mt19937_64 random(2);
  const Bytes bytes = random_chunk(random, 200).encode();
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(OrderChunk::decode(ByteView(bytes).first(size)));
}

TEST(OrderChunk, SpoiltBytesAreErrorsOrOtherRows) {
  std::mt19937_64 random(3);
  const OrderChunk chunk = random_chunk(random, 300);
  for (int round = 0; round < 3000; ++round) {
    Bytes bytes = chunk.encode();
    for (uint64_t n = 1 + random() % 4; n != 0; --n)
      bytes[random() % bytes.size()] = static_cast<uint8_t>(random());
    // Bounded by what is there, whatever the bytes say.
    if (const auto decoded = OrderChunk::decode(bytes))
      EXPECT_LT(decoded->rows.size(), size_t{1} << 20);
  }
  Bytes hostile = {0};  // thread 0, 2^40 rows, and nothing behind
  for (const uint8_t byte : {0x80, 0x80, 0x80, 0x80, 0x80, 0x20, 0x00}) hostile.push_back(byte);
  EXPECT_FALSE(OrderChunk::decode(hostile));
}

}  // namespace
}  // namespace vestige
