#include "query/paths/transforms.h"

#include <algorithm>

namespace vestige {

Transforms::Transforms(const Automaton& automaton)
    : automaton_(automaton), states_(automaton.states()), table_(kSlots) {
  next_buffer_.resize(states_);
  extra_buffer_.assign(states_, 0);
  for (uint32_t q = 0; q < states_; ++q) next_buffer_[q] = static_cast<uint16_t>(q);
  keep(next_buffer_, extra_buffer_);
}

uint32_t Transforms::keep(const std::vector<uint16_t>& next, const std::vector<uint64_t>& extra) {
  uint64_t hash = 0;
  for (uint32_t q = 0; q < states_; ++q)
    hash = (hash ^ (next[q] + (extra[q] << 16))) * 0x9e3779b97f4a7c15u + (hash >> 29);
  const auto [begin, end] = numbers_.equal_range(hash);
  for (auto at = begin; at != end; ++at) {
    const size_t from = size_t{at->second} * states_;
    if (std::equal(next.begin(), next.end(), next_.begin() + static_cast<ptrdiff_t>(from)) &&
        std::equal(extra.begin(), extra.end(), extra_.begin() + static_cast<ptrdiff_t>(from)))
      return at->second;
  }
  if (next_.size() >= kMostEntries) {
    full_ = true;
    return kIdentity;
  }
  const auto number = static_cast<uint32_t>(next_.size() / states_);
  next_.insert(next_.end(), next.begin(), next.end());
  extra_.insert(extra_.end(), extra.begin(), extra.end());
  numbers_.emplace(hash, number);
  return number;
}

Transforms::Made Transforms::of(std::span<const uint16_t> classes) {
  uint64_t from_zero = 0;
  for (uint32_t q = 0; q < states_; ++q) {
    uint32_t state = q;
    uint64_t count = 0;
    for (const uint16_t c : classes) {
      count += automaton_.accepts(state, c);
      state = automaton_.next(state, c);
    }
    if (q == 0) from_zero = count;
    next_buffer_[q] = static_cast<uint16_t>(state);
    extra_buffer_[q] = count - from_zero;
  }
  return {keep(next_buffer_, extra_buffer_), from_zero};
}

Transforms::Made Transforms::join_slow(uint32_t a, uint32_t b, Slot& slot) {
  const auto [at, fresh] = joins_.try_emplace(uint64_t{a} << 32 | b);
  if (fresh) {
    const uint64_t count = extra(b, next(a, 0));
    for (uint32_t q = 0; q < states_; ++q) {
      next_buffer_[q] = next(b, next(a, q));
      extra_buffer_[q] = extra(a, q) + extra(b, next(a, q)) - count;
    }
    at->second = {keep(next_buffer_, extra_buffer_), count};
  }
  slot = {a, b, at->second.transform, 0, at->second.count};
  return at->second;
}

}  // namespace vestige
