#include "codec/stream/packed/packed_stream.h"

#include <utility>

#include "codec/pack/block_cursor.h"
#include "codec/pack/segments.h"
#include "codec/pack/values.h"

namespace vestige {

namespace {

class PackedStreamEncoder final : public SegmentedEncoder {
 public:
  PackedStreamEncoder() : SegmentedEncoder(kPackedBlock) {}

 private:
  void encode_segment(std::span<const uint64_t> values, bool, ByteWriter& out) override {
    pack_values(values, out);
  }
};

class PackedStream final : public BlockSource {
 public:
  explicit PackedStream(SegmentedStream stream) : stream_(std::move(stream)) {}
  uint64_t size() const override { return stream_.size; }
  size_t block_values() const override { return kPackedBlock; }
  Result<void> decode(uint64_t n, std::span<uint64_t> out) override {
    ByteReader in(stream_.segments[n]);
    if (auto read = unpack_values(in, out); !read) return read;
    if (in.remaining() != 0)
      return fail(ErrorKind::corrupt, "packed stream: bytes are left behind a block");
    return {};
  }

 private:
  SegmentedStream stream_;
};

}  // namespace

std::unique_ptr<StreamEncoder> make_packed_stream_encoder() {
  return std::make_unique<PackedStreamEncoder>();
}

Result<std::unique_ptr<StreamCursor>> open_packed_stream(ByteView bytes) {
  auto stream = read_segments(bytes, kPackedBlock, "packed stream");
  if (!stream) return std::unexpected(std::move(stream.error()));
  return std::make_unique<BlockCursor>(std::make_unique<PackedStream>(std::move(*stream)));
}

}  // namespace vestige
