// The decoder of packed_words.h.

#include <algorithm>
#include <bit>

#include "base/zstd_context.h"
#include "codec/word/packed/packed_words.h"

namespace vestige {

namespace {

std::unexpected<Error> bad(const std::string& what) {
  return fail(ErrorKind::corrupt, "packed words: " + what);
}

class PackedBlocks final : public WordCursor::Blocks {
 public:
  static Result<std::unique_ptr<WordCursor::Blocks>> open(ByteView bytes) {
    std::unique_ptr<PackedBlocks> self(new PackedBlocks);
    ByteReader in(bytes);
    self->size_ = in.varint();
    self->dictionary_.resize(in.count());
    int64_t word = 0;
    for (uint32_t& entry : self->dictionary_) {
      // Modulo 2^64 so that hostile deltas are defined; the range check catches them.
      word =
          static_cast<int64_t>(static_cast<uint64_t>(word) + static_cast<uint64_t>(in.svarint()));
      if (word < 0 || word > UINT32_MAX) return bad("a dictionary word does not fit 32 bits");
      entry = static_cast<uint32_t>(word);
    }
    const uint64_t blocks = self->size_ / kWordBlock + (self->size_ % kWordBlock != 0);
    if (in.failed() || blocks > in.remaining() / 2) return bad("the header is cut short");
    self->rows_.resize(blocks);
    for (Row& row : self->rows_) {
      row.width = in.u8();
      row.size = in.varint();
    }
    for (Row& row : self->rows_) {
      if (!std::has_single_bit(row.width) || row.width > 32) return bad("a block has a bad width");
      row.bytes = in.bytes(row.size);
    }
    if (in.failed()) return bad("a block is cut short");
    return std::unique_ptr<WordCursor::Blocks>(std::move(self));
  }

  uint64_t size() const override { return size_; }

  Result<std::span<const uint32_t>> decode(uint64_t n) override {
    if (n >= rows_.size()) return bad("there is no block " + std::to_string(n));
    const Row& row = rows_[n];
    const size_t words = std::min<uint64_t>(kWordBlock, size_ - n * kWordBlock);
    packed_.resize((words * row.width + 7) / 8);
    const size_t got = ZSTD_decompressDCtx(zstd_.get(), packed_.data(), packed_.size(),
                                           row.bytes.data(), row.bytes.size());
    if (ZSTD_isError(got) || got != packed_.size())
      return bad("block " + std::to_string(n) + " does not decompress");
    block_.resize(words);
    if (!unpack(row.width))
      return bad("block " + std::to_string(n) + " names a word outside the dictionary");
    return std::span<const uint32_t>(block_);
  }

 private:
  struct Row {
    uint8_t width = 0;
    uint64_t size = 0;
    ByteView bytes;
  };
  PackedBlocks() : zstd_(make_zstd_decompression()) {}

  bool unpack(uint8_t width) {
    switch (width) {
      case 32:
        return look_up<uint32_t>();
      case 16:
        return look_up<uint16_t>();
      case 8:
        return look_up<uint8_t>();
      default:
        break;
    }
    const uint32_t mask = (1u << width) - 1;
    uint32_t highest = 0;
    for (size_t i = 0; i < block_.size(); ++i) {
      block_[i] = (packed_[i * width / 8] >> (i * width % 8)) & mask;
      highest = std::max(highest, block_[i]);
    }
    return from_dictionary(highest);
  }
  template <class T>
  bool look_up() {
    uint32_t highest = 0;
    for (size_t i = 0; i < block_.size(); ++i) {
      T index;
      std::memcpy(&index, packed_.data() + i * sizeof(T), sizeof(T));
      block_[i] = index;
      highest = std::max<uint32_t>(highest, index);
    }
    return from_dictionary(highest);
  }
  bool from_dictionary(uint32_t highest) {
    if (highest >= dictionary_.size()) return false;
    for (uint32_t& word : block_) word = dictionary_[word];
    return true;
  }

  ZstdDecompression zstd_;
  uint64_t size_ = 0;
  std::vector<uint32_t> dictionary_;
  std::vector<Row> rows_;
  Bytes packed_;
  std::vector<uint32_t> block_;
};

}  // namespace

Result<std::unique_ptr<WordCursor::Blocks>> open_packed_blocks(ByteView bytes) {
  return PackedBlocks::open(bytes);
}

}  // namespace vestige
