// The encoder of bidirectional_stream.h.
#include <utility>
#include <vector>

#include "codec/pack/segments.h"
#include "codec/stream/bidirectional/bidirectional_shape.h"
#include "codec/stream/bidirectional/bidirectional_stream.h"
#include "codec/stream/bidirectional/fcm_walk.h"
#include "codec/stream/bidirectional/last_walk.h"

namespace vestige {

namespace {

class BidirectionalEncoder final : public SegmentedEncoder {
 public:
  explicit BidirectionalEncoder(BidirectionalShape shape)
      : SegmentedEncoder(shape.segment), shape_(shape) {}

 private:
  void encode_segment(std::span<const uint64_t> values, bool first, ByteWriter& out) override {
    if (!shape_.differences) return encode(values, out);
    uint64_t before = first ? 0 : last_value_;
    if (!first) out.varint(before);
    last_value_ = values.back();
    std::vector<uint64_t> differences(values.begin(), values.end());
    for (uint64_t& value : differences) value -= std::exchange(before, value);
    encode(differences, out);
  }
  void encode(std::span<const uint64_t> numbers, ByteWriter& out) const {
    out.bytes(shape_.fcm ? encode_fcm(numbers, shape_.context)
                         : encode_last(numbers, shape_.context));
  }

  BidirectionalShape shape_;
  uint64_t last_value_ = 0;  // of the segment before
};

}  // namespace

std::unique_ptr<StreamEncoder> make_bidirectional_encoder(StreamCodec codec) {
  return std::make_unique<BidirectionalEncoder>(shape_of(codec));
}

}  // namespace vestige
