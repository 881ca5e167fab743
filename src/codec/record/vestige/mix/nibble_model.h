// Numbers of four bits, and bytes as two of them, every bit predicted from the histories
// (bit_history.h) it had in several contexts. The 15 nodes of a nibble's tree lie in 16 bytes.
#pragma once

#include "codec/record/vestige/mix/flag_model.h"

namespace vestige::mix {

// The histories of a nibble's bits. A type of its own, not a character: stores to it alias nothing
// else.
enum class BitState : uint8_t {};
using Tree = std::array<BitState, 16>;  // [0] is free for other use

template <size_t kContexts>  // at most 7
class NibbleMixer {
 public:
  using Trees = std::array<Tree*, kContexts>;
  explicit NibbleMixer(size_t sets) : mixer_(sets * 16, 3) {}

  template <class Coder>
  unsigned code(Coder& coder, unsigned nibble, const Trees& trees, size_t set) {
    unsigned node = 1;
    for (int i = 3; i >= 0; --i) {
      std::array<uint8_t, kContexts> history;
      for (size_t c = 0; c < kContexts; ++c) history[c] = static_cast<uint8_t>((*trees[c])[node]);
      const typename Mixer<1>::Inputs inputs = {evidence_of(shares_, history)};
      const size_t weights = set * 16 + node;
      const uint32_t p = squash(mixer_.mix(inputs, weights));
      const bool bit = coder.code_level(nibble >> i & 1, p);
      mixer_.learn(inputs, weights, bit, p);
      for (size_t c = 0; c < kContexts; ++c) {
        shares_[c].learn(history[c], bit, 6);
        (*trees[c])[node] = static_cast<BitState>(kBitHistories.next[history[c]][bit]);
      }
      node = node * 2 + bit;
    }
    return node & 15;
  }

 private:
  Mixer<1> mixer_;
  std::array<Shares, kContexts> shares_;
};

// One nibble per context.
template <size_t kContexts>
class NibbleModel {
 public:
  using Hashes = std::array<uint64_t, kContexts>;
  // 2^bits trees per context; `sets` of weights.
  NibbleModel(unsigned bits, size_t sets) : shift_(64 - bits), mixer_(sets) {
    for (auto& table : trees_) table = ZeroedTable<Tree>(size_t{1} << bits);
  }
  template <class Coder>
  unsigned code(Coder& coder, unsigned nibble, const Hashes& hashes, size_t set) {
    typename NibbleMixer<kContexts>::Trees trees;
    for (size_t c = 0; c < kContexts; ++c) {
      trees[c] = &trees_[c][hashes[c] >> shift_];
      const auto check = static_cast<BitState>(hashes[c]);
      if ((*trees[c])[0] != check) *trees[c] = {check};
    }
    return mixer_.code(coder, nibble, trees, set);
  }

 private:
  const unsigned shift_;
  NibbleMixer<kContexts> mixer_;
  std::array<ZeroedTable<Tree>, kContexts> trees_;
};

// The histories of one context lie in one cache line: the tree of the high nibble, and three of the
// low nibble for the high nibbles that came up last, each tagged with it. So a byte costs one cache
// miss per context.
template <size_t kContexts>
class ByteModel {
 public:
  using Hashes = std::array<uint64_t, kContexts>;
  // 2^bits cache lines per context; `sets` of weights, each for a whole byte.
  ByteModel(unsigned bits, size_t sets) : shift_(64 - bits), mixer_(sets * 2) {
    for (auto& table : lines_) table = ZeroedTable<Line>(size_t{1} << bits);
  }
  template <class Coder>
  uint8_t code(Coder& coder, uint8_t byte, const Hashes& hashes, size_t set) {
    std::array<Line*, kContexts> line;
    typename NibbleMixer<kContexts>::Trees trees;
    for (size_t c = 0; c < kContexts; ++c) {
      line[c] = &lines_[c][hashes[c] >> shift_];
      trees[c] = &line[c]->trees[0];
    }
    const unsigned high = mixer_.code(coder, byte >> 4, trees, set * 2);
    for (size_t c = 0; c < kContexts; ++c) trees[c] = &low_tree(*line[c], high);
    const unsigned low = mixer_.code(coder, byte & 15, trees, set * 2 + 1);
    return static_cast<uint8_t>(high << 4 | low);
  }

 private:
  struct alignas(64) Line {
    std::array<Tree, 4> trees{};  // [0][0] counts evictions; [1 … 3][0] are 1 + the high nibble
  };
  static Tree& low_tree(Line& line, unsigned high) {
    const auto tag = static_cast<BitState>(high + 1);
    for (size_t i = 1; i < 4; ++i) {
      if (line.trees[i][0] == tag) return line.trees[i];
    }
    size_t victim = 1;
    while (victim < 4 && line.trees[victim][0] != BitState{}) ++victim;
    if (victim == 4) {
      const auto evictions = static_cast<uint8_t>(line.trees[0][0]);
      line.trees[0][0] = static_cast<BitState>(evictions + 1);
      victim = 1 + evictions % 3;
    }
    line.trees[victim] = {tag};
    return line.trees[victim];
  }

  const unsigned shift_;
  NibbleMixer<kContexts> mixer_;
  std::array<ZeroedTable<Line>, kContexts> lines_;
};

}  // namespace vestige::mix
