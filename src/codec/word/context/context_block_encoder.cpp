#include "codec/word/context/context_block_encoder.h"

#include <algorithm>
#include <cstring>

#include "codec/pack/word_numbers.h"
#include "codec/word_codec.h"

namespace vestige {

namespace {

constexpr int kZstdLevel = 1;

// Eight bytes of 0 or 1 into the bits of one.
uint8_t pack_bits(const uint8_t* bytes) {
  uint64_t v = 0;
  std::memcpy(&v, bytes, 8);
  return static_cast<uint8_t>(v * 0x0102040810204080 >> 56);
}

template <class Number>
void narrow(std::vector<uint32_t>& numbers, size_t count) {
  auto* out = reinterpret_cast<uint8_t*>(numbers.data());
  for (size_t i = 0; i < count; ++i) {
    const auto number = static_cast<Number>(numbers[i]);
    std::memcpy(out + i * sizeof number, &number, sizeof number);
  }
}

}  // namespace

ContextBlockEncoder::ContextBlockEncoder()
    : zstd_(make_zstd_compression()),
      flags_(kWordBlock / 8),
      seconds_(kWordBlock / 8 + 1),
      unpacked_(kWordBlock + 8),
      missed_(kWordBlock + 1) {}
ContextBlockEncoder::~ContextBlockEncoder() = default;

Bytes ContextBlockEncoder::encode(std::span<const uint32_t> words,
                                  std::span<const LeftOut> left_out, ContextTable& table) {
  size_t size = words.size();
  for (const LeftOut& run : left_out) size += run.count;
  // A branch per word is cheapest where the machine foresees it; where it does not, doing
  // everything always is. Both give the same.
  const bool branches = branching_.begin();
  const Counts counts =
      branches ? predict<true>(words, left_out, table) : predict<false>(words, left_out, table);
  branching_.end(words.size());
  for (size_t i = 0; i < counts.seconds; i += 8) seconds_[i / 8] = pack_bits(&unpacked_[i]);

  WordNumbers numbers;
  for (size_t i = 0; i < counts.misses; ++i) missed_[i] = numbers.number(missed_[i]);
  const size_t entries = numbers.words().size();
  const uint8_t width = entries <= 256 ? 1 : entries <= 65536 ? 2 : 4;
  if (width == 1) narrow<uint8_t>(missed_, counts.misses);
  if (width == 2) narrow<uint16_t>(missed_, counts.misses);
  ByteWriter dictionary;
  int64_t last = 0;
  for (const uint32_t word : numbers.words()) {
    dictionary.svarint(word - last);
    last = word;
  }

  squeezed_.clear();
  ByteWriter out;
  out.varint(squeeze(flags_.data(), (size + 7) / 8));
  out.varint(squeeze(seconds_.data(), (counts.seconds + 7) / 8));
  out.varint(squeeze(missed_.data(), counts.misses * width));
  out.varint(squeeze(dictionary.buffer().data(), dictionary.size()));
  out.varint(entries);
  out.u8(width);
  out.bytes(squeezed_);
  return out.take();
}

// Fills flags_, unpacked_ (the second flags, a byte each) and missed_. Those left out have flag 0.
template <bool kBranch>
ContextBlockEncoder::Counts ContextBlockEncoder::predict(std::span<const uint32_t> words,
                                                         std::span<const LeftOut> left_out,
                                                         ContextTable& table) {
  ContextTable::Pair* pairs = table.data();
  ContextTable::Context context;
  Counts counts;
  std::ranges::fill(flags_, 0);
  size_t at = 0;  // among all words; i is among those that are here
  for (size_t i = 0, run = 0;; ++run) {
    const size_t stop = run < left_out.size() ? left_out[run].at : words.size();
    while (i < stop) {
      const size_t bit = at % 64, n = std::min(stop - i, 64 - bit);
      uint64_t flags = 0;
      for (size_t k = 0; k < n; ++k) {
        const uint32_t word = words[i + k];
        ContextTable::Pair& slot = pairs[context.index()];
        const ContextTable::Pair pair = slot;
        const bool second = pair.latest != word;
        if (!kBranch || second) {
          const bool miss = second & (pair.before != word);
          flags |= uint64_t{second} << (bit + k);
          unpacked_[counts.seconds] = miss;
          counts.seconds += second;
          missed_[counts.misses] = word;
          counts.misses += miss;
          slot = {word, second ? pair.latest : pair.before};
        }
        context.push(word);
      }
      uint8_t* place = flags_.data() + at / 64 * 8;
      uint64_t before = 0;
      std::memcpy(&before, place, 8);
      flags |= before;
      std::memcpy(place, &flags, 8);
      i += n;
      at += n;
    }
    if (run == left_out.size()) break;
    at += left_out[run].count;
  }
  std::fill_n(unpacked_.begin() + counts.seconds, 8, uint8_t{0});
  return counts;
}

// Appends the compressed bytes to squeezed_ and gives how many there are.
size_t ContextBlockEncoder::squeeze(const void* bytes, size_t size) {
  if (size == 0) return 0;
  const size_t at = squeezed_.size();
  squeezed_.resize(at + ZSTD_compressBound(size));
  const size_t used = ZSTD_compressCCtx(zstd_.get(), squeezed_.data() + at, squeezed_.size() - at,
                                        bytes, size, kZstdLevel);
  squeezed_.resize(at + used);
  return used;
}

}  // namespace vestige
