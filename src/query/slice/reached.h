// What a forward slice has reached of one activation.
#pragma once

#include <cstdint>
#include <vector>

#include "query/slice/needs.h"

namespace vestige {

struct ActivationReached {
  uint32_t function = kNone;
  NumberedNeeds results, arguments;
  NumberedNeeds blocks;  // what decided that they began
  Token entry;           // the call that entered it
  Token edge;            // which edge the last terminator took
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
  static void set(NumberedNeeds& of, uint32_t number, Token token) {
    if (of.has(number)) of.take(number);
    if (token) of.add(number, token);
  }
};

}  // namespace vestige
