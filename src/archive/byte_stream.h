// Bytes in and bytes out, front to back, never back: what lies behind may be a file, a pipe or
// memory.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

#include "base/bytes.h"
#include "vestige/result.h"

namespace vestige {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Fills `out`; gives fewer bytes only at the end.
  virtual Result<size_t> read(std::span<uint8_t> out) = 0;
  virtual uint64_t size() const = 0;            // 0 when it is not known
  virtual const std::string& name() const = 0;  // for messages
  // A source of its own, from byte `at` on, counted from where this one began; it must not outlive
  // this one, and may be read from another thread. Null where nothing can be read twice (pipes).
  virtual std::unique_ptr<ByteSource> from(uint64_t) const { return nullptr; }
};

class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual Result<void> write(ByteView bytes) = 0;
};

class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(ByteView bytes, std::string name = "memory")
      : whole_(bytes), bytes_(bytes), name_(std::move(name)) {}
  Result<size_t> read(std::span<uint8_t> out) override {
    const size_t n = std::min(out.size(), bytes_.size());
    if (n > 0) std::memcpy(out.data(), bytes_.data(), n);
    bytes_ = bytes_.subspan(n);
    return n;
  }
  uint64_t size() const override { return whole_.size(); }
  const std::string& name() const override { return name_; }
  std::unique_ptr<ByteSource> from(uint64_t at) const override {
    return std::make_unique<MemorySource>(whole_.subspan(std::min<uint64_t>(at, whole_.size())),
                                          name_);
  }

 private:
  ByteView whole_;
  ByteView bytes_;  // not yet read
  std::string name_;
};

class MemorySink final : public ByteSink {
 public:
  Result<void> write(ByteView bytes) override {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return {};
  }
  const Bytes& bytes() const { return bytes_; }

 private:
  Bytes bytes_;
};

// Looks at bytes of a source before they are used up, and counts what was.
class PeekSource {
 public:
  explicit PeekSource(ByteSource& source) : source_(source) {}

  // The next `n` bytes, fewer when there are no more; they stay until the next call of anything.
  Result<ByteView> peek(size_t n) {
    if (at_ >= head_.size() - at_) {
      head_.erase(head_.begin(), head_.begin() + static_cast<std::ptrdiff_t>(at_));
      at_ = 0;
    }
    if (const size_t has = head_.size(); n > has - at_) {
      head_.resize(at_ + n);
      const Result<size_t> got = source_.read(std::span(head_).subspan(has));
      if (!got) return std::unexpected(got.error());
      head_.resize(has + *got);
    }
    return ByteView(head_).subspan(at_, std::min(n, head_.size() - at_));
  }
  Result<size_t> read(std::span<uint8_t> out) {
    const size_t kept = std::min(out.size(), head_.size() - at_);
    if (kept > 0) std::memcpy(out.data(), head_.data() + at_, kept);
    at_ += kept;
    if (at_ == head_.size() && at_ > 0) {
      head_ = Bytes();
      at_ = 0;
    }
    const Result<size_t> got = source_.read(out.subspan(kept));
    if (!got) return got;
    read_ += kept + *got;
    return kept + *got;
  }
  uint64_t bytes_read() const { return read_; }
  uint64_t size() const { return source_.size(); }
  const std::string& name() const { return source_.name(); }

 private:
  ByteSource& source_;
  Bytes head_;
  size_t at_ = 0;
  uint64_t read_ = 0;
};

}  // namespace vestige
