// Word encoders, lent to thread logs for one chunk each. An encoder has tables of hundreds of
// kilobytes: a program may have thousands of threads, but few of them fill chunks at a time.
#pragma once

#include <memory>
#include <vector>

#include "codec/word_codec.h"

namespace vestige {

class EncoderPool {
 public:
  // `workers` may be null; otherwise it outlives the pool and every encoder lent.
  explicit EncoderPool(WordCodec codec, WorkerPool* workers = nullptr)
      : codec_(codec), workers_(workers) {}

  WordCodec codec() const { return codec_; }
  WorkerPool* workers() const { return workers_; }
  std::unique_ptr<WordEncoder> take() {
    if (spare_.empty()) return make_word_encoder(codec_, workers_);
    auto encoder = std::move(spare_.back());
    spare_.pop_back();
    return encoder;
  }
  // After its finish().
  void give(std::unique_ptr<WordEncoder> encoder) {
    if (spare_.size() < kSpare) spare_.push_back(std::move(encoder));
  }

 private:
  static constexpr size_t kSpare = 16;
  const WordCodec codec_;
  WorkerPool* const workers_;
  std::vector<std::unique_ptr<WordEncoder>> spare_;
};

}  // namespace vestige
