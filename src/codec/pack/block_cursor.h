// A cursor over a stream whose blocks of a fixed number of values decode each by itself: backwards
// at the speed of forwards, a jump for the price of one block.
//
// Invariants: 1. block_ holds the values from block_begin_ on, all of one block, or nothing. 2. The
// position lies anywhere; entering a block waits for the first value asked for.
#pragma once

#include <memory>
#include <vector>

#include "codec/stream_codec.h"

namespace vestige {

// What a codec implements.
class BlockSource {
 public:
  virtual ~BlockSource() = default;
  virtual uint64_t size() const = 0;        // values in all
  virtual size_t block_values() const = 0;  // in every block but the last; at least 1
  // Decodes block n, which has out.size() values.
  virtual Result<void> decode(uint64_t n, std::span<uint64_t> out) = 0;
};

class BlockCursor final : public StreamCursor {
 public:
  explicit BlockCursor(std::unique_ptr<BlockSource> source)
      : source_(std::move(source)), size_(source_->size()) {}

  uint64_t size() const override { return size_; }
  uint64_t position() const override { return position_; }
  const Error* error() const override { return failed_ ? &error_ : nullptr; }

  bool next(uint64_t& value) override {
    if (position_ - block_begin_ >= block_.size() && !enter(position_)) return false;
    value = block_[position_++ - block_begin_];
    return true;
  }
  bool prev(uint64_t& value) override {
    if (position_ - 1 - block_begin_ >= block_.size() && !enter(position_ - 1)) return false;
    value = block_[--position_ - block_begin_];
    return true;
  }
  bool seek(uint64_t position) override {
    if (failed_ || position > size_) return false;
    position_ = position;
    return true;
  }
  size_t read(std::span<uint64_t> out) override;
  size_t read_back(std::span<uint64_t> out) override;

 private:
  // Makes the block that holds value `at` current; false when there is none, or it is damaged.
  bool enter(uint64_t at);
  bool decode(uint64_t block, std::span<uint64_t> out);

  std::unique_ptr<BlockSource> source_;
  uint64_t size_;
  uint64_t position_ = 0;
  std::vector<uint64_t> block_;
  uint64_t block_begin_ = 0;
  bool failed_ = false;
  Error error_;
};

}  // namespace vestige
