// The paths of a round of a loop that has loops inside, made ready to run many such rounds at once.
//
// A round is a row of *runs*: a path once, or a path that goes round an inner loop (round_code.h),
// so many times. From round to round the paths are the same, and each inner loop's number of rounds
// moves by a fixed step. Of a run with many rounds the first one is taken, then what is carried
// jumps, then the last one:
//
//     carried += (rounds - 2) × (what the first round added to it)
//
// All of that in a row, each result in a slot of its own, is again a round that only computes, and
// RoundCode finds what moves in it by steps: here that is from one outer round to the next. Between
// the first and the last round of a run everything lies on a line. It is the same one in each outer
// round, but for where it begins, when
//
//   1. what the first round adds to a carried slot has the outer step 0, and so has what others are
//      multiplied by;
//   2. for all that moves in the inner loop, the outer step in the last round is that in the first
//      one, plus the inner step times the step of the number of rounds.
//
// Narrow numbers do not wrap around between two rounds in which they do not, on a line.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "trace/eval/compile_path.h"
#include "trace/eval/machine.h"
#include "trace/eval/round_code.h"

namespace vestige {

// The sum of so many numbers, each a step further than the one before it.
constexpr uint64_t sum_of_line(uint64_t first, uint64_t step, uint64_t count) {
  const uint64_t pairs = count % 2 == 0 ? count / 2 * (count - 1) : count * ((count - 1) / 2);
  return first * count + step * pairs;
}

class NestCode {
 public:
  struct Run {
    const PathCode* code = nullptr;
    bool repeats = false;  // more than one round, always
  };
  // The runs of a round that follows one; they are not needed later.
  explicit NestCode(std::span<const Run> runs);

  // False: it cannot be done in this way, whatever the numbers.
  bool possible() const {
    return outer_ && outer_->possible() && outer_->jumps() && outer_->stores_.empty();
  }
  // Slots of the frame from which all else is computed.
  std::span<const uint32_t> reads() const { return reads_; }
  size_t bytes() const;

  struct Counts {
    uint64_t rounds = 0, step = 0;  // in the next outer round; from one to the next
    // Of so many outer rounds.
    uint64_t sum(uint64_t outer) const { return sum_of_line(rounds, step, outer); }
  };
  // Of a run: addresses in the first of its rounds in the next outer round, as they are observed.
  struct Lines {
    std::vector<uint64_t> addresses;
    std::vector<uint64_t> inner, outer;  // steps, by address
  };
  struct Found {
    std::vector<Lines> runs;
    std::vector<uint64_t> carried;  // steps
    // Scratch space; the last two are all zero.
    std::vector<uint64_t> slots, inner_slots, steps, inner_steps;
  };
  // What happens in so many outer rounds behind this one, which left these slots, all of them
  // known, and is followed by one with these counts. False: it does not go on in this way.
  bool find(Machine& machine, const uint64_t* slots, std::span<const Counts> counts,
            uint64_t rounds, Found& found) const;
  // Makes carried slots as they are so many rounds later. Others are what the next round makes
  // them.
  void jump(uint64_t* slots, uint64_t rounds, const Found& found) const;

 private:
  // A slot of the inner loop in the first round and in the last one.
  struct Twice {
    uint32_t slot = 0, first = 0, last = 0;
  };
  struct Inner {
    std::shared_ptr<const RoundCode> round;
    uint32_t count = 0, count_step = 0;  // slots: of rounds less two
    std::vector<Twice> moving;
    // Its slots behind the first round, where they are.
    std::vector<std::pair<uint32_t, uint32_t>> view;
    // Carried: behind the first round, and before it.
    std::vector<std::pair<uint32_t, uint32_t>> added;
    std::vector<uint32_t> factors;
  };
  struct Part {
    std::vector<uint32_t> addresses;        // slots
    std::vector<uint32_t> inner_addresses;  // of the inner loop: slots of its own
    uint32_t inner = kNone;
  };
  class Builder;
  bool check(const Inner& inner, const Counts& counts, Found& found) const;

  uint32_t frame_slots_ = 0, slots_ = 0;
  std::vector<Part> parts_;
  std::vector<Inner> inner_;
  std::vector<uint32_t> reads_, carried_;  // of the frame
  std::unique_ptr<const RoundCode> outer_;
};

}  // namespace vestige
