#include "codec/pack/bits.h"

#include <algorithm>
#include <bit>

#include "codec/entropy/zstd_frame.h"
#include "codec/pack/values.h"

namespace vestige {

namespace {

enum BitForm : uint8_t {
  zeros = 0,
  ones = 1,
  raw = 2,
  zstd = 3,
  at_ones = 4,
  at_zeros = 5,
  runs = 6
};

// Fewer bytes than this do not shrink behind a frame header.
constexpr size_t kFewestForZstd = 32;

uint64_t last_word_mask(size_t bits) { return bits % 64 == 0 ? ~0ull : (1ull << bits % 64) - 1; }

uint64_t word_of(std::span<const uint64_t> words, size_t i, size_t bits, bool inverted) {
  const uint64_t mask = i + 1 == words.size() ? last_word_mask(bits) : ~0ull;
  return (inverted ? ~words[i] : words[i]) & mask;
}

std::vector<uint64_t> gaps_of(std::span<const uint64_t> words, size_t bits, bool inverted) {
  std::vector<uint64_t> gaps;
  uint64_t next = 0;
  for (size_t i = 0; i < words.size(); ++i)
    for (uint64_t word = word_of(words, i, bits, inverted); word != 0; word &= word - 1) {
      const uint64_t at = i * 64 + static_cast<unsigned>(std::countr_zero(word));
      gaps.push_back(at - next);
      next = at + 1;
    }
  return gaps;
}

std::vector<uint64_t> runs_of(std::span<const uint64_t> words, size_t bits) {
  std::vector<uint64_t> lengths;
  size_t begin = 0;
  bool value = false;
  for (size_t at = 0; at < bits;) {
    // The next bit that differs from `value`, a word at a time.
    const uint64_t word = word_of(words, at / 64, bits, value) >> at % 64;
    const size_t left = std::min<size_t>(64 - at % 64, bits - at);
    const size_t same = std::min<size_t>(static_cast<size_t>(std::countr_zero(word)), left);
    at += same;
    if (same == left) continue;
    lengths.push_back(at - begin);
    begin = at;
    value = !value;
  }
  lengths.push_back(bits - begin);
  return lengths;
}

void set_range(std::vector<uint64_t>& words, uint64_t begin, uint64_t end) {
  for (uint64_t at = begin; at < end;) {
    const uint64_t n = std::min<uint64_t>(64 - at % 64, end - at);
    words[at / 64] |= (n == 64 ? ~0ull : (1ull << n) - 1) << at % 64;
    at += n;
  }
}

std::unexpected<Error> bad() { return fail(ErrorKind::corrupt, "packed bits are damaged"); }

}  // namespace

void pack_bits(std::span<const uint64_t> words, size_t bits, ByteWriter& out) {
  if (bits == 0) return;
  size_t set = 0, changes = 0;
  uint64_t before = 0;
  for (size_t i = 0; i < words.size(); ++i) {
    set += static_cast<size_t>(std::popcount(words[i]));
    changes += static_cast<size_t>(std::popcount(words[i] ^ (words[i] << 1 | before)));
    before = words[i] >> 63;
  }
  if (set == 0 || set == bits) return out.u8(set == 0 ? zeros : ones);

  Bytes plain(bits / 8 + (bits % 8 != 0));
  std::memcpy(plain.data(), words.data(), plain.size());
  uint8_t form = raw;
  Bytes body = plain;
  const auto offer = [&](uint8_t other, Bytes bytes) {
    if (bytes.size() < body.size()) {
      form = other;
      body = std::move(bytes);
    }
  };
  // Lists longer than this cannot be shorter than the bits unless zstd sees something, and then it
  // sees it in the bits too.
  const size_t most = bits / 6 + 8;
  if (set <= most) offer(at_ones, pack_values(gaps_of(words, bits, false)));
  if (bits - set <= most) offer(at_zeros, pack_values(gaps_of(words, bits, true)));
  if (changes <= most) offer(runs, pack_values(runs_of(words, bits)));
  if (plain.size() >= kFewestForZstd && body.size() >= kFewestForZstd) {
    const Bytes frame = zstd_compress(plain);
    ByteWriter sized;
    sized.varint(frame.size());
    sized.bytes(frame);
    offer(zstd, sized.take());
  }
  out.u8(form);
  out.bytes(body);
}

Result<std::vector<uint64_t>> unpack_bits(ByteReader& in, size_t bits) {
  std::vector<uint64_t> words(words_for_bits(bits));
  if (bits == 0) return words;
  const uint8_t form = in.u8();
  const size_t plain = bits / 8 + (bits % 8 != 0);
  const std::span<uint8_t> bytes(reinterpret_cast<uint8_t*>(words.data()), plain);
  switch (form) {
    case zeros:
      break;
    case ones:
      set_range(words, 0, bits);
      break;
    case raw: {
      const ByteView body = in.bytes(plain);
      if (in.failed()) return bad();
      std::ranges::copy(body, bytes.begin());
      break;
    }
    case zstd: {
      const ByteView frame = in.bytes(in.varint());
      if (in.failed() || !zstd_decompress(frame, bytes)) return bad();
      break;
    }
    case at_ones:
    case at_zeros:
    case runs: {
      const auto gaps = unpack_values(in, bits + 1);
      if (!gaps) return std::unexpected(gaps.error());
      if (form == at_zeros) set_range(words, 0, bits);
      uint64_t at = 0;
      bool value = false;
      for (const uint64_t gap : *gaps) {
        if (gap > bits - at || (form != runs && gap == bits - at)) return bad();
        if (form == runs) {
          if (value) set_range(words, at, at + gap);
          at += gap;
          value = !value;
        } else {
          at += gap;
          words[at / 64] ^= 1ull << at % 64;
          ++at;
        }
      }
      if (form == runs && at != bits) return bad();
      break;
    }
    default:
      return bad();
  }
  if (in.failed() || (words.back() & ~last_word_mask(bits)) != 0) return bad();
  return words;
}

}  // namespace vestige
