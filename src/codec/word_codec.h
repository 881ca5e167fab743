// The interface of codecs for streams of 32-bit words (path ids). Codecs know integers only: no
// files, no programs. Each is a folder in codec/word; codec/registry opens encoded bytes by the
// codec number that is stored with them.
//
// Words come in blocks of kWordBlock that decode independently of each other given a common
// prologue, so a cursor seeks in the time of one or two blocks, and going backwards costs what
// going forwards does.
//
// Thread safety: an encoder and a cursor belong to one thread; any number of cursors may read the
// same bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/bytes.h"
#include "vestige/result.h"

namespace vestige {

class WorkerPool;

inline constexpr uint32_t kWordBlock = 128 * 1024;

// On disk (docs/format.md): append, never renumber.
enum class WordCodec : uint8_t {
  packed = 1,    // bit-packed against a dictionary, then zstd
  context = 2,   // predicted from the words before, then zstd
  sequitur = 3,  // a grammar, with marks between words (word/sequitur/grammar_words.h)
  nodes = 4,     // of each different word where it stands (word/nodes/node_words.h)
};

class WordEncoder {
 public:
  virtual ~WordEncoder() = default;
  // Appends words; compresses whole blocks as they fill.
  virtual void append(std::span<const uint32_t> words) = 0;
  virtual uint64_t size() const = 0;           // words appended since the last finish
  virtual uint64_t encoded_bytes() const = 0;  // compressed bytes so far, a lower bound
  // Gives the bytes of everything appended and starts over, empty.
  virtual Bytes finish() = 0;
};
// With a pool, codecs that can encode blocks on its threads; it must outlive the encoder. The bytes
// are the same.
std::unique_ptr<WordEncoder> make_word_encoder(WordCodec codec, WorkerPool* pool = nullptr);

class WordCursor {
 public:
  // The bytes must outlive the cursor. Fails on anything that is not the output of finish().
  static Result<WordCursor> open(WordCodec codec, ByteView bytes);

  class Blocks;  // what a codec implements: decode block n into a buffer
  explicit WordCursor(std::unique_ptr<Blocks> blocks);
  WordCursor(WordCursor&&) noexcept;
  WordCursor& operator=(WordCursor&&) noexcept;
  ~WordCursor();

  uint64_t size() const { return size_; }
  uint64_t position() const { return block_begin_ + at_; }  // 0 … size; the word next() gives

  // Each gives the word it moves over, and false at the end (or beginning), or when the bytes
  // turn out to be damaged: then error() says how.
  bool next(uint32_t& word) {
    if (at_ == block_.size() && !enter(block_begin_ + at_)) return false;
    word = block_[at_++];
    return true;
  }
  bool prev(uint32_t& word) {
    if (at_ == 0 && !enter_before()) return false;
    word = block_[--at_];
    return true;
  }
  bool seek(uint64_t position);

  // The decoded block around the position, for loops that want no call per word: block()[offset()]
  // is what next() would give. enter() makes the block of `position` current; leave_forward() and
  // friends are spelled seek(block_begin() + block().size()).
  std::span<const uint32_t> block() const { return block_; }
  uint64_t block_begin() const { return block_begin_; }
  const Error* error() const { return failed_ ? &error_ : nullptr; }

 private:
  bool enter(uint64_t position);  // makes the block that holds `position` current; false at the end
  bool enter_before();
  std::unique_ptr<Blocks> blocks_;
  std::span<const uint32_t> block_;
  uint64_t block_begin_ = 0;
  uint64_t at_ = 0;
  uint64_t size_ = 0;
  bool failed_ = false;
  Error error_;
};

class WordCursor::Blocks {
 public:
  virtual ~Blocks() = default;
  virtual uint64_t size() const = 0;  // words in all
  // Decodes block n (words [n·kWordBlock, …)) and gives its words, valid until the next call.
  virtual Result<std::span<const uint32_t>> decode(uint64_t n) = 0;
};

}  // namespace vestige
