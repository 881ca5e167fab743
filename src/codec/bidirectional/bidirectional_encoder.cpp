#include <algorithm>

#include "codec/bidirectional/bidirectional_shape.h"
#include "codec/bidirectional/bidirectional_stream.h"
#include "codec/bidirectional/fcm_walk.h"
#include "codec/bidirectional/last_walk.h"

namespace vestige {

namespace {

class BidirectionalEncoder final : public StreamEncoder {
 public:
  explicit BidirectionalEncoder(StreamCodec codec) : shape_(shape_of(codec)) {}

  void append(std::span<const uint64_t> values) override {
    size_ += values.size();
    while (!values.empty()) {
      if (numbers_.size() == shape_.segment) close_segment();
      const size_t n = std::min(values.size(), shape_.segment - numbers_.size());
      for (const uint64_t value : values.first(n)) {
        numbers_.push_back(shape_.differences ? value - value_ : value);
        value_ = value;
      }
      values = values.subspan(n);
    }
  }
  uint64_t size() const override { return size_; }

  Bytes finish() override {
    ByteWriter out;
    out.varint(size_);
    if (size_ > 0) {
      // A full segment is closed only when another value comes, so this one is the last.
      close_segment();
      sizes_.pop_back();
    }
    for (const size_t size : sizes_) out.varint(size);
    out.bytes(segments_);
    *this = BidirectionalEncoder(shape_);
    return out.take();
  }

 private:
  explicit BidirectionalEncoder(BidirectionalShape shape) : shape_(shape) {}

  void close_segment() {
    ByteWriter head;
    if (shape_.differences && !sizes_.empty()) head.varint(value_before_);
    const Bytes body =
        shape_.fcm ? encode_fcm(numbers_, shape_.context) : encode_last(numbers_, shape_.context);
    sizes_.push_back(head.size() + body.size());
    segments_.insert(segments_.end(), head.buffer().begin(), head.buffer().end());
    segments_.insert(segments_.end(), body.begin(), body.end());
    numbers_.clear();
    value_before_ = value_;
  }

  BidirectionalShape shape_;
  uint64_t size_ = 0;
  std::vector<uint64_t> numbers_;  // of the segment being filled
  uint64_t value_ = 0;             // the last one appended
  uint64_t value_before_ = 0;      // the last one before the segment being filled
  std::vector<size_t> sizes_;
  Bytes segments_;
};

}  // namespace

std::unique_ptr<StreamEncoder> make_bidirectional_encoder(StreamCodec codec) {
  return std::make_unique<BidirectionalEncoder>(codec);
}

}  // namespace vestige
