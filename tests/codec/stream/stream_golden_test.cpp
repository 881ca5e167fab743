// What is on disk is frozen: bytes written once are read for ever. Streams small enough to need no
// zstd, whose output may differ between versions.
#include <gtest/gtest.h>

#include "codec/stream_codec.h"
#include "shapes.h"

namespace vestige {
namespace {

const Stream kValues = {3, 5, 7, 3, 5, 7, 3, 8};

struct Golden {
  StreamCodec codec;
  const char* hex;
};

const Golden kGolden[] = {
    {StreamCodec::packed, "08080403031021a2"},
    {StreamCodec::checkpoint, "0800080403031021a2"},
    {StreamCodec::fcm1, "08040210050403031051"},
    {StreamCodec::fcm2, "0805021006050204c208"},
    {StreamCodec::fcm3, "0805021007040303102116"},
    {StreamCodec::dfcm1, "0804023c080505002680c5c092"},
    {StreamCodec::dfcm2, "080502100705040016b00c06"},
    {StreamCodec::dfcm3, "08050210070505002680c59604"},
    {StreamCodec::last2, "0808040002080403031021a2"},
    {StreamCodec::last4, "080804020229800304020538"},
    {StreamCodec::last8, "08080403025901c0010c08"},
    {StreamCodec::last2_stride, "08080402008a91040d06010b12"},
    {StreamCodec::last4_stride, "08080403001b1884020d0712"},
    {StreamCodec::last8_stride, "080804040033800161010d07"},
};

Bytes from_hex(std::string_view hex) {
  Bytes bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes.push_back(static_cast<uint8_t>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  return bytes;
}

TEST(StreamGolden, OldBytesAreRead) {
  for (const Golden& golden : kGolden) {
    SCOPED_TRACE(name_of(golden.codec));
    const Bytes bytes = from_hex(golden.hex);
    const auto cursor = open_stream(golden.codec, bytes);
    ASSERT_TRUE(cursor) << cursor.error().message;
    Stream values((*cursor)->size());
    EXPECT_EQ((*cursor)->read(values), values.size());
    EXPECT_EQ(values, kValues);
  }
}

TEST(StreamGolden, TheBytesAreStillTheSame) {
  for (const Golden& golden : kGolden) {
    const auto encoder = make_stream_encoder(golden.codec);
    encoder->append(kValues);
    EXPECT_EQ(encoder->finish(), from_hex(golden.hex)) << name_of(golden.codec);
  }
}

}  // namespace
}  // namespace vestige
