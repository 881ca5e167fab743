// Values that no predictor foresaw, bit by bit.
//
// First the shape, 0 … 15: the number of significant bytes (0 … 8), or 8 + n when all but the
// lowest n (1 … 7) bytes are those of a reference value, the last one of the same instruction. Then
// the remaining bytes from the highest down, each as two nibbles of four bits. Every bit is
// predicted from the histories (bit_history.h) it had in a few contexts: the byte's place and all
// higher bytes, for this instruction or anywhere; the same byte of the reference; the byte before.
//
// The histories of one context lie in one cache line: the 15 nodes of the high nibble's tree, and
// three trees of the low nibble for the high nibbles that came up last, each tagged with it. So a
// byte costs one cache miss per context, and the encoder, which knows the value, asks for all of
// them beforehand.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "codec/mix/bit_history.h"
#include "codec/mix/hashing.h"
#include "codec/mix/mixer.h"

namespace vestige::mix {

template <class Coder>
class LiteralModel {
 public:
  // 2^bits cache lines per context.
  explicit LiteralModel(unsigned bits)
      : shift_(64 - bits), mixer_(8 * 2 * 2 * 16, 4), shapes_(kShapeRows * 16, 32768) {
    for (auto& table : lines_) table.resize(size_t{1} << bits);
    for (auto& shares : shares_) {
      for (size_t h = 0; h < shares.size(); ++h) {
        const uint16_t p = kBitHistories.first_guess[h];
        shares[h] = {p, stretch(p)};
      }
    }
  }

  // `place` is a hash of the instruction, `reference` its last value, both known to the decoder.
  // Leaves the shape in `last_shape`.
  uint64_t code(Coder& coder, uint64_t value, uint64_t place, uint64_t reference,
                uint8_t& last_shape) {
    uint64_t shape = 0;
    if constexpr (!Coder::kDecoding) {
      shape = shape_of(value, reference);
      prefetch(value, shape, place, reference);
    }
    shape = code_shape(coder, shape, place);
    last_shape = static_cast<uint8_t>(shape);
    const unsigned bytes = shape <= 8 ? shape : shape - 8;
    uint64_t higher = shape <= 8 ? 0 : reference >> (8 * bytes);
    uint8_t before = static_cast<uint8_t>(shape);
    for (unsigned at = bytes; at-- > 0;) {
      before = code_byte(coder, static_cast<uint8_t>(value >> (8 * at)),
                         {place, higher, reference, before, at});
      higher = higher << 8 | before;
    }
    return higher;
  }

  // Asks for what the first byte needs if the shape is `shape`, while the decoder still works on
  // something else.
  void prefetch_first(uint8_t shape, uint64_t place, uint64_t reference) const {
    const unsigned bytes = shape <= 8 ? shape : shape - 8u;
    if (bytes == 0) return;
    const uint64_t higher = shape <= 8 ? 0 : reference >> (8 * bytes);
    const auto hashes = Where{place, higher, reference, shape, bytes - 1}.hashes();
    for (size_t c = 0; c < kContexts; ++c) __builtin_prefetch(&lines_[c][hashes[c] >> shift_]);
  }

 private:
  static constexpr size_t kContexts = 4;
  static constexpr size_t kShapeRows = 4096;
  static constexpr int kShareRate = 6;
  // A type of its own, not a character: stores to it alias nothing else.
  enum class History : uint8_t {};
  struct alignas(64) Line {
    std::array<std::array<History, 16>, 4> nodes{};  // [0]: high nibble, its [0] counts evictions;
                                                     // [1…3]: low nibble, [0] is 1 + the high one
  };
  // How often a one came after a history, and the same stretched.
  struct Share {
    uint16_t ones;
    int16_t evidence;
  };
  struct Where {
    uint64_t place, higher, reference;
    uint8_t before;
    unsigned at;

    bool follows_reference() const { return reference >> 8 >> (8 * at) == higher; }
    std::array<uint64_t, kContexts> hashes() const {
      const uint8_t same = static_cast<uint8_t>(reference >> (8 * at));
      return {hashed(place + higher * kHashB + at),
              hashed(uint64_t{before} * 64 + at + (uint64_t{follows_reference()} << 20)),
              hashed(place + at * 3 + (uint64_t{same} + 1) * kHashB), hashed(higher * 64 + at)};
    }
  };
  using Nodes = std::array<std::array<History, 16>*, kContexts>;

  static unsigned significant_bytes(uint64_t value) {
    return static_cast<unsigned>(std::bit_width(value) + 7) / 8;
  }
  static uint64_t shape_of(uint64_t value, uint64_t reference) {
    const unsigned plain = significant_bytes(value);
    const unsigned beside = significant_bytes(value ^ reference);
    return beside > 0 && beside < plain ? 8 + beside : plain;
  }

  void prefetch(uint64_t value, uint64_t shape, uint64_t place, uint64_t reference) const {
    uint8_t before = static_cast<uint8_t>(shape);
    for (unsigned at = shape <= 8 ? shape : shape - 8; at-- > 0;) {
      const uint64_t higher = value >> 8 >> (8 * at);
      const auto hashes = Where{place, higher, reference, before, at}.hashes();
      for (size_t c = 0; c < kContexts; ++c) __builtin_prefetch(&lines_[c][hashes[c] >> shift_]);
      before = static_cast<uint8_t>(value >> (8 * at));
    }
  }

  // Four bits under an adaptive probability each, whose step shrinks as it settles (its low four
  // bits count).
  uint64_t code_shape(Coder& coder, uint64_t shape, uint64_t place) {
    uint16_t* row = &shapes_[(place >> 52) * 16];
    unsigned node = 1;
    for (int i = 3; i >= 0; --i) {
      uint16_t& cell = row[node];
      const int p = cell >> 4;
      const uint32_t wide = static_cast<uint32_t>(p) * 16 + 8;
      const bool bit = coder.code(shape >> i & 1, wide < 64 ? 64 : wide > 65472 ? 65472 : wide);
      const int count = cell & 15;
      const int moved = p + ((bit ? 4095 : 0) - p) * 2 / (2 * count + 3);
      cell = static_cast<uint16_t>(moved << 4 | (count < 12 ? count + 1 : count));
      node = node * 2 + bit;
    }
    return node & 15;
  }

  uint8_t code_byte(Coder& coder, uint8_t byte, const Where& where) {
    const auto hashes = where.hashes();
    std::array<Line*, kContexts> line;
    Nodes nodes;
    for (size_t c = 0; c < kContexts; ++c) {
      line[c] = &lines_[c][hashes[c] >> shift_];
      nodes[c] = &line[c]->nodes[0];
    }
    const size_t set = (where.at * 2 + where.follows_reference()) * 2;
    const unsigned high = code_nibble(coder, byte >> 4, nodes, set);
    for (size_t c = 0; c < kContexts; ++c) nodes[c] = &low_nodes(*line[c], high);
    const unsigned low = code_nibble(coder, byte & 15, nodes, set + 1);
    return static_cast<uint8_t>(high << 4 | low);
  }

  static std::array<History, 16>& low_nodes(Line& line, unsigned high) {
    const auto tag = static_cast<History>(high + 1);
    for (size_t i = 1; i < 4; ++i) {
      if (line.nodes[i][0] == tag) return line.nodes[i];
    }
    size_t victim = 1;
    while (victim < 4 && line.nodes[victim][0] != History{}) ++victim;
    if (victim == 4) {
      const auto evictions = static_cast<uint8_t>(line.nodes[0][0]);
      line.nodes[0][0] = static_cast<History>(evictions + 1);
      victim = 1 + evictions % 3;
    }
    line.nodes[victim] = {tag};
    return line.nodes[victim];
  }

  unsigned code_nibble(Coder& coder, unsigned nibble, const Nodes& nodes, size_t set) {
    unsigned node = 1;
    for (int i = 3; i >= 0; --i) {
      std::array<uint8_t, kContexts> history;
      for (size_t c = 0; c < kContexts; ++c) history[c] = static_cast<uint8_t>((*nodes[c])[node]);
      const typename Mixer<1>::Inputs inputs = {
          Lanes{shares_[0][history[0]].evidence, shares_[1][history[1]].evidence,
                shares_[2][history[2]].evidence, shares_[3][history[3]].evidence, 128, 0, 0, 0}};
      const size_t weights = set * 16 + node;
      const uint32_t p = squash(mixer_.mix(inputs, weights));
      const bool bit = coder.code_level(nibble >> i & 1, p);
      mixer_.learn(inputs, weights, bit, p);
      for (size_t c = 0; c < kContexts; ++c) {
        Share& share = shares_[c][history[c]];
        learn(share.ones, bit, kShareRate);
        share.evidence = stretch(share.ones);
        (*nodes[c])[node] = static_cast<History>(kBitHistories.next[history[c]][bit]);
      }
      node = node * 2 + bit;
    }
    return node & 15;
  }

  unsigned shift_;
  Mixer<1> mixer_;
  std::vector<uint16_t> shapes_;
  std::array<std::vector<Line>, kContexts> lines_;
  std::array<std::array<Share, 256>, kContexts> shares_;  // by history
};

}  // namespace vestige::mix
