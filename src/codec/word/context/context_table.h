// The predictor of codec `context` (context_words.h): one step, shared by both directions.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace vestige {

class ContextTable {
 public:
  static constexpr unsigned kBits = 14;
  static constexpr uint32_t kMultiplier = 0x9e3779b1;
  struct Pair {
    uint32_t latest = 0, before = 0;
  };

  ContextTable() : pairs_(size_t{1} << kBits) {}

  // The three words before the one to predict, hashed as far as each position allows.
  struct Context {
    uint32_t a = 0, b = 0, c = 0;  // each word · kMultiplier
    uint32_t index() const { return (a + std::rotl(b, 13) + std::rotl(c, 23)) >> (32 - kBits); }
    // Pushing the word would change nothing.
    bool is_all(uint32_t word) const {
      const uint32_t hashed = word * kMultiplier;
      return a == hashed && b == hashed && c == hashed;
    }
    void push(uint32_t word) {
      c = b;
      b = a;
      a = word * kMultiplier;
    }
  };

  Pair* data() { return pairs_.data(); }

 private:
  std::vector<Pair> pairs_;
};

}  // namespace vestige
