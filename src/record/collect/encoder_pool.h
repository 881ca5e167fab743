// Word encoders, lent to thread logs for one chunk each. An encoder has tables of hundreds of
// kilobytes: a program may have thousands of threads, but few of them fill chunks at a time.
//
// Thread safety: take and give may be called from several threads.
#pragma once

#include "base/spares.h"
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
    auto encoder = spare_.take();
    return encoder ? std::move(encoder) : make_word_encoder(codec_, workers_);
  }
  // After its finish().
  void give(std::unique_ptr<WordEncoder> encoder) { spare_.give(std::move(encoder)); }

 private:
  static constexpr size_t kSpare = 16;
  const WordCodec codec_;
  WorkerPool* const workers_;
  Spares<WordEncoder> spare_{kSpare};
};

}  // namespace vestige
