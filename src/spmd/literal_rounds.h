// Whether a list of numbers ends in rounds: what a solver reads in each of its sweeps, while nobody
// changes the index arrays.
//
// A list ends in rounds of `length` when, from some place on, each difference is the one `length`
// before it. The first round has to be told, the others follow from it.
//
// How they are found: in one pass, with kMostLength numbers in memory. A window of kWindow
// differences is remembered (a hash of it that rolls along); where the same window comes again, so
// many numbers later, there may be rounds of that length, which are then followed number by number.
// The window that is remembered is taken anew at 1, 2, 4, … times kWindow numbers, after Brent's
// way to find cycles (BIT 20, 1980), so one of them lies in the rounds and is as old as one of them
// is long: rounds are found when the list has three of them. Time: some 5 ns a number.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace vestige::spmd {

struct LiteralRounds {
  uint64_t length = 0;    // of one round; 0: there are none
  uint64_t repeated = 0;  // how many numbers at the end follow from the round before
  bool operator==(const LiteralRounds&) const = default;
};

class RoundSearch {
 public:
  static constexpr uint64_t kMostLength = uint64_t{1} << 21, kWindow = 256;

  // Each difference, the first one too.
  void add(uint64_t difference);
  // Of all that was added. At least one whole round is repeated, or nothing is.
  LiteralRounds found() const;

 private:
  static constexpr uint64_t kBase = 0x9e3779b97f4a7c15;
  static constexpr size_t kCandidates = 4;
  static constexpr uint64_t kLooks = 8;  // back, for each number
  struct Candidate {
    uint64_t length = 0;  // 0: none
    uint64_t from = 0;    // the first number that is the one so far before
    uint64_t anchor = 0;  // found by this window; while it goes on, no other is by the same
  };

  uint64_t at(uint64_t number) const { return ring_[number & (ring_.size() - 1)]; }
  bool remembers(uint64_t number) const { return number + ring_.size() >= size_; }
  void put(uint64_t difference);
  void roll();
  void begin(uint64_t length);

  std::vector<uint64_t> ring_;  // the last differences; as many as a power of two, which grows
  uint64_t size_ = 0;
  uint64_t hash_ = 0, left_ = 1;  // of the last kWindow; what the one that leaves was multiplied by
  uint64_t anchor_ = 0, anchor_hash_ = 0;
  uint64_t looks_ = 0;  // back, so far
  std::array<Candidate, kCandidates> candidates_{};
};

}  // namespace vestige::spmd
