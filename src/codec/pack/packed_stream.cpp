#include "codec/pack/packed_stream.h"

#include <algorithm>
#include <vector>

#include "codec/pack/block_cursor.h"
#include "codec/pack/values.h"

namespace vestige {

namespace {

std::unexpected<Error> bad(const char* what) {
  return fail(ErrorKind::corrupt, std::string("packed stream: ") + what);
}

class PackedStreamEncoder final : public StreamEncoder {
 public:
  void append(std::span<const uint64_t> values) override {
    size_ += values.size();
    while (!values.empty()) {
      if (block_.size() == kPackedBlock) close_block();
      const size_t n = std::min(values.size(), kPackedBlock - block_.size());
      block_.insert(block_.end(), values.begin(), values.begin() + static_cast<ptrdiff_t>(n));
      values = values.subspan(n);
    }
  }
  uint64_t size() const override { return size_; }

  Bytes finish() override {
    ByteWriter out;
    out.varint(size_);
    for (const size_t size : sizes_) out.varint(size);
    out.bytes(blocks_.buffer());
    if (!block_.empty()) pack_values(block_, out);
    *this = PackedStreamEncoder();
    return out.take();
  }

 private:
  void close_block() {
    const size_t begin = blocks_.size();
    pack_values(block_, blocks_);
    sizes_.push_back(blocks_.size() - begin);
    block_.clear();
  }
  uint64_t size_ = 0;
  std::vector<uint64_t> block_;
  std::vector<size_t> sizes_;
  ByteWriter blocks_;
};

class PackedStream final : public BlockSource {
 public:
  static Result<std::unique_ptr<BlockSource>> open(ByteView bytes) {
    auto self = std::make_unique<PackedStream>();
    ByteReader in(bytes);
    self->size_ = in.varint();
    const uint64_t blocks = self->size_ / kPackedBlock + (self->size_ % kPackedBlock != 0);
    if (in.failed() || blocks > in.remaining() || (blocks == 0 && in.remaining() > 0))
      return bad("the header is damaged");
    std::vector<uint64_t> sizes(blocks == 0 ? 0 : blocks - 1);
    for (uint64_t& size : sizes) size = in.varint();
    for (const uint64_t size : sizes) self->blocks_.push_back(in.bytes(size));
    if (blocks > 0) self->blocks_.push_back(in.bytes(in.remaining()));
    if (in.failed()) return bad("a block is cut short");
    return self;
  }
  uint64_t size() const override { return size_; }
  size_t block_values() const override { return kPackedBlock; }
  Result<void> decode(uint64_t n, std::span<uint64_t> out) override {
    ByteReader in(blocks_[n]);
    if (auto read = unpack_values(in, out); !read) return read;
    if (in.remaining() != 0) return bad("bytes are left behind a block");
    return {};
  }

 private:
  uint64_t size_ = 0;
  std::vector<ByteView> blocks_;
};

}  // namespace

std::unique_ptr<StreamEncoder> make_packed_stream_encoder() {
  return std::make_unique<PackedStreamEncoder>();
}

Result<std::unique_ptr<StreamCursor>> open_packed_stream(ByteView bytes) {
  auto source = PackedStream::open(bytes);
  if (!source) return std::unexpected(source.error());
  return std::make_unique<BlockCursor>(std::move(*source));
}

}  // namespace vestige
