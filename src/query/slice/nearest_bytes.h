// Stretches of bytes, each with the member of the slice that needs or reached it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <vector>

#include "query/slice/token.h"

namespace vestige {

struct TokenBytes {
  uint64_t first = 0, length = 0;
  Token token;
  uint32_t at = 0;  // where in what was read
};

// Makes them disjoint, by rising place: of those that overlap the nearest to the criterion stays.
inline void keep_nearest(std::vector<TokenBytes>& all) {
  if (all.size() < 2) return;
  std::ranges::sort(all, [](const TokenBytes& a, const TokenBytes& b) {
    if (a.token.depth != b.token.depth) return a.token.depth < b.token.depth;
    return a.first != b.first ? a.first < b.first : a.length > b.length;
  });
  std::map<uint64_t, uint64_t> covered;  // first byte to the end, none next to another
  std::vector<TokenBytes> nearest;
  for (const TokenBytes& bytes : all) {
    uint64_t from = bytes.first;
    const uint64_t end = bytes.first + bytes.length;
    auto next = covered.upper_bound(from);
    uint64_t begin = from, behind = end;  // of what is covered with it
    if (next != covered.begin()) {
      const auto before = std::prev(next);
      if (before->second >= from) {
        begin = before->first;
        behind = std::max(behind, before->second);
        from = before->second;
        next = covered.erase(before);
      }
    }
    while (next != covered.end() && next->first <= end) {
      if (from < next->first) nearest.push_back({from, next->first - from, bytes.token, bytes.at});
      from = std::max(from, next->second);
      behind = std::max(behind, next->second);
      next = covered.erase(next);
    }
    if (from < end) nearest.push_back({from, end - from, bytes.token, bytes.at});
    covered.emplace(begin, behind);
  }
  std::ranges::sort(nearest, {}, &TokenBytes::first);
  all = std::move(nearest);
}

}  // namespace vestige
