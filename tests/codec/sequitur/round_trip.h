// Forwards, backwards and by seek against the plain sequence.
#pragma once

#include <gtest/gtest.h>

#include <functional>

#include "codec/stream_codec.h"
#include "streams.h"

namespace vestige {

using MakeEncoder = std::function<std::unique_ptr<StreamEncoder>()>;
using OpenStream = std::function<Result<std::unique_ptr<StreamCursor>>(ByteView)>;

inline void check_cursor(StreamCursor& cursor, const std::vector<uint64_t>& values,
                         Random& random) {
  ASSERT_EQ(cursor.size(), values.size());
  uint64_t value = 0;
  for (const uint64_t expected : values) {
    ASSERT_TRUE(cursor.next(value));
    ASSERT_EQ(value, expected);
  }
  ASSERT_FALSE(cursor.next(value));
  ASSERT_EQ(cursor.position(), values.size());
  for (size_t i = values.size(); i-- > 0;) {
    ASSERT_TRUE(cursor.prev(value));
    ASSERT_EQ(value, values[i]);
  }
  ASSERT_FALSE(cursor.prev(value));
  for (int i = 0; i < 4; ++i) {
    const size_t at = random() % (values.size() + 1);
    ASSERT_TRUE(cursor.seek(at));
    ASSERT_EQ(cursor.position(), at);
    if (i % 2 == 0) {
      ASSERT_EQ(cursor.next(value), at < values.size());
      if (at < values.size()) ASSERT_EQ(value, values[at]);
    } else {
      ASSERT_EQ(cursor.prev(value), at > 0);
      if (at > 0) ASSERT_EQ(value, values[at - 1]);
    }
  }
  ASSERT_FALSE(cursor.seek(values.size() + 1));
  ASSERT_EQ(cursor.error(), nullptr);
}

inline void check_round_trip(StreamEncoder& encoder, const OpenStream& open,
                             const std::vector<uint64_t>& values, Random& random) {
  encoder.append(values);
  ASSERT_EQ(encoder.size(), values.size());
  const Bytes bytes = encoder.finish();
  ASSERT_EQ(encoder.size(), 0u);
  auto cursor = open(bytes);
  ASSERT_TRUE(cursor.has_value()) << cursor.error().message;
  check_cursor(**cursor, values, random);
}

// A million small streams of every shape, through one encoder; fewer where a sanitizer slows
// everything down.
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr int kMany = 50'000;
#else
inline constexpr int kMany = 1'000'000;
#endif
inline void check_many(const MakeEncoder& make, const OpenStream& open) {
  Random random(1);
  const auto encoder = make();
  for (int round = 0; round < kMany; ++round) {
    const auto values = stream_of_shape(random, round % kShapes, random() % 24);
    ASSERT_NO_FATAL_FAILURE(check_round_trip(*encoder, open, values, random)) << "round " << round;
  }
}

inline void check_long(const MakeEncoder& make, const OpenStream& open) {
  Random random(2);
  for (unsigned shape = 0; shape < kShapes; ++shape) {
    const auto values = stream_of_shape(random, shape, 30000 + random() % 1000);
    const auto encoder = make();
    ASSERT_NO_FATAL_FAILURE(check_round_trip(*encoder, open, values, random)) << "shape " << shape;
    // In pieces, read in pieces.
    for (size_t at = 0; at < values.size();) {
      const size_t some = std::min<size_t>(random() % 3000, values.size() - at);
      encoder->append(std::span(values).subspan(at, some));
      at += some;
    }
    const Bytes bytes = encoder->finish();
    auto cursor = open(bytes);
    ASSERT_TRUE(cursor.has_value());
    std::vector<uint64_t> back(values.size() + 5);
    size_t read = 0;
    while (const size_t some = (*cursor)->read(
               std::span(back).subspan(read, std::min<size_t>(777, back.size() - read))))
      read += some;
    back.resize(read);
    ASSERT_EQ(back, values);
    std::vector<uint64_t> reversed(values.size());
    ASSERT_EQ((*cursor)->read_back(reversed), values.size());
    std::reverse(reversed.begin(), reversed.end());
    ASSERT_EQ(reversed, values);
  }
}

inline void check_damage(const MakeEncoder& make, const OpenStream& open) {
  Random random(3);
  const auto encoder = make();
  for (int round = 0; round < 20000; ++round) {
    encoder->append(stream_of_shape(random, round % kShapes, random() % 60));
    Bytes bytes = encoder->finish();
    for (uint64_t flips = random() % 4; flips > 0; --flips)
      bytes[random() % bytes.size()] ^= static_cast<uint8_t>(1u << random() % 8);
    if (random() % 3 == 0) bytes.resize(random() % (bytes.size() + 1));
    auto cursor = open(bytes);
    if (!cursor) {
      ASSERT_EQ(cursor.error().kind, ErrorKind::corrupt);
      continue;
    }
    uint64_t value = 0;
    for (int i = 0; i < 100 && (*cursor)->next(value); ++i) {
    }
    for (int i = 0; i < 100 && (*cursor)->prev(value); ++i) {
    }
    ASSERT_TRUE((*cursor)->seek((*cursor)->size() / 2));
  }
}

}  // namespace vestige
