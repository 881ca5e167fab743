// The bytes of memory that a backward slice still looks for the writer of, each with who needs it
// and, where that is known, the value it must have.
//
// Open addressing by granules of eight bytes; one that is needed no longer goes when the table
// grows. One owner thread.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "query/slice/token.h"

namespace vestige {

class NeededBytes {
 public:
  struct Granule {
    uint64_t number = 0;  // address / 8
    uint8_t needed = 0;   // a bit per byte
    uint8_t known = 0;    // of those: the value is
    uint8_t values[8] = {};
    Token tokens[8];
  };

  NeededBytes() : table_(kFirst) {}

  bool empty() const { return bytes_ == 0; }
  // More than kMost were added: some are missing.
  bool full() const { return full_; }
  static constexpr uint64_t kMost = uint64_t{1} << 26;

  // Whether any of these bytes is needed. Of at most `length` bytes, which do not wrap around.
  bool overlaps(uint64_t address, uint64_t length) const {
    if (bytes_ == 0 || length == 0) return false;
    bool found = false;
    visit(address, length, [&](const Granule&, uint8_t) { found = true; });
    return found;
  }

  void add(uint64_t address, Token token, bool known, uint8_t value) {
    if (bytes_ >= kMost) {
      full_ = true;
      return;
    }
    Granule& granule = insert(address >> 3);
    const unsigned byte = address & 7;
    const auto bit = static_cast<uint8_t>(1u << byte);
    if (granule.needed & bit) {
      if (token.depth < granule.tokens[byte].depth) granule.tokens[byte] = token;
    } else {
      granule.needed |= bit;
      granule.tokens[byte] = token;
      granule.known &= static_cast<uint8_t>(~bit);
      ++bytes_;
    }
    if (known) {
      granule.known |= bit;
      granule.values[byte] = value;
    }
  }

  void add_all(uint64_t address, uint64_t length, Token token) {
    for (uint64_t i = 0; i < length && !full_; ++i) add(address + i, token, false, 0);
  }

  // Calls take(address, token, known, value) for each of these bytes that is needed; when that
  // gives true it is needed no longer.
  template <class Take>
  void take(uint64_t address, uint64_t length, const Take& take) {
    if (bytes_ == 0 || length == 0) return;
    const_cast<const NeededBytes*>(this)->visit(
        address, length, [&](const Granule& constant, uint8_t mask) {
          Granule& granule = const_cast<Granule&>(constant);
          for (uint8_t left = mask; left != 0; left &= left - 1) {
            const auto byte = static_cast<unsigned>(std::countr_zero(left));
            if (!take((granule.number << 3) + byte, granule.tokens[byte],
                      (granule.known >> byte & 1) != 0, granule.values[byte]))
              continue;
            granule.needed &= static_cast<uint8_t>(~(1u << byte));
            --bytes_;
          }
        });
  }

  template <class Take>
  void all(const Take& take) const {
    for (const Granule& granule : table_)
      for (uint8_t left = granule.needed; left != 0; left &= left - 1)
        take(granule.tokens[std::countr_zero(left)]);
  }

 private:
  static constexpr size_t kFirst = 1 << 10;

  static size_t hash(uint64_t number) {
    return static_cast<size_t>((number * 0x9e3779b97f4a7c15u) >> 20);
  }
  const Granule* find(uint64_t number) const {
    for (size_t i = hash(number) & (table_.size() - 1);; i = (i + 1) & (table_.size() - 1)) {
      const Granule& granule = table_[i];
      if (!used_[i]) return nullptr;
      if (granule.number == number) return &granule;
    }
  }
  template <class Visit>
  void visit(uint64_t address, uint64_t length, const Visit& visit) const {
    const uint64_t last = address + (length - 1) < address ? UINT64_MAX : address + (length - 1);
    const auto mask_in = [&](uint64_t number) {
      uint8_t mask = 0xff;
      if (number == address >> 3) mask &= static_cast<uint8_t>(0xffu << (address & 7));
      if (number == last >> 3) mask &= static_cast<uint8_t>(0xffu >> (7 - (last & 7)));
      return mask;
    };
    if ((last >> 3) - (address >> 3) > table_.size()) {
      for (const Granule& granule : table_) {
        if (granule.needed == 0 || granule.number < address >> 3 || granule.number > last >> 3)
          continue;
        if (const uint8_t mask = granule.needed & mask_in(granule.number)) visit(granule, mask);
      }
      return;
    }
    for (uint64_t number = address >> 3;; ++number) {
      if (const Granule* granule = find(number))
        if (const uint8_t mask = granule->needed & mask_in(number)) visit(*granule, mask);
      if (number == last >> 3) break;
    }
  }
  Granule& insert(uint64_t number) {
    if (const Granule* found = find(number)) return const_cast<Granule&>(*found);
    if ((filled_ + 1) * 2 > table_.size()) grow();
    return place(number);
  }
  Granule& place(uint64_t number) {
    size_t i = hash(number) & (table_.size() - 1);
    while (used_[i]) i = (i + 1) & (table_.size() - 1);
    used_[i] = true;
    ++filled_;
    table_[i] = {};
    table_[i].number = number;
    return table_[i];
  }
  void grow() {
    std::vector<Granule> old;
    old.swap(table_);
    size_t live = 0;
    for (const Granule& granule : old) live += granule.needed != 0;
    size_t size = kFirst;
    while (size < 4 * (live + 1)) size *= 2;
    table_.resize(size);
    used_.assign(size, 0);
    filled_ = 0;
    for (const Granule& granule : old)
      if (granule.needed != 0) place(granule.number) = granule;
  }

  std::vector<Granule> table_;
  std::vector<uint8_t> used_ = std::vector<uint8_t>(kFirst);
  size_t filled_ = 0;
  uint64_t bytes_ = 0;
  bool full_ = false;
};

}  // namespace vestige
