#include "record/collect/stack_tracker.h"

#include <emmintrin.h>

#include <algorithm>

namespace vestige {

StackTracker::StackTracker(const uint8_t* kinds) : kinds_(kinds), frames_(64) {}

// Fills batch_; false when a word is not plain.
// How many of the words, from the first on, are plain.
size_t StackTracker::look_up(std::span<const uint32_t> words) {
  // Bytes may alias anything, the members included: keep those in registers.
  const uint8_t* const kinds = kinds_;
  const uint32_t* const word = words.data();
  uint8_t* const __restrict batch = batch_;
  constexpr size_t kStretch = 64;
  for (size_t begin = 0; begin < words.size(); begin += kStretch) {
    const size_t end = std::min(begin + kStretch, words.size());
    uint8_t all = path_kind::plain;
#pragma unroll 8
    for (size_t i = begin; i < end; ++i) {
      const uint8_t kind = kinds[word[i]];
      batch[i] = kind;
      all &= kind;
    }
    if (all != 0) continue;
    while ((batch[begin] & path_kind::plain) != 0) ++begin;
    return begin;
  }
  return words.size();
}

// With P the running sum of pushes minus pops, the path of word i runs in slot P[i] + pops[i].
StackTracker::Block StackTracker::summarize(size_t block, int32_t& depth, size_t size) const {
  const uint8_t* kinds = batch_ + block * kBlock;
  Block result{depth, INT32_MAX};
  if (size == kBlock) {
    const __m128i kind = _mm_load_si128(reinterpret_cast<const __m128i*>(kinds));
    const __m128i one = _mm_set1_epi8(1);
    const __m128i pushes = _mm_and_si128(kind, one);
    const __m128i pops = _mm_and_si128(_mm_srli_epi16(kind, 1), one);
    __m128i sum = _mm_sub_epi8(pushes, pops);
    sum = _mm_add_epi8(sum, _mm_slli_si128(sum, 1));
    sum = _mm_add_epi8(sum, _mm_slli_si128(sum, 2));
    sum = _mm_add_epi8(sum, _mm_slli_si128(sum, 4));
    sum = _mm_add_epi8(sum, _mm_slli_si128(sum, 8));
    // SSE2 has the minimum of unsigned bytes only: shift the range up.
    __m128i low = _mm_add_epi8(_mm_add_epi8(sum, pops), _mm_set1_epi8(64));
    low = _mm_min_epu8(low, _mm_srli_si128(low, 8));
    low = _mm_min_epu8(low, _mm_srli_si128(low, 4));
    low = _mm_min_epu8(low, _mm_srli_si128(low, 2));
    low = _mm_min_epu8(low, _mm_srli_si128(low, 1));
    result.low = depth + (_mm_cvtsi128_si32(low) & 0xff) - 64;
    depth += static_cast<int8_t>(_mm_extract_epi16(sum, 7) >> 8);
    return result;
  }
  for (size_t i = 0; i < size; ++i) {
    depth += kinds[i] & path_kind::enters;
    result.low = std::min(result.low, depth);
    depth -= (kinds[i] >> 1) & 1;
  }
  return result;
}

size_t StackTracker::run(std::span<const uint32_t> words, uint64_t time) {
  words = words.first(look_up(words));
  if (words.empty()) return 0;
  const size_t blocks = (words.size() + kBlock - 1) / kBlock;
  int32_t depth = 0, low = INT32_MAX;
  for (size_t b = 0; b < blocks; ++b) {
    blocks_[b] = summarize(b, depth, std::min(kBlock, words.size() - b * kBlock));
    low = std::min(low, blocks_[b].low);
  }

  const auto base = static_cast<int64_t>(top_);
  if (base + low <= 0 && returns_past_outer(words)) {
    for (size_t i = 0; i < words.size(); ++i) step(batch_[i], words[i], time + i + 1);
    return words.size();
  }
  top_ = static_cast<uint64_t>(base + depth);
  touch(static_cast<uint64_t>(base + low));
  grow(top_);
  // Slots change by one from word to word, so going backwards each slot's last path is met in turn,
  // from the top down to the lowest slot that a path ran in.
  int32_t wanted = depth;
  for (size_t b = blocks; b-- > 0 && wanted >= low;) {
    if (blocks_[b].low > wanted) continue;
    int32_t slots[kBlock];
    const size_t size = std::min(kBlock, words.size() - b * kBlock);
    int32_t at = blocks_[b].begin;
    for (size_t i = 0; i < size; ++i) {
      const uint8_t kind = batch_[b * kBlock + i];
      at += kind & path_kind::enters;
      slots[i] = at;
      at -= (kind >> 1) & 1;
    }
    for (size_t i = size; i-- > 0;) {
      if (slots[i] != wanted) continue;
      const size_t index = b * kBlock + i;
      write(static_cast<uint64_t>(base + wanted), {words[index], time + index + 1}, drift_);
      --wanted;
    }
  }
  return words.size();
}

bool StackTracker::returns_past_outer(std::span<const uint32_t> words) const {
  auto at = static_cast<int64_t>(top_);
  int64_t low = 0;
  for (const uint32_t word : words) {
    const uint8_t kind = kinds_[word];
    at += (kind & path_kind::enters) - ((kind >> 1) & 1);
    low = std::min(low, at);
  }
  return low < 0;
}

void StackTracker::step(uint8_t kind, uint32_t word, uint64_t time) {
  if (kind & path_kind::enters) grow(++top_);
  touch(top_);
  write(top_, {word, time}, drift_);
  if ((kind & path_kind::leaves) && top_ > 0) --top_;
}

void StackTracker::step_unrecorded(uint8_t kind, uint64_t target_time) {
  start_drifting();
  if (kind & path_kind::enters) grow(++top_);
  touch(top_);
  write(top_, {}, target_time);
  if ((kind & path_kind::leaves) && top_ > 0) --top_;
}

void StackTracker::set_drift(uint64_t drift) {
  if (drift != drift_) start_drifting();
  drift_ = drift;
}

void StackTracker::start_drifting() {
  if (drifting_) return;
  drifting_ = true;
  drifts_.assign(frames_.size(), drift_);
}

uint64_t StackTracker::first_after(uint64_t target_time) const {
  uint64_t begin = 0, end = top_ + 1;
  while (begin < end) {
    const uint64_t middle = begin + (end - begin) / 2;
    const uint64_t at = frames_[middle].time + (drifting_ ? drifts_[middle] : drift_);
    if (at > target_time)
      end = middle;
    else
      begin = middle + 1;
  }
  return begin > top_ ? kNoSlot : begin;
}

void StackTracker::cut_to(uint64_t slot) {
  top_ = slot;
  touch(slot + 1);
}

void StackTracker::cut_below(uint64_t slot) {
  if (slot > 0) return cut_to(slot - 1);
  top_ = 0;
  touch(0);
  write(0, {}, 0);
}

void StackTracker::push_unknown(uint64_t target_time) {
  start_drifting();
  grow(++top_);
  touch(top_);
  write(top_, {}, target_time);
}

void StackTracker::clear() { cut_below(0); }

std::vector<Frame> StackTracker::snapshot() const {
  std::vector<Frame> frames(frames_.begin(), frames_.begin() + static_cast<ptrdiff_t>(top_ + 1));
  for (size_t i = 0; i < frames.size(); ++i) frames[i].time += drifting_ ? drifts_[i] : drift_;
  return frames;
}

void StackTracker::inherit(const std::vector<Frame>& snapshot) {
  if (snapshot.empty()) return;
  start_drifting();
  top_ = snapshot.size() - 1;
  grow(top_);
  touch(0);
  for (size_t i = 0; i < snapshot.size(); ++i) write(i, {snapshot[i].path, 0}, snapshot[i].time);
}

StackChange StackTracker::change(uint64_t low) const {
  const uint64_t first = outer_known() ? 0 : 1;
  StackChange change;
  change.keep = low > first ? low - first : 0;
  const uint64_t from = std::max(low, first);
  if (from <= top_)
    change.frames.assign(frames_.begin() + static_cast<ptrdiff_t>(from),
                         frames_.begin() + static_cast<ptrdiff_t>(top_ + 1));
  return change;
}

void StackTracker::grow(uint64_t slot) {
  if (slot < frames_.size()) return;
  frames_.resize(std::max<size_t>(slot + 1, frames_.size() * 2));
  if (drifting_) drifts_.resize(frames_.size());
}

void StackTracker::write(uint64_t slot, Frame frame, uint64_t drift) {
  frames_[slot] = frame;
  if (drifting_) drifts_[slot] = drift;
}

}  // namespace vestige
