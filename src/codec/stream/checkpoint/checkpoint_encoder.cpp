// The encoder of checkpoint_stream.h.
#include <algorithm>
#include <vector>

#include "codec/entropy/zstd_frame.h"
#include "codec/pack/dictionary.h"
#include "codec/pack/segments.h"
#include "codec/pack/values.h"
#include "codec/stream/checkpoint/checkpoint_stream.h"

namespace vestige {

namespace {

using Values = std::span<const uint64_t>;

// A frame must save this part of the form without one to be worth its time.
constexpr size_t kZstdMargin = 32;

Bytes index_text(Values indices, size_t width) {
  Bytes text(indices.size() * width);
  for (size_t i = 0; i < indices.size(); ++i) std::memcpy(&text[i * width], &indices[i], width);
  return text;
}

template <class Pack>
std::vector<Bytes> blocks_of(size_t count, const Pack& pack) {
  std::vector<Bytes> blocks;
  for (size_t at = 0; at < count; at += kCheckpointBlock)
    blocks.push_back(pack(at, std::min(kCheckpointBlock, count - at)));
  return blocks;
}

Bytes with_form(uint8_t form, const Bytes& body) {
  Bytes block(1, form);
  block.insert(block.end(), body.begin(), body.end());
  return block;
}

void write_blocks(const std::vector<Bytes>& blocks, ByteWriter& out) {
  for (size_t i = 0; i + 1 < blocks.size(); ++i) out.varint(blocks[i].size());
  for (const Bytes& block : blocks) out.bytes(block);
}

Bytes segment_of(Values values) {
  const std::vector<Bytes> plain = blocks_of(
      values.size(), [&](size_t at, size_t n) { return pack_values(values.subspan(at, n)); });
  ByteWriter out;
  out.u8(0);
  write_blocks(plain, out);

  const std::vector<uint64_t> sorted = distinct_values(values);
  ByteWriter shared;
  shared.u8(1);
  pack_values(sorted, shared);
  if (shared.size() >= out.size()) return out.take();
  const std::vector<uint64_t> indices = dictionary_indices(values, sorted);
  const size_t width = sorted.size() <= 256 ? 1 : 2;
  const Bytes text = index_text(indices, width);
  write_blocks(
      blocks_of(values.size(),
                [&](size_t at, size_t n) {
                  Bytes best =
                      with_form(1, pack_values(Values(indices).subspan(at, n), PackGoal::speed));
                  const size_t before = std::min(at, kCheckpointText * kCheckpointBlock);
                  const Bytes frame = zstd_compress(ByteView(text).subspan(at * width, n * width),
                                                    ByteView(text).first(before * width));
                  if (frame.size() + frame.size() / kZstdMargin + 1 < best.size())
                    best = with_form(2, frame);
                  const Bytes& alone = plain[at / kCheckpointBlock];
                  if (at >= kCheckpointText * kCheckpointBlock && alone.size() + 1 < best.size())
                    best = with_form(0, alone);
                  return best;
                }),
      shared);
  return shared.size() < out.size() ? shared.take() : out.take();
}

class CheckpointEncoder final : public SegmentedEncoder {
 public:
  CheckpointEncoder() : SegmentedEncoder(kCheckpointSegment) {}

 private:
  void encode_segment(Values values, bool, ByteWriter& out) override {
    out.bytes(segment_of(values));
  }
};

}  // namespace

std::unique_ptr<StreamEncoder> make_checkpoint_encoder() {
  return std::make_unique<CheckpointEncoder>();
}

}  // namespace vestige
