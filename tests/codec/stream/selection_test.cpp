// Selection is never far from the best single codec, whatever the stream looks like.
#include <gtest/gtest.h>

#include "codec/stream/select.h"
#include "shapes.h"

namespace vestige {
namespace {

size_t size_with(StreamCodec codec, const Stream& values) {
  const auto encoder = make_stream_encoder(codec);
  encoder->append(values);
  return encoder->finish().size();
}

void expect_near_best(const Stream& values) {
  size_t best = SIZE_MAX;
  for (const StreamCodec codec : stream_codecs()) best = std::min(best, size_with(codec, values));
  const StreamCodec selected = select_stream_codec(values, StreamGoal::size);
  EXPECT_LE(size_with(selected, values), best * 13 / 10 + 32) << name_of(selected);
}

TEST(Selection, NearTheBestForEveryShape) {
  Random random(30);
  for (const Shape& shape : shapes())
    for (const size_t size : {0, 1, 10, 300, 20'000}) {
      SCOPED_TRACE(shape.name + " " + std::to_string(size));
      expect_near_best(shape.make(random, size));
    }
  for (const size_t which : {2, 6, 9}) expect_near_best(shapes()[which].make(random, 150'000));
}

TEST(Selection, NearTheBestWhenTheBeginningMisleads) {
  Random random(31);
  // Silence, then something else; and a long period, which only a grammar sees.
  Stream late(40'000, 0);
  const Stream walk = shapes()[7].make(random, 200'000);
  late.insert(late.end(), walk.begin(), walk.end());
  expect_near_best(late);
  Stream period = shapes()[3].make(random, 100'000), periodic;
  for (int i = 0; i < 6; ++i) periodic.insert(periodic.end(), period.begin(), period.end());
  expect_near_best(periodic);
}

TEST(Selection, GoalsRestrictTheChoice) {
  Random random(32);
  for (const Shape& shape : shapes()) {
    const Stream values = shape.make(random, 5000);
    const StreamCodec fast = select_stream_codec(values, StreamGoal::speed);
    EXPECT_TRUE(fast == StreamCodec::packed || fast == StreamCodec::checkpoint);
    const StreamCodec seekable = select_stream_codec(values, StreamGoal::random_access);
    EXPECT_LE(size_with(seekable, values),
              size_with(StreamCodec::checkpoint, values) * 51 / 50 + 8);
  }
}

}  // namespace
}  // namespace vestige
