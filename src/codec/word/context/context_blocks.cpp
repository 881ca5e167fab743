// The decoder of context_words.h.

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "base/zstd_context.h"
#include "codec/word/context/context_table.h"
#include "codec/word/context/context_words.h"

namespace vestige {

namespace {

std::unexpected<Error> corrupt(const char* what) {
  return fail(ErrorKind::corrupt, std::string("codec context: ") + what);
}

class ContextBlocks final : public WordCursor::Blocks {
 public:
  static Result<std::unique_ptr<WordCursor::Blocks>> open(ByteView bytes) {
    auto self = std::make_unique<ContextBlocks>();
    ByteReader in(bytes);
    self->words_ = in.varint();
    const uint64_t blocks = self->words_ / kWordBlock + (self->words_ % kWordBlock != 0);
    if (in.failed() || blocks > in.remaining()) return corrupt("a malformed block table");
    std::vector<uint64_t> sizes(blocks);
    for (uint64_t& size : sizes) size = in.count();
    for (const uint64_t size : sizes) self->blocks_.push_back(in.bytes(size));
    if (in.failed() || in.remaining() != 0) return corrupt("a malformed block table");
    return self;
  }
  ContextBlocks() : zstd_(make_zstd_decompression()), out_(kWordBlock) {}

  uint64_t size() const override { return words_; }

  Result<std::span<const uint32_t>> decode(uint64_t n) override {
    if (n == 0 || !have_trained_) {
      table_ = {};
      if (auto first = run(0); !first || n == 0) return first;
    }
    table_ = trained_;
    return run(n);
  }

 private:
  Result<std::span<const uint32_t>> run(uint64_t n) {
    const size_t words = std::min<uint64_t>(kWordBlock, words_ - n * kWordBlock);
    ByteReader in(blocks_[n]);
    uint64_t sizes[4];
    for (uint64_t& size : sizes) size = in.varint();
    const uint64_t entries = in.varint();
    const uint8_t width = in.u8();
    if (width != 1 && width != 2 && width != 4) in.fail();
    if (in.failed() || entries > words) return corrupt("a malformed block");
    const size_t most[4] = {(words + 7) / 8, (words + 7) / 8, words * width, entries * 10};
    for (int i = 0; i < 4; ++i) {
      auto section = expand(in.bytes(sizes[i]), most[i], buffers_[i]);
      if (!section) return std::unexpected(std::move(section.error()));
      sections_[i] = *section;
    }
    if (in.failed() || in.remaining() != 0) return corrupt("a malformed block");
    if (sections_[0].size() != most[0]) return corrupt("the flags have the wrong length");
    if (!read_dictionary(entries)) return corrupt("a malformed dictionary");
    if (!predict(words, width)) return corrupt("the flags and the misses do not fit together");
    if (n == 0) {
      trained_ = table_;
      have_trained_ = true;
    }
    return std::span<const uint32_t>(out_.data(), words);
  }

  bool read_dictionary(uint64_t entries) {
    ByteReader in(sections_[3]);
    dictionary_.resize(entries);
    uint64_t last = 0;  // modulo 2^64, so that hostile differences are defined
    for (uint32_t& word : dictionary_) {
      last += static_cast<uint64_t>(in.svarint());
      if (last > UINT32_MAX) in.fail();
      word = static_cast<uint32_t>(last);
    }
    return !in.failed() && in.remaining() == 0;
  }

  // The sections are followed by 8 zero bytes, so that a whole word of bits can be read anywhere.
  Result<ByteView> expand(ByteView frame, size_t most, Bytes& buffer) {
    buffer.resize(most + 8);
    size_t size = 0;
    if (!frame.empty()) {
      size = ZSTD_decompressDCtx(zstd_.get(), buffer.data(), most, frame.data(), frame.size());
      if (ZSTD_isError(size)) return corrupt("a block does not decompress");
    }
    std::memset(buffer.data() + size, 0, 8);
    return ByteView(buffer).first(size);
  }

  bool predict(size_t words, size_t width) {
    const size_t seconds = sections_[1].size() * 8, misses = sections_[2].size() / width;
    ContextTable::Pair* pairs = table_.data();
    ContextTable::Context context;
    const uint8_t* second_bits = buffers_[1].data();
    const uint8_t* miss_bytes = buffers_[2].data();
    size_t second = 0, miss = 0;
    for (size_t begin = 0; begin < words; begin += 64) {
      const size_t end = std::min(words, begin + 64);
      uint64_t flags = 0;
      std::memcpy(&flags, buffers_[0].data() + begin / 8, (end - begin + 7) / 8);
      for (size_t i = begin; i < end; ++i, flags >>= 1) {
        ContextTable::Pair& pair = pairs[context.index()];
        uint32_t word = pair.latest;
        // A word that follows itself, and is expected to, goes on as long as nothing is flagged.
        if ((flags & 1) == 0 && context.is_all(word)) {
          const size_t same = std::min<size_t>(flags == 0 ? 64 : std::countr_zero(flags), end - i);
          std::fill_n(out_.begin() + static_cast<std::ptrdiff_t>(i), same, word);
          i += same - 1;
          flags >>= same - 1;
          continue;
        }
        if (flags & 1) {
          if (second == seconds) return false;
          word = pair.before;
          if (second_bits[second / 8] >> (second % 8) & 1) {
            uint32_t number = 0;
            if (miss == misses) return false;
            std::memcpy(&number, miss_bytes + width * miss++, width);
            if (number >= dictionary_.size()) return false;
            word = dictionary_[number];
          }
          ++second;
          pair = {word, pair.latest};
        }
        out_[i] = word;
        context.push(word);
      }
    }
    return (second + 7) / 8 * 8 == seconds && miss * width == sections_[2].size();
  }

  ZstdDecompression zstd_;
  std::vector<uint32_t> dictionary_;
  std::vector<ByteView> blocks_;
  uint64_t words_ = 0;
  ContextTable table_, trained_;
  bool have_trained_ = false;
  Bytes buffers_[4];
  ByteView sections_[4];
  std::vector<uint32_t> out_;
};

}  // namespace

Result<std::unique_ptr<WordCursor::Blocks>> open_context_blocks(ByteView bytes) {
  return ContextBlocks::open(bytes);
}

}  // namespace vestige
