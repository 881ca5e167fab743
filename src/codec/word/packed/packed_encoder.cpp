// The encoder of packed_words.h.

#include <algorithm>
#include <bit>

#include "base/zstd_context.h"
#include "codec/pack/word_numbers.h"
#include "codec/word/packed/packed_words.h"

namespace vestige {

namespace {

constexpr int kLevel = 1;

uint8_t width_for(size_t entries) {
  const auto bits = static_cast<unsigned>(std::bit_width(entries > 1 ? entries - 1 : 1));
  return static_cast<uint8_t>(std::bit_ceil(bits));
}

Bytes pack(std::span<const uint32_t> indices, uint8_t width) {
  Bytes out((indices.size() * width + 7) / 8);
  const auto spread = [&]<class T>(T) {
    for (size_t i = 0; i < indices.size(); ++i) {
      const T value = static_cast<T>(indices[i]);
      std::memcpy(out.data() + i * sizeof(T), &value, sizeof(T));
    }
  };
  switch (width) {
    case 32:
      spread(uint32_t{});
      break;
    case 16:
      spread(uint16_t{});
      break;
    case 8:
      spread(uint8_t{});
      break;
    default:
      for (size_t i = 0; i < indices.size(); ++i)
        out[i * width / 8] |= static_cast<uint8_t>(indices[i] << (i * width % 8));
  }
  return out;
}

class PackedEncoder final : public WordEncoder {
 public:
  PackedEncoder() : zstd_(make_zstd_compression()) { block_.reserve(kWordBlock); }
  PackedEncoder(const PackedEncoder&) = delete;
  PackedEncoder& operator=(const PackedEncoder&) = delete;

  void append(std::span<const uint32_t> words) override {
    size_ += words.size();
    while (!words.empty()) {
      const size_t n = std::min<size_t>(words.size(), kWordBlock - block_.size());
      for (const uint32_t word : words.first(n)) block_.push_back(dictionary_.number(word));
      words = words.subspan(n);
      if (block_.size() == kWordBlock) close_block();
    }
  }
  uint64_t size() const override { return size_; }
  uint64_t encoded_bytes() const override { return blocks_.size(); }

  Bytes finish() override {
    if (!block_.empty()) close_block();
    ByteWriter out;
    out.varint(size_);
    out.varint(dictionary_.words().size());
    uint32_t before = 0;
    for (const uint32_t word : dictionary_.words()) {
      out.svarint(static_cast<int64_t>(word) - before);
      before = word;
    }
    out.bytes(rows_.buffer());
    out.bytes(blocks_);
    size_ = 0;
    rows_ = {};
    blocks_.clear();
    dictionary_ = {};
    return out.take();
  }

 private:
  void close_block() {
    const uint8_t width = width_for(dictionary_.words().size());
    const Bytes raw = pack(block_, width);
    const size_t begin = blocks_.size();
    blocks_.resize(begin + ZSTD_compressBound(raw.size()));
    const size_t n = ZSTD_compressCCtx(zstd_.get(), blocks_.data() + begin, blocks_.size() - begin,
                                       raw.data(), raw.size(), kLevel);
    blocks_.resize(begin + n);  // compressBound was given: it cannot fail
    rows_.u8(width);
    rows_.varint(n);
    block_.clear();
  }

  ZstdCompression zstd_;
  WordNumbers dictionary_;
  std::vector<uint32_t> block_;  // indices of the block being filled
  ByteWriter rows_;
  Bytes blocks_;
  uint64_t size_ = 0;
};

}  // namespace

std::unique_ptr<WordEncoder> make_packed_encoder() { return std::make_unique<PackedEncoder>(); }

}  // namespace vestige
