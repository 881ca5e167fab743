// Any bytes as the stream of a packed, checkpoint or bidirectional codec: the first byte chooses
// it. Whatever they say, cursors answer, fail cleanly, and agree with each other on what they give.
#include <algorithm>
#include <vector>

#include "codec/pack/bits.h"
#include "codec/pack/values.h"
#include "codec/stream_codec.h"
#include "kinds.h"

namespace vestige {
namespace {

void unpack(ByteView bytes) {
  ByteReader values(bytes), bits(bytes);
  if (const auto list = unpack_values(values, 5000)) require(list->size() <= 5000, "too many");
  if (const auto words = unpack_bits(bits, 777))
    require(words->back() >> 777 % 64 == 0, "stray bits");
}

void walk(StreamCodec codec, ByteView bytes) {
  auto opened = open_stream(codec, bytes);
  if (!opened) return;
  StreamCursor& cursor = **opened;
  std::vector<uint64_t> first(3000), again(3000);
  const size_t n = cursor.read(first);
  require(cursor.position() == n, "the position after reading");
  if (cursor.error() == nullptr) {
    require(n == std::min<uint64_t>(first.size(), cursor.size()), "fewer values than there are");
    const size_t back = cursor.read_back(again);
    require(cursor.error() != nullptr || back == n, "other values backwards");
    require(cursor.error() != nullptr ||
                std::equal(first.begin(), first.begin() + static_cast<long>(n),
                           std::make_reverse_iterator(again.begin() + static_cast<long>(n))),
            "backwards is not the reverse of forwards");
  }
  uint64_t value = 0;
  for (const uint64_t part : {7, 3, 1, 5}) {
    cursor.seek(cursor.size() / 8 * part);
    for (int i = 0; i < 70; ++i) cursor.next(value);
    cursor.read_back(std::span(again).first(200));
    cursor.prev(value);
  }
  cursor.seek(cursor.size());
  cursor.read_back(again);
  if (cursor.error() != nullptr) {
    require(!cursor.next(value) && !cursor.prev(value), "values after an error");
    require(cursor.read(again) == 0 && cursor.read_back(again) == 0, "values after an error");
  }
}

}  // namespace

void use_input(uint8_t kind, ByteView bytes) {
  constexpr auto kBidirectional = static_cast<uint8_t>(StreamCodec::fcm1);
  switch (const uint8_t which = kind % 15; which) {
    case 12:
      walk(StreamCodec::packed, bytes);
      break;
    case 13:
      walk(StreamCodec::checkpoint, bytes);
      break;
    case 14:
      unpack(bytes);
      break;
    default:
      walk(static_cast<StreamCodec>(kBidirectional + which), bytes);
  }
}

}  // namespace vestige
