// The memory of a thread's process as far as its recording tells.
//
// A byte is known, or it holds a *token*: the name of a value that is not known, with the *origin*
// that made it so. A copy takes tokens along like values. When a load shows what a byte holds, that
// is what all bytes with the same token hold and held: value_of() gives it for tokens that were
// noted before. A byte that nobody wrote has a token of its own, too: what is read there first was
// there from the beginning.
//
// Sparse: pages of kPageBytes that were touched. One owner thread.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace vestige {

class MemoryImage {
 public:
  using Token = uint64_t;
  using Origin = uint32_t;
  static constexpr Origin kFirst = 0;  // nobody wrote it
  struct Byte {
    bool known = false;
    uint8_t value = 0;
    Token token = 0;  // not known
  };

  Byte get(uint64_t address) const;
  // At most 8 bytes, the lowest one first.
  void set(uint64_t address, uint64_t value, unsigned bytes = 1) {
    Page& to = page(address);
    const uint64_t at = address % kPageBytes;
    if (at + bytes > kPageBytes) return set_slowly(address, value, bytes);
    for (unsigned i = 0; i < bytes; ++i) {
      to.values[at + i] = static_cast<uint8_t>(value >> 8 * i);
      to.states[at + i] = kKnown;
    }
  }
  // A load showed them.
  void reveal(uint64_t address, uint64_t value, unsigned bytes = 1) {
    const Page& from = page(address);
    const uint64_t at = address % kPageBytes;
    bool known = at + bytes <= kPageBytes;
    for (unsigned i = 0; known && i < bytes; ++i) known = from.states[at + i] == kKnown;
    if (!known && !noted_.empty()) note_values(address, value, bytes);
    set(address, value, bytes);
  }
  // They hold something else, each something of its own.
  void lose(uint64_t address, uint64_t bytes, Origin origin);
  // Anything may be anywhere.
  void lose_all(Origin origin);
  void copy(uint64_t to, uint64_t from, uint64_t bytes);

  Origin origin_of(Token token) const;
  // From now on, a load that shows the token's value is remembered; of so many tokens.
  void note(Token token) {
    if (noted_.size() < kMostNoted) noted_.insert(token);
  }
  std::optional<uint8_t> value_of(Token token) const;

  // More bytes at once are not looked at one by one.
  static constexpr uint64_t kMostBytes = uint64_t{1} << 26;
  static constexpr size_t kMostNoted = size_t{1} << 23;

 private:
  static constexpr uint64_t kPageBytes = 4096;
  // Tokens: kUntouched + epoch + address, or a number of those that lose() gave out. An epoch ends
  // with lose_all(); all epochs from the last one on are one, and of its tokens no value is known.
  static constexpr Token kUntouched = Token{1} << 63;
  static constexpr unsigned kAddressBits = 48;
  static constexpr Token kLastEpoch = (1 << 15) - 1;
  enum State : uint8_t { kUntouchedByte, kKnown, kLost };
  struct Page {
    std::array<uint8_t, kPageBytes> values{};
    std::array<uint8_t, kPageBytes> states{};
    std::unique_ptr<std::array<Token, kPageBytes>> tokens;  // of lost bytes
  };
  struct Given {
    Token first;
    Origin origin;
  };
  // The pages that were looked for last.
  static constexpr uint64_t kSlots = 64;
  struct Slot {
    uint64_t number = UINT64_MAX;
    Page* page = nullptr;
  };
  const Page* find(uint64_t address) const {
    const Slot& slot = slots_[address / kPageBytes % kSlots];
    return slot.number == address / kPageBytes ? slot.page : find_slowly(address);
  }
  Page& page(uint64_t address) {
    const Slot& slot = slots_[address / kPageBytes % kSlots];
    return slot.number == address / kPageBytes ? *slot.page : make_page(address);
  }
  const Page* find_slowly(uint64_t address) const;
  Page& make_page(uint64_t address);
  void set_slowly(uint64_t address, uint64_t value, unsigned bytes);
  void note_values(uint64_t address, uint64_t value, unsigned bytes);
  void put(uint64_t address, const Byte& byte);

  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;  // by address / kPageBytes
  mutable std::array<Slot, kSlots> slots_;
  std::vector<Origin> epochs_ = {kFirst};
  std::vector<Given> given_;  // by rising token
  Token next_ = 0;
  std::unordered_set<Token> noted_;
  std::unordered_map<Token, uint8_t> values_;  // of noted tokens
  std::vector<Byte> moved_;                    // by the copy that is being made
};

}  // namespace vestige
