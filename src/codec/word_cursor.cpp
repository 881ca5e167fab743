// WordCursor of word_codec.h, over the blocks of whichever codec it is (codec/registry opens them).
#include <algorithm>
#include <utility>

#include "codec/word_codec.h"

namespace vestige {

WordCursor::WordCursor(std::unique_ptr<Blocks> blocks)
    : blocks_(std::move(blocks)), size_(blocks_->size()) {}
WordCursor::WordCursor(WordCursor&&) noexcept = default;
WordCursor& WordCursor::operator=(WordCursor&&) noexcept = default;
WordCursor::~WordCursor() = default;

bool WordCursor::enter(uint64_t position) {
  if (position >= size_) return false;
  const uint64_t n = position / kWordBlock;
  const uint64_t words = std::min<uint64_t>(kWordBlock, size_ - n * kWordBlock);
  auto block = blocks_->decode(n);
  failed_ = !block || block->size() != words;
  if (failed_) {
    error_ = block ? Error{ErrorKind::corrupt, "a block holds the wrong number of words"}
                   : std::move(block.error());
    // The decoder's buffer may have been overwritten: forget the block, keep the position.
    block_begin_ += at_;
    block_ = {};
    at_ = 0;
    return false;
  }
  block_ = *block;
  block_begin_ = n * kWordBlock;
  at_ = position - block_begin_;
  return true;
}

bool WordCursor::enter_before() {
  const uint64_t position = block_begin_ + at_;
  if (position == 0 || !enter(position - 1)) return false;
  ++at_;
  return true;
}

bool WordCursor::seek(uint64_t position) {
  if (position > size_) return false;
  if (position >= block_begin_ && position - block_begin_ < block_.size()) {
    at_ = position - block_begin_;
    return true;
  }
  if (position < size_) return enter(position);
  block_ = {};
  block_begin_ = size_;
  at_ = 0;
  return true;
}

}  // namespace vestige
