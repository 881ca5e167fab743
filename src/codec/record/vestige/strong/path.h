// The rows around a row, hashed: those of the block, and the last ones of the block before.
//
// Coded column by column, a block's PCs are all known before its values: enter() takes them, and a
// row's surroundings are the PCs before and after it. Coded row by row, nothing is known of the
// rows to come, but the values of those before: enter_blind(), then reach() and leave() each row.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/record/vestige/strong/hash.h"

namespace vestige::strong {

class PcPath {
 public:
  static constexpr size_t kBefore = 16, kAfter = 4;

  void enter(std::span<const uint64_t> pcs) {
    enter_blind(pcs.size());
    for (size_t i = 0; i < pcs.size(); ++i) reach(i, pcs[i]);
  }
  void enter_blind(size_t rows) {
    std::array<uint64_t, kBefore> tail{};
    if (!hashes_.empty()) std::copy_n(hashes_.end() - kAfter - kBefore, kBefore, tail.begin());
    hashes_.assign(kBefore + rows + kAfter, 0);
    std::copy(tail.begin(), tail.end(), hashes_.begin());
  }
  void reach(size_t row, uint64_t pc) { hashes_[row + kBefore] = hashed(pc + 77); }
  void leave(size_t row, uint64_t value) { hashes_[row + kBefore] += hashed(value) * kHashB; }

  // Of the row `offset` rows away, −16 … 4; 0 for one that is not known.
  uint64_t hash(size_t row, int offset) const {
    return hashes_[row + kBefore + static_cast<size_t>(static_cast<ptrdiff_t>(offset))];
  }

 private:
  std::vector<uint64_t> hashes_;
};

}  // namespace vestige::strong
