#include "codec/stream/checkpoint/checkpoint_stream.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "codec/entropy/zstd_frame.h"
#include "codec/pack/block_cursor.h"
#include "codec/pack/segments.h"
#include "codec/pack/values.h"

namespace vestige {

namespace {

std::unexpected<Error> bad(const char* what) {
  return fail(ErrorKind::corrupt, std::string("checkpoint stream: ") + what);
}

class CheckpointStream final : public BlockSource {
 public:
  explicit CheckpointStream(SegmentedStream stream) : stream_(std::move(stream)) {}
  uint64_t size() const override { return stream_.size; }
  size_t block_values() const override { return kCheckpointBlock; }

  Result<void> decode(uint64_t n, std::span<uint64_t> out) override {
    if (auto entered = enter(n / kCheckpointBlocks); !entered) return entered;
    const size_t block = n % kCheckpointBlocks;
    if (!shared_) return whole(blocks_[block], out);
    ByteReader in(blocks_[block]);
    const uint8_t form = in.u8();
    const ByteView body = blocks_[block].subspan(in.at());
    if (form == 0 && block >= kCheckpointText) return whole(body, out);
    if (form == 1) {
      if (auto read = whole(body, out); !read) return read;
      return look_up(out);
    }
    if (form != 2) return bad("a block has an unknown form");
    if (block < kCheckpointText && out.size() == kCheckpointBlock) {
      // Later blocks will need its text too.
      if (auto read = read_text(block + 1); !read) return read;
      return look_up(text_before(block + 1).last(kCheckpointBlock * width_), out);
    }
    const size_t before = std::min(block, kCheckpointText);
    if (auto read = read_text(before); !read) return read;
    text_of_block_.resize(out.size() * width_);
    if (!zstd_decompress(body, text_of_block_, text_before(before)))
      return bad("a block does not decompress");
    return look_up(text_of_block_, out);
  }

 private:
  static Result<void> whole(ByteView bytes, std::span<uint64_t> out) {
    ByteReader in(bytes);
    if (auto read = unpack_values(in, out); !read) return read;
    if (in.remaining() != 0) return bad("bytes are left behind a block");
    return {};
  }

  // Reads what the blocks of a segment share.
  Result<void> enter(uint64_t segment) {
    if (segment_ == segment) return {};
    segment_.reset();
    const size_t count =
        std::min<uint64_t>(kCheckpointSegment, stream_.size - segment * kCheckpointSegment);
    ByteReader in(stream_.segments[segment]);
    const uint8_t kind = in.u8();
    if (in.failed() || kind > 1) return bad("a segment has an unknown kind");
    shared_ = kind == 1;
    if (shared_) {
      auto dictionary = unpack_values(in, count);
      if (!dictionary) return std::unexpected(dictionary.error());
      dictionary_ = std::move(*dictionary);
      width_ = dictionary_.size() <= 256 ? 1 : 2;
    }
    if (!read_pieces(in, (count + kCheckpointBlock - 1) / kCheckpointBlock, blocks_))
      return bad("a block is cut short");
    text_.clear();
    segment_ = segment;
    return {};
  }

  ByteView text_before(size_t blocks) const {
    return ByteView(text_).first(blocks * kCheckpointBlock * width_);
  }
  // Makes text_ hold the index text of the first `blocks` blocks at least. They are full ones:
  // another follows.
  Result<void> read_text(size_t blocks) {
    const size_t size = kCheckpointBlock * width_;
    for (size_t n = text_.size() / size; n < blocks; ++n) {
      ByteReader in(blocks_[n]);
      const uint8_t form = in.u8();
      const ByteView body = blocks_[n].subspan(in.at());
      Bytes text(size);
      if (form == 1) {
        indices_.resize(kCheckpointBlock);
        if (auto read = whole(body, indices_); !read) return read;
        for (size_t i = 0; i < indices_.size(); ++i)
          std::memcpy(&text[i * width_], &indices_[i], width_);
      } else if (form != 2 || !zstd_decompress(body, text, text_)) {
        return bad("a block that others need does not decompress");
      }
      text_.insert(text_.end(), text.begin(), text.end());
    }
    return {};
  }
  Result<void> look_up(ByteView text, std::span<uint64_t> out) const {
    if (width_ == 1) {
      std::ranges::copy(text, out.begin());
      return look_up(out);
    }
    for (size_t i = 0; i < out.size(); ++i) {
      uint16_t index;
      std::memcpy(&index, &text[i * 2], sizeof index);
      out[i] = index;
    }
    return look_up(out);
  }
  Result<void> look_up(std::span<uint64_t> indices) const {
    uint64_t highest = 0;
    for (const uint64_t index : indices) highest = std::max(highest, index);
    if (highest >= dictionary_.size()) return bad("an index is outside the dictionary");
    for (uint64_t& index : indices) index = dictionary_[index];
    return {};
  }

  SegmentedStream stream_;
  // Of the segment last entered.
  std::optional<uint64_t> segment_;
  bool shared_ = false;
  std::vector<uint64_t> dictionary_;
  size_t width_ = 1;
  std::vector<ByteView> blocks_;
  Bytes text_;  // of its first blocks, as far as they were needed
  Bytes text_of_block_;
  std::vector<uint64_t> indices_;
};

}  // namespace

Result<std::unique_ptr<StreamCursor>> open_checkpoint(ByteView bytes) {
  auto stream = read_segments(bytes, kCheckpointSegment, "checkpoint stream");
  if (!stream) return std::unexpected(std::move(stream.error()));
  return std::make_unique<BlockCursor>(std::make_unique<CheckpointStream>(std::move(*stream)));
}

}  // namespace vestige
