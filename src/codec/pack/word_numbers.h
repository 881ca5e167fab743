// Numbers distinct words in order of first sight: an open-addressed table at most half full.
#pragma once

#include <cstdint>
#include <vector>

namespace vestige {

class WordNumbers {
 public:
  WordNumbers() : slots_(kLeast) {}

  uint32_t number(uint32_t word) {
    for (uint32_t at = home(word);; at = (at + 1) & (slots_.size() - 1)) {
      Slot& slot = slots_[at];
      if (slot.number_plus_one == 0) return add(word, slot);
      if (slot.word == word) return slot.number_plus_one - 1;
    }
  }
  const std::vector<uint32_t>& words() const { return words_; }

 private:
  static constexpr size_t kLeast = 4096;
  struct Slot {
    uint32_t word = 0, number_plus_one = 0;
  };
  uint32_t home(uint32_t word) const {
    return (word * 0x9e3779b1u >> 7) & static_cast<uint32_t>(slots_.size() - 1);
  }
  uint32_t add(uint32_t word, Slot& slot) {
    words_.push_back(word);
    slot = {word, static_cast<uint32_t>(words_.size())};
    if (words_.size() * 2 > slots_.size()) grow();
    return static_cast<uint32_t>(words_.size() - 1);
  }
  void grow() {
    slots_.assign(slots_.size() * 2, {});
    for (uint32_t n = 0; n < words_.size(); ++n) {
      uint32_t at = home(words_[n]);
      while (slots_[at].number_plus_one != 0) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = {words_[n], n + 1};
    }
  }
  std::vector<Slot> slots_;
  std::vector<uint32_t> words_;
};

}  // namespace vestige
