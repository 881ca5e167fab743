// What a forward slice has reached of one activation.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "query/slice/token.h"

namespace vestige {

// Tokens by number. What was reached stays reached until it is set anew, so there may be many.
class ReachedNumbers {
 public:
  bool empty() const { return count_ == 0; }
  Token get(uint32_t number) const { return number < tokens_.size() ? tokens_[number] : Token{}; }
  void set(uint32_t number, Token token) {
    if (number >= tokens_.size()) {
      if (!token) return;
      bits_.resize(number / 64 + 1);
      tokens_.resize(64 * bits_.size());
    }
    const uint64_t bit = uint64_t{1} << (number % 64);
    uint64_t& word = bits_[number / 64];
    count_ -= (word & bit) != 0;
    count_ += static_cast<bool>(token);
    word = token ? word | bit : word & ~bit;
    tokens_[number] = token;
  }
  // Whether any of these is reached: number / 64, and which.
  bool meets(const std::vector<std::pair<uint32_t, uint64_t>>& words) const {
    if (count_ == 0) return false;
    for (const auto& [number, bits] : words)
      if (number < bits_.size() && (bits_[number] & bits) != 0) return true;
    return false;
  }
  void forget(const std::vector<std::pair<uint32_t, uint64_t>>& words) {
    if (count_ == 0) return;
    for (const auto& [number, bits] : words)
      if (number < bits_.size()) forget(number, bits);
  }
  void clear() {
    for (uint32_t number = 0; count_ > 0; ++number) forget(number, UINT64_MAX);
  }

 private:
  void forget(uint32_t number, uint64_t bits) {
    for (uint64_t left = bits_[number] & bits; left != 0; left &= left - 1) {
      tokens_[64 * number + static_cast<uint32_t>(std::countr_zero(left))] = {};
      --count_;
    }
    bits_[number] &= ~bits;
  }

  std::vector<Token> tokens_;
  std::vector<uint64_t> bits_;  // which of them are there
  uint32_t count_ = 0;
};

struct ActivationReached {
  uint32_t function = kNone;
  ReachedNumbers results, arguments;
  ReachedNumbers blocks;  // what decided that they began
  Token entry;            // the call that entered it
  Token edge;             // which edge the last terminator took
  // By block, when any of them or the entry is reached: the last execution of its terminator.
  struct Branch {
    uint64_t order = 0;  // 0: not executed since
    Token token;
  };
  std::vector<Branch> branches;
  uint32_t reached_branches = 0;
  uint64_t order = 0;
  // The call it is in.
  uint32_t call = kNone;
  Token member;      // when it is one
  Token entering;    // what is entered, and the result whatever it is
  Token unresolved;  // of the operands: reaches the result when unrecorded code gives it
  std::vector<std::pair<uint32_t, Token>> passed;

  // Nothing in it can become a member but by memory.
  bool clean() const {
    return results.empty() && arguments.empty() && blocks.empty() && !entry && !edge &&
           branches.empty() && !member && !entering && !unresolved;
  }
  void clear() {
    function = kNone;
    results.clear();
    arguments.clear();
    blocks.clear();
    entry = edge = {};
    branches.clear();
    reached_branches = 0;
    order = 0;
    forget_call();
  }
  void forget_call() {
    call = kNone;
    member = entering = unresolved = {};
    passed.clear();
  }
};

}  // namespace vestige
