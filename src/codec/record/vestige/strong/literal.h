// Values that no candidate foresaw: the number of significant bytes, then the bytes from the
// highest down, each as two nibbles of four bits.
//
//   literal := length:nibble byte*     length 0 … 8; bits from the highest down
//
// Every bit is predicted from the histories (bit_history.h) it had in up to eighteen contexts, all
// of them with the byte's place in the value: the higher bytes, beside what else may tell (hashes
// that the column gives); the byte of a reference value, beside how the higher bytes differ from
// the reference's, so that small sums and differences show; the instruction. What a history is
// worth is a Share per context; these are mixed and refined as in guesses.h.
//
// The histories of one context lie in one cache line: the 15 nodes of the high nibble's tree, and
// three trees of the low nibble for the high nibbles that came up last, each tagged with its own.
// A context has two lines to be in; its check is the first byte.
//
// Only values that come here are learnt: the candidates have taken the frequent ones.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "codec/entropy/bit_history.h"
#include "codec/record/vestige/strong/hash.h"
#include "codec/record/vestige/strong/mixer.h"
#include "codec/record/vestige/strong/refinement.h"
#include "codec/record/vestige/strong/table.h"

namespace vestige::strong {

struct alignas(64) HistoryLine {
  using Nodes = std::array<uint8_t, 16>;  // [1 … 15]: histories of the nodes of a nibble's tree
  std::array<Nodes, 4> nodes;             // [0]: high nibble, its [0] the check;
                                          // [1 … 3]: low nibble, [0] is 1 + the high one

  // Histories are numbered by how much they saw, so the least number is the least loss.
  Nodes& low(unsigned high) {
    const uint8_t tag = static_cast<uint8_t>(high + 1);
    size_t victim = 1;
    for (size_t i = 1; i < 4; ++i) {
      if (nodes[i][0] == tag) return nodes[i];
      if (nodes[i][1] < nodes[victim][1]) victim = i;
    }
    nodes[victim] = {tag};
    return nodes[victim];
  }
};

class HistoryTable {
 public:
  explicit HistoryTable(unsigned bits) : lines_(bits) {}
  void prefetch(uint64_t hash) { __builtin_prefetch(&lines_.at_hash(hash)); }
  HistoryLine& find(uint64_t hash) {
    const size_t at = lines_.index(hash);
    const uint8_t check = static_cast<uint8_t>(hash | 1);
    HistoryLine& first = lines_[at];
    if (first.nodes[0][0] == check) return first;
    HistoryLine& second = lines_[at ^ 1];
    if (second.nodes[0][0] == check) return second;
    HistoryLine& victim = first.nodes[0][1] <= second.nodes[0][1] ? first : second;
    victim = HistoryLine{};
    victim.nodes[0][0] = check;
    return victim;
  }

 private:
  BigTable<HistoryLine> lines_;
};

template <size_t kReferences, size_t kHashes>
struct LiteralContext {
  uint64_t place;                                // a hash of the instruction
  std::array<uint64_t, kReferences> references;  // values this one may be near
  std::array<uint64_t, kHashes> hashes;          // of what may tell it
};

// `kSelectors`: how many sets of weights are mixed, 1 … 3.
template <size_t kReferences, size_t kHashes, size_t kSelectors>
class LiteralCoder {
 public:
  using Context = LiteralContext<kReferences, kHashes>;

  // 2^bits cache lines per context; values are `width` bytes wide.
  LiteralCoder(unsigned bits, unsigned width)
      : width_(width),
        mixer_({.sets = selector_sets(),
                .final_sets = 9,
                .first_weight = 65536 / 5,
                .shift = 3,
                .haste = 0}),
        by_node_(9 * 256),
        by_place_(1 << kPlaceBits) {
    for (size_t c = 0; c < kContexts; ++c) {
      tables_.emplace_back(bits);
      for (size_t h = 0; h < 256; ++h)
        shares_[c][h] = Probability::of(mix::kBitHistories.first_guess[h], 65535);
    }
  }

  template <class Coder>
  uint64_t code(Coder& coder, uint64_t value, const Context& context) {
    Byte length{.at = 8, .higher = 0};
    open(length, context);
    unsigned bytes = code_nibble(coder, (static_cast<unsigned>(std::bit_width(value)) + 7) / 8, 0);
    bytes = std::min(bytes, width_);
    uint64_t higher = 0;
    for (unsigned at = bytes; at-- > 0;) {
      Byte byte{.at = at, .higher = higher};
      open(byte, context);
      const unsigned wanted = value >> (8 * at) & 255;
      const unsigned high = code_nibble(coder, wanted >> 4, 1);
      for (size_t c = 0; c < kContexts; ++c) nodes_[c] = &lines_[c]->low(high);
      const unsigned low = code_nibble(coder, wanted & 15, 16 + high);
      higher = higher << 8 | high << 4 | low;
    }
    return higher;
  }

 private:
  static constexpr size_t kNearAnywhere = kReferences < 2 ? kReferences : 2;
  static constexpr size_t kContexts = 5 + kHashes + kReferences + kNearAnywhere;
  static constexpr uint32_t kShareLimit = 255;
  static constexpr int kPlaceBits = 12;
  static std::array<size_t, kSelectors> selector_sets() {
    constexpr std::array<size_t, 3> kSets = {9 * 256, 1024, 9 * 8 * 32};
    std::array<size_t, kSelectors> sets;
    std::copy_n(kSets.begin(), kSelectors, sets.begin());
    return sets;
  }
  struct Byte {
    unsigned at;      // 0: lowest … 7; 8: the length
    uint64_t higher;  // the bytes above
  };

  // By how much the higher bytes differ from the reference's, if little.
  static uint64_t difference(const Byte& byte, uint64_t reference) {
    if (byte.at >= 7) return 0;
    const int64_t d = static_cast<int64_t>(byte.higher - (reference >> (8 * byte.at + 8)));
    return static_cast<uint64_t>(d < -2 ? -3 : d > 2 ? 3 : d);
  }
  static uint64_t byte_of(const Byte& byte, uint64_t reference) {
    if (byte.at == 8) return (static_cast<unsigned>(std::bit_width(reference)) + 7) / 8;
    return reference >> (8 * byte.at) & 255;
  }

  // Finds the lines of all contexts and selects what does not depend on the bits.
  void open(const Byte& byte, const Context& context) {
    std::array<uint64_t, kContexts> hash;
    size_t c = 0;
    const uint64_t above = combined(byte.higher, byte.at);
    const uint64_t here = combined(context.place, byte.at);
    hash[c++] = above;
    hash[c++] = combined(above, context.place);
    hash[c++] = here;
    hash[c++] = combined(here, byte_of(byte, context.references[0]));
    hash[c++] = combined(byte.at, byte.higher & 255);
    for (const uint64_t other : context.hashes) hash[c++] = combined(above, other);
    unsigned follows = 0;
    for (size_t r = 0; r < kReferences; ++r) {
      const uint64_t differs = difference(byte, context.references[r]);
      const uint64_t near = byte_of(byte, context.references[r]) << 8 | (differs & 255);
      hash[c++] = combined(here, near);
      if (r < kNearAnywhere) hash[c++] = combined(byte.at, near);
      if (r < 3) follows |= static_cast<unsigned>(differs == 0) << r;
    }
    for (size_t i = 0; i < kContexts; ++i) {
      hash[i] = hashed(hash[i] + i * kHashB);
      tables_[i].prefetch(hash[i]);
    }
    for (size_t i = 0; i < kContexts; ++i) {
      lines_[i] = &tables_[i].find(hash[i]);
      nodes_[i] = &lines_[i]->nodes[0];
    }
    at_ = byte.at;
    follows_ = byte.at * 8 + follows;
    place_ = context.place;
  }

  // `before`: 0 for the length, 1 for a high nibble, 16 + the high nibble for a low one.
  template <class Coder>
  unsigned code_nibble(Coder& coder, unsigned nibble, unsigned before) {
    unsigned node = 1;
    for (int bit = 3; bit >= 0; --bit) {
      for (size_t c = 0; c < kContexts; ++c) {
        const uint8_t history = (*nodes_[c])[node];
        const uint32_t p = shares_[c][history].probability();
        mixer_.input(2 * c) = static_cast<int16_t>(history == 0 ? 0 : stretch(p));
        mixer_.input(2 * c + 1) =
            static_cast<int16_t>(history == 0 ? 0 : (static_cast<int>(p >> 20) - 2048) / 2);
      }
      mixer_.input(2 * kContexts) = 256;
      const unsigned path =
          before < 16 ? node : (before << (3 - bit)) | (node & ((1u << (3 - bit)) - 1));
      mixer_.select(0, at_ * 256 + path);
      if constexpr (kSelectors > 1) mixer_.select(1, place_ >> 54);
      if constexpr (kSelectors > 2) mixer_.select(2, follows_ * 32 + (before < 16 ? 0 : 16) + node);
      mixer_.select_final(at_);
      const int mixed = mixer_.mix();
      const uint32_t by_node = by_node_.refined(mixed, at_ * 256 + path);
      const uint32_t by_place = by_place_.refined(
          mixed, hashed((place_ >> 52) + (uint64_t{follows_} << 12 | uint64_t{path} << 20)) >>
                     (64 - kPlaceBits));
      const bool one =
          coder.code(nibble >> bit & 1, squash(mixed) / 2 + by_node / 4 + by_place / 4);
      mixer_.learn(one);
      by_node_.learn(one);
      by_place_.learn(one);
      for (size_t c = 0; c < kContexts; ++c) {
        uint8_t& history = (*nodes_[c])[node];
        shares_[c][history].learn(one, kShareLimit);
        history = mix::kBitHistories.next[history][one];
      }
      node = node * 2 + one;
    }
    return node & 15;
  }

  unsigned width_;
  std::vector<HistoryTable> tables_;
  std::array<std::array<Probability, 256>, kContexts> shares_;  // of ones, by history
  TwoLayerMixer<2 * kContexts + 1, kSelectors> mixer_;
  Refinement by_node_, by_place_;

  // Of the byte at hand.
  std::array<HistoryLine*, kContexts> lines_;
  std::array<HistoryLine::Nodes*, kContexts> nodes_;
  unsigned at_ = 0;
  unsigned follows_ = 0;
  uint64_t place_ = 0;
};

}  // namespace vestige::strong
