#include "codec/stream/bidirectional/fcm_walk.h"

#include <algorithm>
#include <bit>

#include "codec/pack/bits.h"
#include "codec/pack/values.h"

namespace vestige {

namespace {

constexpr size_t kWord = 64;
// With fewer fetches than one in so many steps a guessed branch beats two more cycles a step.
constexpr size_t kRareFetch = 12;

uint64_t low_bits(size_t n) { return n == kWord ? ~uint64_t{0} : (uint64_t{1} << n) - 1; }

std::unexpected<Error> bad(const char* what) {
  return fail(ErrorKind::corrupt, std::string("bidirectional FCM: ") + what);
}

}  // namespace

template <unsigned N>
Result<void> FcmWalk<N>::load(ByteView bytes, size_t count) {
  ByteReader in(bytes);
  const uint8_t head = in.u8();
  const unsigned table_bits = head & 127;
  vacant_ = fcm::kVacant;
  if (head > 127) vacant_ += in.varint() * fcm::kVacancyStep;
  // The second condition keeps a few hostile bytes from clearing large tables again and again.
  if (in.failed() || table_bits < 1 || table_bits > kMostTableBits ||
      (size_t{1} << table_bits) > 16 * count)
    return bad("the table's size makes no sense");
  auto vacated = unpack_bits(in, count);
  if (!vacated) return std::unexpected(vacated.error());
  auto list = unpack_values(in, count);
  if (!list) return std::unexpected(list.error());
  if (in.remaining() != 0) return bad("bytes are left behind a segment");
  count_ = count;
  position_ = 0;
  damaged_ = false;
  vacated_ = std::move(*vacated);
  list_ = std::move(*list);
  list_size_ = list_.size();
  list_.resize(list_size_ + kWord);
  list_at_ = 0;
  branches_ = list_size_ < count / kRareFetch;
  window_ = {};
  left_shift_ = 64 - table_bits;
  right_shift_ = 64 - std::min(table_bits, kMostRightBits);
  left_.assign(size_t{1} << table_bits, vacant_);
  right_.assign(size_t{1} << (64 - right_shift_), 0);
  fetched_.assign(words_for_bits(count), 0);
  missed_.assign(words_for_bits(count), 0);
  stack_size_ = 0;
  return {};
}

template <unsigned N>
template <bool kVacates, bool kBranches>
void FcmWalk<N>::step_forward(size_t steps, uint64_t vacates, uint64_t* out) {
  // Everything in locals: the compiler cannot know that the tables do not overlap the members.
  uint64_t* const left = left_.data();
  uint64_t* const right = right_.data();
  uint64_t* pushed = stack_.data() + stack_size_;
  const uint64_t* given = list_.data() + list_at_;
  const uint64_t vacant = vacant_;
  const unsigned left_shift = left_shift_, right_shift = right_shift_;
  fcm::ContextWindow<N> window = window_;
  uint64_t fetched = 0, missed = 0;
  uint64_t hash = window.hash();
  for (size_t i = 0; i < steps; ++i) {
    // Uncompress BL.
    uint64_t& slot = left[hash >> left_shift];
    uint64_t number = slot;
    const bool fetch = number == vacant;
    if constexpr (kBranches) {
      if (fetch) [[unlikely]] {
        number = slot = *given++;
        fetched |= uint64_t{1} << i;
      }
      if (kVacates && (vacates >> i & 1)) slot = vacant;
    } else {
      const uint64_t next_given = *given;
      number = fetch ? next_given : number;
      given += fetch;
      fetched |= uint64_t{fetch} << i;
      slot = (vacates >> i & 1) ? vacant : number;
    }
    // Compress the oldest number of the window into FR, by its right context.
    const uint64_t leaving = window.oldest();
    window.step_forward(number);
    hash = window.hash();
    uint64_t& behind = right[hash >> right_shift];
    const bool miss = behind != leaving;
    *pushed = behind;
    pushed += miss;
    missed |= uint64_t{miss} << i;
    behind = leaving;
    out[i] = number;
  }
  window_ = window;
  stack_size_ = static_cast<size_t>(pushed - stack_.data());
  list_at_ = static_cast<size_t>(given - list_.data());
  const size_t word = position_ / kWord, bit = position_ % kWord;
  fetched_[word] = (fetched_[word] & low_bits(bit)) | fetched << bit;
  missed_[word] = (missed_[word] & low_bits(bit)) | missed << bit;
  position_ += steps;
}

template <unsigned N>
size_t FcmWalk<N>::forward(std::span<uint64_t> out) {
  const size_t n = damaged_ ? 0 : std::min(out.size(), count_ - position_);
  for (size_t done = 0; done < n;) {
    const size_t bit = position_ % kWord;
    const size_t steps = std::min(kWord - bit, n - done);
    const uint64_t vacates = vacated_[position_ / kWord] >> bit & low_bits(steps);
    if (stack_.size() < stack_size_ + kWord + 1) stack_.resize(2 * stack_size_ + kWord + 1);
    if (!branches_)
      step_forward<true, false>(steps, vacates, out.data() + done);
    else if (vacates != 0)
      step_forward<true, true>(steps, vacates, out.data() + done);
    else
      step_forward<false, true>(steps, vacates, out.data() + done);
    if (list_at_ > list_size_) {
      damaged_ = true;
      position_ -= steps;
      return done;
    }
    done += steps;
  }
  return n;
}

template <unsigned N>
void FcmWalk<N>::step_backward(size_t steps, uint64_t* out) {
  uint64_t* const left = left_.data();
  uint64_t* const right = right_.data();
  const uint64_t* pushed = stack_.data() + stack_size_;
  const uint64_t vacant = vacant_;
  const unsigned left_shift = left_shift_, right_shift = right_shift_;
  fcm::ContextWindow<N> window = window_;
  // The flags of the steps to undo, the last one in the top bit.
  const size_t last = position_ - 1;
  const unsigned up = static_cast<unsigned>(kWord - 1 - last % kWord);
  uint64_t missed = missed_[last / kWord] << up;
  uint64_t fetched = fetched_[last / kWord] << up;
  uint64_t changed = fetched | vacated_[last / kWord] << up;
  list_at_ -= static_cast<size_t>(std::popcount(fetched & ~low_bits(kWord - steps)));
  uint64_t hash = window.hash();
  for (size_t i = 0; i < steps; ++i) {
    // Uncompress FR.
    uint64_t& behind = right[hash >> right_shift];
    const uint64_t number = behind;
    const bool miss = missed >> 63;
    missed <<= 1;
    pushed -= miss;
    behind = miss ? *pushed : number;
    // Compress the newest number of the window into BL, by its left context. The entry is in the
    // file; what changes is the slot, where the step forward had changed it.
    const uint64_t leaving = window.newest();
    window.step_backward(number);
    hash = window.hash();
    if (changed >> 63) left[hash >> left_shift] = fetched >> 63 ? vacant : leaving;
    changed <<= 1;
    fetched <<= 1;
    out[i] = leaving;
  }
  window_ = window;
  stack_size_ = static_cast<size_t>(pushed - stack_.data());
  position_ -= steps;
}

template <unsigned N>
size_t FcmWalk<N>::backward(std::span<uint64_t> out) {
  const size_t n = damaged_ ? 0 : std::min(out.size(), position_);
  for (size_t done = 0; done < n;) {
    const size_t steps = std::min((position_ - 1) % kWord + 1, n - done);
    step_backward(steps, out.data() + done);
    done += steps;
  }
  return n;
}

template class FcmWalk<1>;
template class FcmWalk<2>;
template class FcmWalk<3>;

std::unique_ptr<SegmentWalk> make_fcm_walk(unsigned order) {
  if (order == 1) return std::make_unique<FcmWalk<1>>();
  if (order == 2) return std::make_unique<FcmWalk<2>>();
  return std::make_unique<FcmWalk<3>>();
}

}  // namespace vestige
