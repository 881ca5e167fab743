// Any values through the packed, checkpoint and bidirectional codecs and back: forwards, backwards,
// by jumps. The first three bytes say which codec, how often the rest is repeated and how it is
// spread over 64 bits.
#include <array>
#include <vector>

#include "codec/stream_codec.h"
#include "fuzz.h"

namespace vestige {
namespace {

std::vector<uint64_t> values_from(const uint8_t* data, size_t size) {
  // Long streams are slow, and all alike: few inputs ask for one.
  const size_t most = data[1] == 255 && data[2] == 255 ? 17'000 : 300;
  const uint8_t spread = data[2];
  std::vector<uint64_t> values;
  uint64_t sum = 0;
  for (size_t round = 0; round <= size_t{data[1]} * data[1] && values.size() < most; ++round)
    for (size_t i = 3; i < size && values.size() < most; ++i) {
      uint64_t value = data[i];
      if (spread & 1) value *= 0x9e3779b97f4a7c15;
      if (spread & 2) value += round * 8;
      if (spread & 4) value = sum += value - 128;
      if (spread & 8) value = value % 3 == 0 ? UINT64_MAX - value : value;
      values.push_back(value);
    }
  return values;
}

void round_trip(StreamCodec codec, const std::vector<uint64_t>& values) {
  const auto encoder = make_stream_encoder(codec);
  encoder->append(values);
  const Bytes bytes = encoder->finish();
  const auto opened = open_stream(codec, bytes);
  require(opened.has_value(), "what was written is not read");
  StreamCursor& cursor = **opened;
  require(cursor.size() == values.size(), "the number of values");
  uint64_t value = 0;
  for (const uint64_t expected : values)
    require(cursor.next(value) && value == expected, "forwards");
  require(!cursor.next(value), "more values than there were");
  std::vector<uint64_t> back(values.size());
  require(cursor.read_back(back) == values.size(), "fewer backwards");
  for (size_t i = 0; i < values.size(); ++i)
    require(back[i] == values[values.size() - 1 - i], "backwards");
  for (const size_t at :
       {values.size() / 2, values.size() / 3, values.size() - values.size() / 5}) {
    require(cursor.seek(at), "a jump");
    require(cursor.prev(value) ? value == values[at - 1] : at == 0, "before a jump");
    require(cursor.seek(at), "a second jump");
    require(cursor.next(value) ? value == values[at] : at == values.size(), "after a jump");
  }
  require(cursor.error() == nullptr, "an error");
}

}  // namespace
}  // namespace vestige

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace vestige;
  if (size < 3) return 0;
  static constexpr std::array kCodecs = {
      StreamCodec::packed,       StreamCodec::checkpoint,   StreamCodec::fcm1,
      StreamCodec::fcm2,         StreamCodec::fcm3,         StreamCodec::dfcm1,
      StreamCodec::dfcm2,        StreamCodec::dfcm3,        StreamCodec::last2,
      StreamCodec::last4,        StreamCodec::last8,        StreamCodec::last2_stride,
      StreamCodec::last4_stride, StreamCodec::last8_stride,
  };
  round_trip(kCodecs[data[0] % kCodecs.size()], values_from(data, size));
  return 0;
}
