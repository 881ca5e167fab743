// Hostile bytes for each codec. The first byte says how to take the rest:
//   0, 1   as a stream of codec packed or context
//   2      as the four sections of one block of codec context, before their compression, so that
//          what lies behind zstd is reached: u8 width, u8 entries, u16 words, then sections with
//          a u8 length in front
//   3      as packed indices of one block before their compression: u8 log2 of the width, u16
//          words, the indices
#include <zstd.h>

#include <algorithm>

#include "codec/word_codec.h"
#include "kinds.h"

namespace vestige {
namespace {

Bytes compress(ByteView raw) {
  if (raw.empty()) return {};
  Bytes frame(ZSTD_compressBound(raw.size()));
  frame.resize(ZSTD_compress(frame.data(), frame.size(), raw.data(), raw.size(), 1));
  return frame;
}

Bytes context_stream(ByteReader in) {
  const uint8_t width = in.u8(), entries = in.u8();
  const uint16_t words = in.u16();
  ByteWriter block;
  Bytes sections[4];
  for (Bytes& section : sections) {
    section = compress(in.bytes(std::min<size_t>(in.u8(), in.remaining())));
    block.varint(section.size());
  }
  block.varint(entries);
  block.u8(width);
  for (const Bytes& section : sections) block.bytes(section);
  ByteWriter stream;
  stream.varint(words);
  if (words > 0) stream.varint(block.size());
  stream.bytes(block.buffer());
  return stream.take();
}

Bytes packed_stream(ByteReader in) {
  const uint8_t width = static_cast<uint8_t>(1u << in.u8() % 8);
  const uint16_t words = in.u16();
  Bytes indices(in.remaining());
  const ByteView rest = in.bytes(in.remaining());
  std::copy(rest.begin(), rest.end(), indices.begin());
  indices.resize((size_t{words} * width + 7) / 8);
  const Bytes frame = compress(indices);
  ByteWriter stream;
  stream.varint(words);
  stream.varint(7);
  for (int i = 0; i < 7; ++i) stream.svarint(1000 - 300 * i % 700);
  stream.u8(width);
  stream.varint(frame.size());
  stream.bytes(frame);
  return stream.take();
}

void use(WordCodec codec, ByteView bytes) {
  auto cursor = WordCursor::open(codec, bytes);
  if (!cursor) return;
  constexpr uint64_t kSteps = 300'000;  // more than two blocks
  uint32_t word = 0, sum = 0;
  uint64_t forwards = 0, backwards = 0;
  for (; forwards < kSteps && cursor->next(word); ++forwards) sum += word;
  const bool damaged = cursor->error() != nullptr;
  require(cursor->position() == forwards, "a position");
  for (; cursor->prev(word); ++backwards) sum -= word;
  require(damaged || (forwards == backwards && sum == 0),
          "backwards is not the reverse of forwards");
  for (const uint64_t at : {cursor->size(), cursor->size() / 2, cursor->size() + 1, uint64_t{0}}) {
    if (cursor->seek(at)) require(cursor->position() == at, "a seek");
    (void)cursor->next(word);
  }
}

}  // namespace

void use_input(uint8_t kind, ByteView rest) {
  switch (kind % 4) {
    case 0:
      use(WordCodec::packed, rest);
      break;
    case 1:
      use(WordCodec::context, rest);
      break;
    case 2:
      use(WordCodec::context, context_stream(ByteReader(rest)));
      break;
    default:
      use(WordCodec::packed, packed_stream(ByteReader(rest)));
      break;
  }
}

}  // namespace vestige
