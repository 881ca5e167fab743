// A column of numbers, one for each access: the codec is chosen by the first of them.
#pragma once

#include <memory>
#include <vector>

#include "codec/stream_codec.h"
#include "store/access_details_chunk.h"

namespace vestige {

class ColumnWriter {
 public:
  void append(uint64_t value) {
    waiting_.push_back(value);
    ++count_;
    if (waiting_.size() >= kSample) flush();
  }
  uint64_t count() const { return count_; }
  AccessDetailsChunk::Encoded finish() {
    if (count_ == 0) return {};
    flush();
    return {codec_, std::make_shared<const Bytes>(encoder_->finish())};
  }

 private:
  static constexpr size_t kSample = 64 * 1024;
  void flush() {
    if (!encoder_) {
      codec_ = select_stream_codec(waiting_, StreamGoal::size);
      encoder_ = make_stream_encoder(codec_);
    }
    encoder_->append(waiting_);
    waiting_.clear();
  }
  std::vector<uint64_t> waiting_;
  uint64_t count_ = 0;
  StreamCodec codec_ = StreamCodec::packed;
  std::unique_ptr<StreamEncoder> encoder_;
};

}  // namespace vestige
