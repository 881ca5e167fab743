// What a backward slice needs of one activation.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "query/slice/token.h"

namespace vestige {

// Numbers with the token of who needs them: few at a time, asked for often.
class NumberedNeeds {
 public:
  bool empty() const { return list_.empty(); }
  bool has(uint32_t number) const {
    return number / 64 < bits_.size() && (bits_[number / 64] >> (number % 64) & 1) != 0;
  }
  void add(uint32_t number, Token token) {
    if (has(number)) {
      for (auto& [known, other] : list_)
        if (known == number) lower(other, token);
      return;
    }
    if (number / 64 >= bits_.size()) bits_.resize(number / 64 + 1);
    bits_[number / 64] |= uint64_t{1} << (number % 64);
    list_.emplace_back(number, token);
  }
  // No token when it is not needed.
  Token get(uint32_t number) const {
    if (has(number))
      for (const auto& [known, token] : list_)
        if (known == number) return token;
    return {};
  }
  Token take(uint32_t number) {
    if (!has(number)) return {};
    bits_[number / 64] &= ~(uint64_t{1} << (number % 64));
    for (auto& entry : list_) {
      if (entry.first != number) continue;
      const Token token = entry.second;
      entry = list_.back();
      list_.pop_back();
      return token;
    }
    return {};
  }
  const std::vector<std::pair<uint32_t, Token>>& list() const { return list_; }
  void clear() {
    for (const auto& entry : list_) bits_[entry.first / 64] = 0;
    list_.clear();
  }

 private:
  std::vector<uint64_t> bits_;
  std::vector<std::pair<uint32_t, Token>> list_;
};

struct ActivationNeeds {
  uint32_t function = kNone;  // kNone: nothing of it was met yet
  NumberedNeeds results, arguments;
  // Blocks that have members: what decided on them is looked for before their beginning. A longjmp
  // may go on in the middle of a block that is not the last one, so there may be several.
  NumberedNeeds blocks;
  Token edge;              // the terminator that is met next: which edge was taken
  NumberedNeeds branches;  // blocks: the latest branch that decided on them
  Token entry;             // the call that entered the activation
  Token returned;          // what it returns
  // Of the call that the activation is in.
  Token call;             // the member, when it is one already
  bool resolved = false;  // its result came from a recorded function
  Token entered;
  NumberedNeeds passed;  // arguments

  bool nothing() const {
    return results.empty() && arguments.empty() && blocks.empty() && !edge && branches.empty() &&
           !entry && !returned && !call && !entered && passed.empty();
  }
  void clear() {
    function = kNone;
    results.clear();
    arguments.clear();
    blocks.clear();
    branches.clear();
    passed.clear();
    edge = entry = returned = call = entered = {};
    resolved = false;
  }
};

}  // namespace vestige
