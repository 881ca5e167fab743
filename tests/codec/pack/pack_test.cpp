// Packed values and packed bits: exact, small where they should be, safe on any bytes.
#include <gtest/gtest.h>

#include "../stream/shapes.h"
#include "codec/pack/bit_packing.h"
#include "codec/pack/bits.h"
#include "codec/pack/dictionary.h"
#include "codec/pack/values.h"

namespace vestige {
namespace {

void expect_round_trip(const Stream& values, PackGoal goal = PackGoal::size) {
  const Bytes bytes = pack_values(values, goal);
  ByteReader in(bytes);
  const auto back = unpack_values(in, values.size());
  ASSERT_TRUE(back) << back.error().message;
  ASSERT_EQ(*back, values);
  ASSERT_EQ(in.remaining(), 0u);
  if (values.empty()) return;
  ByteReader again(bytes);
  ASSERT_FALSE(unpack_values(again, values.size() - 1));
}

TEST(PackValues, EveryShapeAndSize) {
  Random random(5);
  for (const Shape& shape : shapes()) {
    SCOPED_TRACE(shape.name);
    for (const size_t size : {0, 1, 2, 3, 7, 8, 9, 63, 255, 256, 257, 1000, 5000}) {
      const Stream values = shape.make(random, size);
      ASSERT_NO_FATAL_FAILURE(expect_round_trip(values));
      ASSERT_NO_FATAL_FAILURE(expect_round_trip(values, PackGoal::speed));
    }
  }
}

TEST(PackValues, ManySmallLists) {
  Random random(6);
  for (int i = 0; i < 100'000; ++i) {
    const Shape& shape = shapes()[random() % shapes().size()];
    ASSERT_NO_FATAL_FAILURE(expect_round_trip(shape.make(random, random() % 20)));
  }
}

TEST(PackValues, SmallWhereThereIsNothingToSay) {
  EXPECT_LE(pack_values(Stream(100'000, 0x7fff12345678)).size(), 12u);
  EXPECT_LE(pack_values(Stream{1, 2, 3}).size(), 5u);
  EXPECT_EQ(pack_values(Stream{}).size(), 1u);
  Stream strided(100'000);
  for (size_t i = 0; i < strided.size(); ++i) strided[i] = 0x7fff00000000 + i * 48;
  EXPECT_LE(pack_values(strided).size(), 1200u);
}

TEST(PackValues, NeverMuchLargerThanTheValues) {
  Random random(7);
  const Stream values = shapes()[3].make(random, 10'000);
  EXPECT_LE(pack_values(values).size(), values.size() * 8 + 16);
}

TEST(PackValues, AnyBytesAreSafe) {
  Random random(8);
  for (int i = 0; i < 10'000; ++i) {
    const Shape& shape = shapes()[random() % shapes().size()];
    Bytes bytes = pack_values(shape.make(random, random() % 600));
    for (uint64_t hits = 1 + random() % 3; hits > 0; --hits)
      bytes[random() % bytes.size()] = static_cast<uint8_t>(random());
    if (random() % 4 == 0) bytes.resize(random() % bytes.size() + 1);
    ByteReader in(bytes);
    const auto back = unpack_values(in, 1000);
    if (back) ASSERT_LE(back->size(), 1000u);
  }
}

TEST(PackValues, ManyValuesInFewBytesAreRefused) {
  ByteWriter out;
  out.varint(uint64_t{1} << 60);
  out.u8(4);  // plain, uniform
  out.u8(0);
  out.varint(0);
  ByteReader in(out.buffer());
  EXPECT_FALSE(unpack_values(in, 1 << 20));
}

TEST(BitPacking, EveryWidth) {
  Random random(9);
  for (unsigned width = 0; width <= 64; ++width)
    for (const size_t size : {1, 5, 8, 9, 64, 100, 257}) {
      const uint64_t base = random();
      Stream values(size);
      for (uint64_t& value : values) value = base + (width == 0 ? 0 : random() >> (64 - width));
      Bytes bytes;
      pack_bits_of_width(values, base, width, bytes);
      ASSERT_EQ(bytes.size(), packed_bytes(size, width));
      Stream back(size);
      unpack_bits_of_width(bytes, base, width, back);
      ASSERT_EQ(back, values) << width;
    }
}

TEST(Dictionary, DistinctAndIndices) {
  Random random(10);
  for (const Shape& shape : shapes()) {
    const Stream values = shape.make(random, 3000);
    const Stream sorted = distinct_values(values);
    ASSERT_TRUE(std::ranges::is_sorted(sorted));
    ASSERT_TRUE(std::ranges::adjacent_find(sorted) == sorted.end());
    const Stream indices = dictionary_indices(values, sorted);
    for (size_t i = 0; i < values.size(); ++i) ASSERT_EQ(sorted[indices[i]], values[i]);
  }
}

std::vector<uint64_t> random_bits(Random& random, size_t bits) {
  std::vector<uint64_t> words(words_for_bits(bits));
  const uint64_t density = random() % 9;  // 0: none … 8: all
  const uint64_t run = 1 + random() % 200;
  bool value = false;
  for (size_t i = 0; i < bits; ++i) {
    if (density == 4) {
      if (random() % run == 0) value = !value;
    } else {
      value = random() % 8 < density;
    }
    words[i / 64] |= uint64_t{value} << i % 64;
  }
  return words;
}

TEST(PackBits, EveryDensityAndSize) {
  Random random(11);
  for (int i = 0; i < 30'000; ++i) {
    const size_t bits = random() % 50 == 0 ? random() % 5000 : random() % 200;
    const auto words = random_bits(random, bits);
    ByteWriter out;
    pack_bits(words, bits, out);
    ASSERT_LE(out.size(), bits / 8 + 2);
    ByteReader in(out.buffer());
    const auto back = unpack_bits(in, bits);
    ASSERT_TRUE(back) << back.error().message;
    ASSERT_EQ(*back, words);
    ASSERT_EQ(in.remaining(), 0u);
    if (bits == 0) continue;
    Bytes damaged = out.take();
    damaged[random() % damaged.size()] = static_cast<uint8_t>(random());
    ByteReader bad(damaged);
    (void)unpack_bits(bad, bits);
  }
}

}  // namespace
}  // namespace vestige
