// Coding which member of a set it is, when it depends on the context: the path down the set's
// CountTree, each step's probability mixed from the counts and from what happened at this node
// after the same contexts before.
//
// Per context and node a byte of history (codec/entropy/bit_history.h) in a hashed table; the nodes
// of four levels of the tree share one line of 16 bytes, so that a path of eleven steps looks at
// three lines for each context.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "codec/entropy/bit_history.h"
#include "codec/entropy/hashing.h"
#include "codec/entropy/mixer.h"
#include "codec/sequitur/bit_model.h"
#include "codec/sequitur/count_tree.h"

namespace vestige::sequitur {

inline constexpr int16_t kBias = 64;

class ContextChoice {
 public:
  static constexpr size_t kContexts = 2;
  using Contexts = std::array<uint64_t, kContexts>;

  explicit ContextChoice(unsigned table_bits) : shift_(64 - (table_bits - 4)) {
    for (size_t k = 0; k < kContexts; ++k) {
      lines_[k].resize(size_t{1} << (table_bits - 4));
      trust_[k] = mix::kBitHistories.first_guess;
      trust_[k][0] = 1 << 15;  // no history, no opinion
    }
  }

  // Gives the member. Does not add to its count.
  template <class Coder>
  uint32_t code(Coder& coder, const CountTree& tree, const Contexts& contexts, uint32_t member) {
    CountTree::Walk walk(tree);
    std::array<Line*, kContexts> lines{};
    while (!walk.done()) {
      const unsigned bit = walk.bit();
      if (lines[0] == nullptr || bit % 4 == 3)
        for (size_t k = 0; k < kContexts; ++k)
          lines[k] =
              &lines_[k][(contexts[k] + (uint64_t{walk.prefix()} << 3 | bit / 4) * mix::kHashB) *
                             mix::kHashA >>
                         shift_];
      if (walk.forced()) {
        walk.go(false);
        continue;
      }
      const uint32_t level = 3 - bit % 4;
      const uint32_t node = (1u << level) + (walk.prefix() & ((1u << level) - 1));
      uint8_t& first = (*lines[0])[node];
      uint8_t& second = (*lines[1])[node];
      const uint32_t counted = walk.one();
      bool right = member >> bit & 1;
      if ((first | second) == 0) {
        right = coder.code_level(right, counted);
      } else {
        const mix::Mixer<1>::Inputs inputs = {
            mix::Lanes{mix::stretch(static_cast<uint16_t>(counted)), kBias,
                       mix::stretch(trust_[0][first]), mix::stretch(trust_[1][second])}};
        const size_t set = bit * 4 + std::min<size_t>(std::bit_width(walk.total() / 8), 3);
        const uint32_t one = codable(mix::squash(mixer_.mix(inputs, set)));
        right = coder.code_level(right, one);
        mixer_.learn(inputs, set, right, one);
        if (first != 0) mix::learn(trust_[0][first], right, kTrustRate);
        if (second != 0) mix::learn(trust_[1][second], right, kTrustRate);
      }
      first = mix::kBitHistories.next[first][right];
      second = mix::kBitHistories.next[second][right];
      walk.go(right);
    }
    return walk.member();
  }

 private:
  static constexpr int kTrustRate = 7;
  using Line = std::array<uint8_t, 16>;
  unsigned shift_;
  std::array<std::vector<Line>, kContexts> lines_;
  std::array<std::array<uint16_t, 256>, kContexts> trust_;
  mix::Mixer<1> mixer_{32 * 4, 2};
};

}  // namespace vestige::sequitur
