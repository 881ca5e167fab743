#include "codec/entropy/bit_history.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

namespace vestige::mix {
namespace {

struct BitCounts {
  int zeros, ones;
  bool last;
};

bool representable(int zeros, int ones) {
  constexpr std::array kLargest = {40, 24, 12, 8, 6, 5};
  const int less = std::min(zeros, ones), more = std::max(zeros, ones);
  return less < static_cast<int>(kLargest.size()) && more <= kLargest[static_cast<size_t>(less)];
}

// How much of the other bit's count survives.
int shrunk(int count) {
  constexpr std::array kKept = {0, 1, 2, 2, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 6, 6};
  return count < static_cast<int>(kKept.size()) ? kKept[static_cast<size_t>(count)] : 7;
}

BitCounts after(const BitCounts& history, bool bit) {
  std::array count = {history.zeros, history.ones};
  int& same = count[bit];
  int& other = count[!bit];
  ++same;
  other = shrunk(other);
  while (!representable(count[0], count[1])) --(same > other ? same : other);
  const bool one_sided = count[0] == 0 || count[1] == 0;
  return {count[0], count[1], one_sided ? count[1] > 0 : bit};
}

}  // namespace

BitHistories::BitHistories() : next{}, first_guess{} {
  std::vector<BitCounts> all;
  std::map<std::tuple<int, int, bool>, uint8_t> number;
  for (int sum = 0; sum <= 48; ++sum) {
    for (int zeros = 0; zeros <= sum; ++zeros) {
      const int ones = sum - zeros;
      if (!representable(zeros, ones)) continue;
      for (const bool last : {false, true}) {
        const bool one_sided = zeros == 0 || ones == 0;
        if (one_sided && last != (ones > 0)) continue;
        number[{zeros, ones, last}] = static_cast<uint8_t>(all.size());
        all.push_back({zeros, ones, last});
      }
    }
  }
  for (size_t i = 0; i < all.size(); ++i) {
    // (ones + 0.4) / (zeros + ones + 0.8)
    first_guess[i] = static_cast<uint16_t>(65535 * (10 * all[i].ones + 4) /
                                           (10 * (all[i].zeros + all[i].ones) + 8));
    for (const bool bit : {false, true}) {
      const BitCounts to = after(all[i], bit);
      next[i][bit] = number.at({to.zeros, to.ones, to.last});
    }
  }
}

const BitHistories kBitHistories;

}  // namespace vestige::mix
