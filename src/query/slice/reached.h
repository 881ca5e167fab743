// What a forward slice has reached of one activation.
#pragma once

#include <cstdint>
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
      tokens_.resize(number + 1);
    }
    count_ -= static_cast<bool>(tokens_[number]);
    count_ += static_cast<bool>(token);
    tokens_[number] = token;
  }
  void clear() {
    if (count_ > 0) tokens_.clear();
    count_ = 0;
  }

 private:
  std::vector<Token> tokens_;
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
