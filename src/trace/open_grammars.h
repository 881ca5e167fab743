// The grammars of control chunks that are open: decoding one takes time, and who walks a thread has
// several cursors on the same chunk (its paths, its depth, its call stack).
//
// Small ones stay for a while when nobody uses them any more.
//
// Thread safety: any number of threads.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <vector>

#include "codec/word/sequitur/grammar_words.h"

namespace vestige {

class OpenGrammars {
 public:
  // Of the chunk in this row of the directory; a row has always the same bytes.
  Result<std::shared_ptr<const GrammarWords>> open(size_t row, ByteView bytes) const;

 private:
  static constexpr size_t kSmall = size_t{1} << 20;  // bytes
  struct Open {
    size_t row;
    std::weak_ptr<const GrammarWords> words;
  };
  mutable std::mutex mutex_;  // guards what follows
  mutable std::vector<Open> open_;
  mutable std::array<std::shared_ptr<const GrammarWords>, 4> kept_;
  mutable size_t next_ = 0;
};

}  // namespace vestige
