#include "codec/stream/sequitur/sequitur_stream.h"

#include <gtest/gtest.h>

#include "codec/sequitur/grammar_cursor.h"
#include "plain.h"
#include "round_trip.h"

namespace vestige {
namespace {

TEST(SequiturStream, AMillionSmallStreams) { check_many(make_sequitur_encoder, open_sequitur); }
TEST(SequiturStream, LongStreams) { check_long(make_sequitur_encoder, open_sequitur); }
TEST(SequiturStream, DamageIsAnError) { check_damage(make_sequitur_encoder, open_sequitur); }

TEST(SequiturStream, BoundedMemoryIsSeveralGrammars) {
  Random random(4);
  for (unsigned shape = 0; shape < kShapes; ++shape) {
    const auto values = stream_of_shape(random, shape, 100'000);
    sequitur::StreamWriter writer(60'000);
    writer.append(values);
    EXPECT_EQ(writer.size(), values.size());
    const Bytes bytes = writer.finish();
    EXPECT_EQ(writer.size(), 0u);
    const auto grammar = sequitur::load_stream(bytes);
    ASSERT_TRUE(grammar.has_value());
    if (shape == 4) EXPECT_GT(bytes[0], 5);  // a byte: fewer than 128 grammars
    EXPECT_EQ(sequitur::expand(grammar->rules()), values);
  }
}

TEST(SequiturStream, NothingIsOneByte) {
  const auto encoder = make_sequitur_encoder();
  EXPECT_EQ(encoder->finish(), Bytes{0});
}

// The point of it: a stream of control flow in far fewer bytes than values.
TEST(SequiturStream, ControlFlowIsSmall) {
  Random random(5);
  const auto values = control_flow(random, 200'000);
  const auto encoder = make_sequitur_encoder();
  encoder->append(values);
  EXPECT_LT(encoder->finish().size(), 20'000u);
}

}  // namespace
}  // namespace vestige
