#include "codec/pack/block_cursor.h"

#include <algorithm>

#include "base/check.h"

namespace vestige {

bool BlockCursor::decode(uint64_t block, std::span<uint64_t> out) {
  auto decoded = source_->decode(block, out);
  if (decoded) return true;
  failed_ = true;
  error_ = decoded.error();
  error_.message += ", block " + std::to_string(block);
  block_.clear();
  return false;
}

bool BlockCursor::enter(uint64_t at) {
  if (failed_ || at >= size_) return false;
  VESTIGE_CHECK(source_->block_values() > 0);
  const uint64_t block = at / source_->block_values();
  block_begin_ = block * source_->block_values();
  block_.resize(std::min<uint64_t>(source_->block_values(), size_ - block_begin_));
  VESTIGE_CHECK(at - block_begin_ < block_.size());
  return decode(block, block_);
}

size_t BlockCursor::read(std::span<uint64_t> out) {
  size_t done = 0;
  while (done < out.size() && position_ < size_ && !failed_) {
    const uint64_t block = source_->block_values();
    const uint64_t left = std::min<uint64_t>(block, size_ - position_);
    if (position_ - block_begin_ >= block_.size() && position_ % block == 0 &&
        out.size() - done >= left) {
      // A whole block goes where it is wanted without a copy.
      if (!decode(position_ / block, out.subspan(done, left))) break;
      position_ += left;
      done += left;
      continue;
    }
    if (position_ - block_begin_ >= block_.size() && !enter(position_)) break;
    const uint64_t offset = position_ - block_begin_;
    const size_t n = std::min(out.size() - done, block_.size() - offset);
    std::copy_n(block_.data() + offset, n, out.data() + done);
    position_ += n;
    done += n;
  }
  return done;
}

size_t BlockCursor::read_back(std::span<uint64_t> out) {
  size_t done = 0;
  while (done < out.size() && position_ > 0) {
    if (position_ - 1 - block_begin_ >= block_.size() && !enter(position_ - 1)) break;
    const uint64_t offset = position_ - block_begin_;
    const size_t n = std::min<size_t>(out.size() - done, offset);
    std::reverse_copy(block_.data() + offset - n, block_.data() + offset, out.data() + done);
    position_ -= n;
    done += n;
  }
  return done;
}

}  // namespace vestige
