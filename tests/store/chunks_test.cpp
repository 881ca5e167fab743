#include <gtest/gtest.h>

#include "base/squeeze.h"
#include "random_chunks.h"

namespace vestige {
namespace {

using test::RandomChunks;

// Decoding gives what was encoded: encoding that again gives the same bytes. Every prefix and every
// byte flipped decodes to something or fails, and does not crash.
template <class Chunk>
void round_trip(const Chunk& chunk, uint64_t seed) {
  const Bytes bytes = chunk.encode();
  const auto decoded = Chunk::decode(bytes);
  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_EQ(decoded->encode(), bytes);
  for (size_t n = 0; n < bytes.size(); ++n) (void)Chunk::decode({bytes.data(), n});
  std::mt19937_64 random(seed);
  for (int i = 0; i < 50 && !bytes.empty(); ++i) {
    Bytes flipped = bytes;
    flipped[random() % flipped.size()] ^= static_cast<uint8_t>(1 + random() % 255);
    (void)Chunk::decode(flipped);
  }
}

TEST(Chunks, RoundTripOnRandomValues) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    RandomChunks random(seed);
    round_trip(random.meta(), seed);
    round_trip(random.process(), seed);
    round_trip(random.module(), seed);
    round_trip(random.thread(), seed);
    round_trip(random.end(), seed);
    round_trip(random.control(), seed);
    round_trip(random.directory(), seed);
    round_trip(random.sync(), seed);
  }
}

TEST(Chunks, ControlFieldsSurvive) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    RandomChunks random(seed);
    const ControlChunk chunk = random.control();
    const auto decoded = ControlChunk::decode(chunk.encode());
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->thread, chunk.thread);
    EXPECT_EQ(decoded->first_time, chunk.first_time);
    EXPECT_EQ(decoded->path_count, chunk.path_count);
    EXPECT_EQ(decoded->stack, chunk.stack);
    EXPECT_EQ(decoded->events, chunk.events);
    EXPECT_EQ(decoded->codec, chunk.codec);
    EXPECT_EQ(decoded->words, chunk.words);
  }
}

TEST(Chunks, AbsentIndicesAreNotNumbers) {
  ThreadChunk thread;
  thread.parent = kNone;
  EXPECT_EQ(ThreadChunk::decode(thread.encode())->parent, kNone);
  thread.parent = 0;
  EXPECT_EQ(ThreadChunk::decode(thread.encode())->parent, 0u);
  thread.parent = kNone - 1;
  EXPECT_EQ(ThreadChunk::decode(thread.encode())->parent, kNone - 1);
}

TEST(Chunks, RandomBytesNeverCrashDecoders) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20000; ++i) {
    Bytes bytes(random() % 64);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random() >> (random() % 8));
    (void)MetaChunk::decode(bytes);
    (void)ProcessChunk::decode(bytes);
    (void)ModuleChunk::decode(bytes);
    (void)ThreadChunk::decode(bytes);
    (void)EndChunk::decode(bytes);
    (void)ControlChunk::decode(bytes);
    (void)DirectoryChunk::decode(bytes);
    (void)decode_stack(bytes);
    (void)decode_events(bytes);
  }
}

TEST(Squeeze, DeepRecursionStaysCheapAndComesBack) {
  ControlChunk chunk;
  for (uint64_t i = 0; i < 1'000'000; ++i) chunk.stack.frames.push_back({0x10010, 1 + i});
  const Bytes bytes = chunk.encode();
  EXPECT_LT(bytes.size(), 35'000u);
  EXPECT_EQ(ControlChunk::decode(bytes)->stack, chunk.stack);
}

TEST(Squeeze, RefusesToExpandOutOfProportion) {
  ByteWriter bomb;
  bomb.u8(1);
  bomb.varint(kSqueezeLimit);
  bomb.u64(0);
  EXPECT_FALSE(unsqueeze(bomb.buffer(), "test"));
  // What compresses better than the bound is padded, and reads back.
  for (const size_t size : {100u, 66000u, 70000u, 1u << 20, (1u << 24) + 1}) {
    const Bytes zeros(size, 0);
    const Bytes squeezed = squeeze(zeros);
    EXPECT_LT(squeezed.size(), size / kSqueezeRatio + 100);
    const auto back = unsqueeze(squeezed, "test");
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(*back, zeros);
  }
}

}  // namespace
}  // namespace vestige
