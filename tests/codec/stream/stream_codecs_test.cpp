// Every stream codec against the plain sequence: forwards, backwards, by jumps and by walks.
#include <gtest/gtest.h>

#include <algorithm>

#include "codec/stream_codec.h"
#include "shapes.h"

namespace vestige {
namespace {

std::string test_name(const testing::TestParamInfo<StreamCodec>& info) {
  std::string name(name_of(info.param));
  std::ranges::replace(name, '-', '_');
  return name;
}

class StreamCodecs : public testing::TestWithParam<StreamCodec> {
 protected:
  StreamCodecs() : encoder_(make_stream_encoder(GetParam())) {}

  Bytes encode(const Stream& values) {
    encoder_->append(values);
    EXPECT_EQ(encoder_->size(), values.size());
    return encoder_->finish();
  }
  std::unique_ptr<StreamCursor> open(const Bytes& bytes) {
    auto cursor = open_stream(GetParam(), bytes);
    EXPECT_TRUE(cursor) << cursor.error().message;
    return cursor ? std::move(*cursor) : nullptr;
  }
  std::unique_ptr<StreamEncoder> encoder_;
};

void expect_both_ways(StreamCursor& cursor, const Stream& values) {
  ASSERT_EQ(cursor.size(), values.size());
  uint64_t value = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    ASSERT_TRUE(cursor.next(value)) << i;
    ASSERT_EQ(value, values[i]) << i;
  }
  ASSERT_FALSE(cursor.next(value));
  for (size_t i = values.size(); i-- > 0;) {
    ASSERT_TRUE(cursor.prev(value)) << i;
    ASSERT_EQ(value, values[i]) << i;
  }
  ASSERT_FALSE(cursor.prev(value));
  ASSERT_EQ(cursor.error(), nullptr);
}

// Everything a cursor does, in random order.
void expect_walk(StreamCursor& cursor, const Stream& values, Random& random, int moves) {
  size_t at = cursor.position();
  Stream buffer;
  for (int i = 0; i < moves; ++i) {
    ASSERT_EQ(cursor.position(), at);
    uint64_t value = 0;
    switch (random() % 6) {
      case 0:
      case 1:
        ASSERT_EQ(cursor.next(value), at < values.size());
        if (at < values.size()) ASSERT_EQ(value, values[at++]);
        break;
      case 2:
      case 3:
        ASSERT_EQ(cursor.prev(value), at > 0);
        if (at > 0) ASSERT_EQ(value, values[--at]);
        break;
      case 4: {
        buffer.resize(random() % 4 == 0 ? random() % (values.size() + 10) : random() % 200);
        const bool back = random() % 2;
        const size_t n = back ? cursor.read_back(buffer) : cursor.read(buffer);
        ASSERT_EQ(n, std::min(buffer.size(), back ? at : values.size() - at));
        for (size_t k = 0; k < n; ++k) ASSERT_EQ(buffer[k], values[back ? at - 1 - k : at + k]);
        at = back ? at - n : at + n;
        break;
      }
      default:
        if (random() % 3 != 0) break;
        at = random() % (values.size() + 1);
        ASSERT_TRUE(cursor.seek(at));
        ASSERT_FALSE(cursor.seek(values.size() + 1));
    }
  }
  ASSERT_EQ(cursor.error(), nullptr);
}

TEST_P(StreamCodecs, EmptyAndOne) {
  const Bytes empty = encode({});
  EXPECT_LE(empty.size(), 8u);
  expect_both_ways(*open(empty), {});
  for (const uint64_t value : {uint64_t{0}, uint64_t{1}, UINT64_MAX, uint64_t{1} << 63})
    expect_both_ways(*open(encode({value})), {value});
}

TEST_P(StreamCodecs, EveryShape) {
  Random random(20);
  for (const Shape& shape : shapes())
    for (const size_t size : {2, 63, 64, 65, 1000, 5000}) {
      SCOPED_TRACE(shape.name + " " + std::to_string(size));
      const Stream values = shape.make(random, size);
      const Bytes bytes = encode(values);
      const auto cursor = open(bytes);
      ASSERT_NO_FATAL_FAILURE(expect_both_ways(*cursor, values));
      ASSERT_NO_FATAL_FAILURE(expect_walk(*cursor, values, random, 200));
    }
}

// A million streams of a few values each, each walked both ways.
TEST_P(StreamCodecs, AMillionSmallStreams) {
  Random random(21);
  // A pool of values makes shapes of streams out of windows over it, faster than generating each.
  Stream pool;
  for (const Shape& shape : shapes()) {
    const Stream part = shape.make(random, 400);
    pool.insert(pool.end(), part.begin(), part.end());
  }
  uint64_t value = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    const uint64_t dice = random();
    const size_t size = dice % 8;
    const std::span<const uint64_t> values =
        std::span(pool).subspan((dice >> 8) % (pool.size() - 8), size);
    encoder_->append(values);
    const Bytes bytes = encoder_->finish();
    const auto cursor = open_stream(GetParam(), bytes);
    ASSERT_TRUE(cursor);
    ASSERT_EQ((*cursor)->size(), size);
    // Forwards to somewhere, back to the start, all the way, or from a jump.
    const size_t turn = size == 0 ? 0 : (dice >> 40) % (size + 1);
    if (dice >> 63) ASSERT_TRUE((*cursor)->seek(turn));
    for (size_t k = (*cursor)->position(); k < turn; ++k)
      ASSERT_TRUE((*cursor)->next(value) && value == values[k]);
    for (size_t k = turn; k-- > 0;) ASSERT_TRUE((*cursor)->prev(value) && value == values[k]);
    ASSERT_FALSE((*cursor)->prev(value));
    for (size_t k = 0; k < size; ++k) ASSERT_TRUE((*cursor)->next(value) && value == values[k]);
    ASSERT_FALSE((*cursor)->next(value));
  }
}

// Several segments and blocks, with ends at, before and behind their borders.
TEST_P(StreamCodecs, LongStreams) {
  Random random(22);
  for (const size_t size : {16'384, 65'536, 65'537, 140'000})
    for (const size_t which : {1, 5, 6, 9}) {
      const Shape& shape = shapes()[which];
      SCOPED_TRACE(shape.name + " " + std::to_string(size));
      const Stream values = shape.make(random, size);
      const Bytes bytes = encode(values);
      const auto cursor = open(bytes);
      Stream all(size);
      ASSERT_EQ(cursor->read(all), size);
      ASSERT_EQ(all, values);
      ASSERT_EQ(cursor->read_back(all), size);
      std::ranges::reverse(all);
      ASSERT_EQ(all, values);
      ASSERT_NO_FATAL_FAILURE(expect_walk(*cursor, values, random, 60));
      // To and fro over every border.
      for (size_t border = 4096; border < size; border += 4096) {
        ASSERT_TRUE(cursor->seek(border));
        uint64_t value = 0;
        for (int i = 0; i < 3; ++i) {
          ASSERT_TRUE(cursor->prev(value) && value == values[border - 1]);
          ASSERT_TRUE(cursor->next(value) && value == values[border - 1]);
          ASSERT_TRUE(cursor->next(value) && value == values[border]);
          ASSERT_TRUE(cursor->prev(value) && value == values[border]);
        }
      }
    }
}

TEST_P(StreamCodecs, PiecesMakeTheSameBytes) {
  Random random(23);
  const Stream values = shapes()[6].make(random, 70'000);
  const Bytes at_once = encode(values);
  for (size_t at = 0; at < values.size();) {
    const size_t n = std::min<size_t>(random() % 9000, values.size() - at);
    encoder_->append(std::span(values).subspan(at, n));
    at += n;
  }
  EXPECT_EQ(encoder_->finish(), at_once);
  EXPECT_EQ(encoder_->size(), 0u);
}

TEST_P(StreamCodecs, ManyCursorsOnTheSameBytes) {
  Random random(24);
  const Stream values = shapes()[7].make(random, 3000);
  const Bytes bytes = encode(values);
  std::vector<std::unique_ptr<StreamCursor>> cursors;
  for (int i = 0; i < 5; ++i) cursors.push_back(open(bytes));
  for (int round = 0; round < 10; ++round)
    for (const auto& cursor : cursors)
      ASSERT_NO_FATAL_FAILURE(expect_walk(*cursor, values, random, 20));
}

// Damaged bytes give an error or other values, and nothing worse.
TEST_P(StreamCodecs, AnyBytesAreSafe) {
  Random random(25);
  Stream buffer(300);
  for (int i = 0; i < 3000; ++i) {
    const Shape& shape = shapes()[random() % shapes().size()];
    Bytes bytes = encode(shape.make(random, random() % 500));
    for (uint64_t hits = 1 + random() % 3; hits > 0; --hits)
      bytes[random() % bytes.size()] = static_cast<uint8_t>(random());
    if (random() % 4 == 0) bytes.resize(random() % bytes.size() + 1);
    const auto cursor = open_stream(GetParam(), bytes);
    if (!cursor) {
      EXPECT_NE(cursor.error().kind, ErrorKind::usage);
      continue;
    }
    for (int move = 0; move < 12; ++move) {
      uint64_t value = 0;
      (*cursor)->next(value);
      (*cursor)->read(buffer);
      (*cursor)->read_back(std::span(buffer).first(100));
      (*cursor)->prev(value);
      (*cursor)->seek((*cursor)->size() == 0 ? 0 : random() % (*cursor)->size());
    }
    if ((*cursor)->error() == nullptr) continue;
    EXPECT_FALSE((*cursor)->error()->message.empty());
    uint64_t value = 0;
    EXPECT_FALSE((*cursor)->next(value));
    EXPECT_FALSE((*cursor)->prev(value));
    EXPECT_EQ((*cursor)->read(buffer), 0u);
    EXPECT_EQ((*cursor)->read_back(buffer), 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(All, StreamCodecs,
                         testing::ValuesIn(stream_codecs().begin(), stream_codecs().end()),
                         test_name);

TEST(StreamCodecRegistry, NamesLeadBack) {
  for (const StreamCodec codec : stream_codecs()) {
    const auto named = stream_codec_named(name_of(codec));
    ASSERT_TRUE(named);
    EXPECT_EQ(*named, codec);
  }
  EXPECT_EQ(stream_codecs().size(), 16u);
  const auto unknown = stream_codec_named("fcm4");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind, ErrorKind::usage);
  EXPECT_NE(unknown.error().message.find("last4-stride"), std::string::npos);
}

TEST(StreamCodecRegistry, UnknownNumbersAreUnsupported) {
  const Bytes bytes = {0};
  for (const unsigned number : {0u, 5u, 15u, 28u, 255u}) {
    const auto cursor = open_stream(static_cast<StreamCodec>(number), bytes);
    ASSERT_FALSE(cursor);
    EXPECT_EQ(cursor.error().kind, ErrorKind::unsupported);
  }
}

TEST(StreamCodecSizes, SmallStreamsCostLittle) {
  for (const StreamCodec codec : stream_codecs()) {
    const auto encoder = make_stream_encoder(codec);
    encoder->append(Stream{100, 200, 300});
    EXPECT_LE(encoder->finish().size(), 16u) << name_of(codec);
  }
}

}  // namespace
}  // namespace vestige
