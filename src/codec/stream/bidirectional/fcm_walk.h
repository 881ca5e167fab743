// Bidirectional FCM (finite context method): Zhang and Gupta, "Whole Execution Traces" (MICRO
// 2004), section 4 and Figure 5.
//
// The idea. A number is predicted from the n numbers beside it, by a table indexed with a hash of
// them. A stream is held as
//     [FR 1 … i] [U, n plain numbers] [BL i+n+1 … m]
// where FR entries are predicted from the n numbers to their right through the table FRTB, and BL
// entries from the n numbers to their left through BLTB. An entry is a hit, ⟨T⟩, or ⟨F, v⟩: the
// number was put into the table and v is what it displaced there. So the number to uncompress next
// is always in the table, at the slot of the window U, and putting v back undoes what compressing
// it did. A step forward uncompresses a BL entry and compresses the window's oldest number into FR;
// a step backward is its mirror image. The state at a position does not depend on the way there.
//
// Why it works on traces: loops repeat their values, so a short context nearly always has one
// successor; and a number that does not repeat costs what it costs in any scheme.
//
// What a segment's bytes hold is the state at its beginning: no FR, the window full of padding
// (zeros), everything in BL. Three things make that small:
//  - The table is primed. Before the compressing pass (which runs from the end to the beginning)
//    BLTB holds for every slot the number of its last use, so the first entry met for a slot is a
//    hit, and there is no ⟨F, empty⟩.
//  - The v of an entry is written where it is used next, not where it was displaced. A slot whose
//    next number differs is vacant until then, and the slots of BLTB at the beginning are all
//    vacant. So one list, in stream order, holds each number a slot has to be given; neighbours in
//    the list are neighbours in the stream and pack well. ⟨F⟩ alone remains: "vacate the slot".
//  - An untouched slot takes no space, so a large table costs nothing on disk.
// FR entries are never on disk: they are a function of the position too, and a walk makes them as
// it moves forward. The padding at the right end is not needed: positions end where the window
// holds the last n numbers.
//
// Byte grammar of a segment of `count` numbers (count > 0):
//     segment := u8 head, [varint vacancy], bits, values
//     head    := bits 0–6: log2 of BLTB's slots, 1 … kMostTableBits; bit 7: a vacancy follows,
//                otherwise it is 0
//     vacancy := which number marks a vacant slot, kVacant + vacancy · kVacancyStep; one that the
//                segment does not hold
//     bits    := `count` of them (pack/bits.h): 1 where the slot is vacated after its use
//     values  := (pack/values.h) what vacant slots are given, in the order of their use
//     slot    := the top bits of Σ u[k] · kFactors[k], u[0] … u[n−1] being the window, the
//                newest first
//
// Invariants: 1. The whole state (tables, lists, window) is a function of the position. 2. A slot
// is vacant exactly when its next use takes a number from `values`.
//
// Cost: 3–8 ns a step either way. Memory: BLTB of at most 2^kMostTableBits words, FRTB of at most
// 2^kMostRightBits, three bits a number, 8 bytes for each number of `values` and for each FR miss
// before the position.
#pragma once

#include <array>
#include <vector>

#include "codec/stream/bidirectional/segment_walk.h"

namespace vestige {

inline constexpr unsigned kMostTableBits = 16;
// FRTB is never written, so its size is the walk's own business: one that stays in the first-level
// cache makes steps faster, and what it misses costs 8 bytes of memory until the walk comes back.
inline constexpr unsigned kMostRightBits = 12;

// Compresses one segment; order 1 … 3, at least one number.
Bytes encode_fcm(std::span<const uint64_t> numbers, unsigned order);

// The walk for context size 1, 2 or 3.
std::unique_ptr<SegmentWalk> make_fcm_walk(unsigned order);

// One step of the hash: also what the tests build their plain twin on.
namespace fcm {

inline constexpr std::array<uint64_t, 3> kFactors = {0x9e3779b97f4a7c15, 0xc2b2ae3d27d4eb4f,
                                                     0xd6e8feb86659fd93};
inline constexpr uint64_t kVacant = 0x7fb5d329728ea185;
inline constexpr uint64_t kVacancyStep = 0x81dadef4bc2dd44d;

// The n plain numbers beside the cursor, and their hash. Three scalars, not an array: the loops
// need them in registers.
template <unsigned N>
class ContextWindow {
 public:
  uint64_t hash() const {
    uint64_t sum = newest_ * kFactors[0];
    if constexpr (N > 1) sum += second_ * kFactors[1];
    if constexpr (N > 2) sum += third_ * kFactors[2];
    return sum;
  }
  uint64_t newest() const { return newest_; }
  uint64_t oldest() const { return N == 1 ? newest_ : N == 2 ? second_ : third_; }
  void step_forward(uint64_t newest) {
    third_ = second_;
    second_ = newest_;
    newest_ = newest;
  }
  void step_backward(uint64_t oldest) {
    newest_ = N > 1 ? second_ : oldest;
    second_ = N > 2 ? third_ : oldest;
    third_ = oldest;
  }

 private:
  uint64_t newest_ = 0, second_ = 0, third_ = 0;  // padding, until numbers come in
};

}  // namespace fcm

template <unsigned N>
class FcmWalk final : public SegmentWalk {
 public:
  Result<void> load(ByteView bytes, size_t count) override;
  size_t forward(std::span<uint64_t> out) override;
  size_t backward(std::span<uint64_t> out) override;
  size_t position() const override { return position_; }

  // The state, for the tests that compare it with the paper's.
  const fcm::ContextWindow<N>& window() const { return window_; }
  std::span<const uint64_t> left_table() const { return left_; }
  std::span<const uint64_t> right_table() const { return right_; }
  std::span<const uint64_t> right_displaced() const { return {stack_.data(), stack_size_}; }
  bool right_missed(size_t step) const { return missed_[step / 64] >> step % 64 & 1; }
  bool vacates(size_t step) const { return vacated_[step / 64] >> step % 64 & 1; }
  bool fetches(size_t step) const { return fetched_[step / 64] >> step % 64 & 1; }
  size_t fetched() const { return list_at_; }
  uint64_t vacant() const { return vacant_; }

 private:
  // Up to 64 steps within one word of flags.
  template <bool kVacates, bool kBranches>
  void step_forward(size_t steps, uint64_t vacates, uint64_t* out);
  void step_backward(size_t steps, uint64_t* out);

  size_t count_ = 0;
  size_t position_ = 0;
  bool damaged_ = false;
  bool branches_ = false;  // fetches are rare: guess rather than compute them
  unsigned left_shift_ = 63, right_shift_ = 63;
  uint64_t vacant_ = 0;
  fcm::ContextWindow<N> window_{};
  std::vector<uint64_t> left_, right_;  // BLTB, FRTB
  // BL: what the file has, and what each step found. Step i is the one over number i.
  std::vector<uint64_t> vacated_, fetched_;
  std::vector<uint64_t> list_;  // padded by 64, so that a word of steps needs one check
  size_t list_size_ = 0, list_at_ = 0;
  // FR: entry i was pushed by step i.
  std::vector<uint64_t> missed_, stack_;
  size_t stack_size_ = 0;
};

}  // namespace vestige
