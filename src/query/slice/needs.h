// What a backward slice needs of one activation.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "query/slice/token.h"

namespace vestige {

// Numbers with the token of who needs them.
class NumberedNeeds {
 public:
  bool empty() const { return count_ == 0; }
  bool has(uint32_t number) const { return (word(number / 64) >> (number % 64) & 1) != 0; }
  // 64 of them, a bit each.
  uint64_t word(uint32_t number) const { return number < bits_.size() ? bits_[number] : 0; }
  void add(uint32_t number, Token token) {
    if (number / 64 >= bits_.size()) {
      bits_.resize(number / 64 + 1);
      tokens_.resize(64 * bits_.size());
    }
    uint64_t& word = bits_[number / 64];
    const uint64_t bit = uint64_t{1} << (number % 64);
    if (word & bit) {
      lower(tokens_[number], token);
      return;
    }
    word |= bit;
    tokens_[number] = token;
    ++count_;
  }
  // No token when it is not needed.
  Token get(uint32_t number) const { return has(number) ? tokens_[number] : Token{}; }
  Token take(uint32_t number) {
    if (!has(number)) return {};
    bits_[number / 64] &= ~(uint64_t{1} << (number % 64));
    --count_;
    return tokens_[number];
  }
  // Calls visit(number, token) for each; it may take that one.
  template <class Visit>
  void for_each(const Visit& visit) const {
    if (count_ == 0) return;
    for (uint32_t w = 0; w < bits_.size(); ++w)
      for (uint64_t left = bits_[w]; left != 0; left &= left - 1) {
        const uint32_t number = 64 * w + static_cast<uint32_t>(std::countr_zero(left));
        visit(number, tokens_[number]);
      }
  }
  void clear() {
    if (count_ != 0) bits_.assign(bits_.size(), 0);
    count_ = 0;
  }

 private:
  std::vector<uint64_t> bits_;
  std::vector<Token> tokens_;
  size_t count_ = 0;
};

struct ActivationNeeds {
  NumberedNeeds results, arguments;
  // Blocks that have members: what decided on them is looked for before their beginning. A longjmp
  // may go on in the middle of a block that is not the last one, so there may be several.
  NumberedNeeds blocks;
  NumberedNeeds branches;  // blocks: the latest branch that decided on them
  Token edge;              // the terminator that is met next: which edge was taken
  Token entry;             // the call that entered the activation
  Token returned;          // what it returns
  // Of the call that the activation is in.
  Token call;             // the member, when it is one already
  bool resolved = false;  // its result came from a recorded function
  Token entered;
  NumberedNeeds passed;  // arguments

  bool in_call() const { return call || entered || !passed.empty(); }
  bool nothing() const {
    return results.empty() && arguments.empty() && blocks.empty() && !edge && branches.empty() &&
           !entry && !returned && !in_call();
  }
  void clear_call() {
    call = entered = {};
    resolved = false;
    passed.clear();
  }
  void clear() {
    results.clear();
    arguments.clear();
    blocks.clear();
    branches.clear();
    edge = entry = returned = {};
    clear_call();
  }
};

}  // namespace vestige
