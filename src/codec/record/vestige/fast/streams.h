// The streams of bytes a fast block is made of, and the one zstd frame that all of them go through,
// stream by stream: what one block taught zstd serves the next.
#pragma once

#include <cstring>
#include <memory>

#include "base/bytes.h"
#include "base/zstd_context.h"
#include "codec/record/vestige/fast/model.h"

namespace vestige::fast {

inline constexpr size_t kLeastPacked = 32;  // smaller streams are stored
inline constexpr int kWindowLog = 20;

// Bytes in the making. `reserve` before a stretch of rows, then `put` without checks.
class Plane {
 public:
  void reserve(size_t more) {
    if (size_ + more > capacity_) grow(more);
  }
  void put(uint64_t byte) { bytes_[size_++] = static_cast<uint8_t>(byte); }
  void put_if(bool wanted, uint64_t byte) {
    bytes_[size_] = static_cast<uint8_t>(byte);
    size_ += wanted;
  }
  void put_count(uint64_t count) {
    for (; count >= 255; count -= 255) put(255);
    put(count);
  }
  ByteView view() const { return {bytes_.get(), size_}; }
  void clear() { size_ = 0; }

 private:
  // Most planes of a column get nothing, and then nothing of their memory is touched.
  void grow(size_t more) {
    capacity_ = std::max(size_ + more, capacity_ * 2);
    auto grown = std::make_unique_for_overwrite<uint8_t[]>(capacity_);
    if (size_ != 0) std::memcpy(grown.get(), bytes_.get(), size_);
    bytes_ = std::move(grown);
  }
  std::unique_ptr<uint8_t[]> bytes_;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

class StreamPacker {
 public:
  explicit StreamPacker(int level) : level_(level) {}
  // Appends one stream to `out`.
  void pack(ByteView raw, ByteWriter& out);
  // Begins another frame.
  void restart() {
    if (context_ != nullptr) ZSTD_CCtx_reset(context_.get(), ZSTD_reset_session_only);
  }

 private:
  int level_;
  ZstdCompression context_;
  Bytes packed_;
};

// The bytes of a stream, one after the other. Reading past the end sets `failed`.
class PlaneReader {
 public:
  Bytes& buffer() { return bytes_; }
  void rewind() {
    at_ = 0;
    failed_ = false;
  }
  uint8_t next() {
    if (at_ == bytes_.size()) {
      failed_ = true;
      return 0;
    }
    return bytes_[at_++];
  }
  // UINT64_MAX when there is none: it lasts until the end.
  uint64_t next_count() {
    uint64_t count = 0;
    while (at_ < bytes_.size()) {
      const uint8_t byte = bytes_[at_++];
      count += byte;
      if (byte != 255) return count;
    }
    return UINT64_MAX;
  }
  bool failed() const { return failed_; }
  bool at_end() const { return at_ == bytes_.size(); }

 private:
  Bytes bytes_;
  size_t at_ = 0;
  bool failed_ = false;
};

class StreamUnpacker {
 public:
  // Reads one stream of at most `limit` bytes; false when it is not one.
  bool unpack(ByteReader& in, size_t limit, Bytes& raw);

 private:
  ZstdDecompression context_;
};

}  // namespace vestige::fast
