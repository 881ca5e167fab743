// One block of codec `context` (context_words.h), from words to bytes. Keeps its buffers between
// blocks; the predictor's table is the caller's.
#pragma once

#include <span>
#include <vector>

#include "base/adaptive_choice.h"
#include "base/bytes.h"
#include "base/zstd_context.h"
#include "codec/word/context/context_table.h"

namespace vestige {

class ContextBlockEncoder {
 public:
  ContextBlockEncoder();
  ~ContextBlockEncoder();
  ContextBlockEncoder(const ContextBlockEncoder&) = delete;

  // Words of which some are left out: `count` further ones that are the same as the one before `at`
  // and the kFirstOfRun before that. The predictor foresees them all, and learns nothing.
  struct LeftOut {
    uint32_t at = 0, count = 0;
  };
  static constexpr uint32_t kFirstOfRun = 3;  // as many as make a context

  // Encodes at most kWordBlock words, those left out among them; leaves the table as the words
  // trained it.
  Bytes encode(std::span<const uint32_t> words, std::span<const LeftOut> left_out,
               ContextTable& table);

 private:
  struct Counts {
    size_t seconds = 0, misses = 0;
  };
  template <bool kBranch>
  Counts predict(std::span<const uint32_t> words, std::span<const LeftOut> left_out,
                 ContextTable& table);
  size_t squeeze(const void* bytes, size_t size);

  ZstdCompression zstd_;
  std::vector<uint8_t> flags_, seconds_, unpacked_;
  std::vector<uint32_t> missed_;
  Bytes squeezed_;
  AdaptiveChoice branching_;
};

}  // namespace vestige
