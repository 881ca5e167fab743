#include "spmd/literal_rounds.h"

#include <algorithm>

namespace vestige::spmd {

void RoundSearch::add(uint64_t difference) {
  put(difference);
  for (Candidate& candidate : candidates_)
    if (candidate.length != 0 && at(size_ - 1 - candidate.length) != difference) candidate = {};
  roll();
  if (size_ < kWindow) return;
  if (anchor_ != 0 && hash_ == anchor_hash_) begin(size_ - anchor_);
  if (size_ >= 2 * anchor_) {
    anchor_ = size_;
    anchor_hash_ = hash_;
  }
}

// The ring grows as long as all numbers fit.
void RoundSearch::put(uint64_t difference) {
  if (size_ == ring_.size() && size_ < 2 * kMostLength)
    ring_.resize(std::max<size_t>(2 * kWindow, 2 * ring_.size()));
  ring_[size_++ & (ring_.size() - 1)] = difference;
}

void RoundSearch::roll() {
  hash_ = hash_ * kBase + at(size_ - 1);
  if (size_ <= kWindow)
    left_ *= kBase;
  else
    hash_ -= left_ * at(size_ - 1 - kWindow);
}

// A place where the window came again: as far back as it goes, and as there is time for.
void RoundSearch::begin(uint64_t length) {
  if (length > kMostLength) return;
  if (std::ranges::any_of(candidates_, [&](const Candidate& candidate) {
        return candidate.length == length || (candidate.length != 0 && candidate.anchor == anchor_);
      }))
    return;
  uint64_t from = size_;
  for (; from > length && remembers(from - 1 - length) && looks_ < kLooks * size_; ++looks_) {
    if (at(from - 1) != at(from - 1 - length)) break;
    --from;
  }
  if (size_ - from < kWindow) return;  // the hash alone was the same, or there is no time
  *std::ranges::max_element(candidates_, {}, [](const Candidate& candidate) {
    return candidate.length == 0 ? UINT64_MAX : candidate.from;
  }) = {length, from, anchor_};
}

LiteralRounds RoundSearch::found() const {
  LiteralRounds best;
  for (const auto& [length, from, anchor] : candidates_) {
    if (length == 0 || size_ - from < std::max(length, kWindow)) continue;
    if (size_ - from > best.repeated || (size_ - from == best.repeated && length < best.length))
      best = {length, size_ - from};
  }
  return best;
}

}  // namespace vestige::spmd
