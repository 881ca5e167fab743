// Whether rows of paths go on as they do.
//
// A *row* is any number of paths, calls among them, that come again and again, and end in one
// activation, at one place. When its slots moved by fixed steps from one end to the next, a row is
// evaluated with the steps of all that it computes (the rules of round_code.h, for the values at
// hand). What is loaded from an address that stays, where nothing is stored, stays too. When the
// steps at the row's end are those that it began with, they are so for all rows of the same paths
// to which nothing is told, as long as no narrow number wraps around: every address moves by a
// fixed step from row to row.
//
// A result that does not move by steps is *lost*, and so is all that follows from it. No address
// may be lost, nor what the next row begins with.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/eval/frame_stack.h"
#include "trace/eval/machine.h"

namespace vestige {

class RowProof {
 public:
  // Where a row begins and ends: the innermost activation's slots, and behind them what it passes
  // on to a call, if the row begins with one.
  struct State {
    std::vector<uint64_t> values;
    std::vector<bool> known;
    void take(FrameStack& frames, std::span<const Machine::Passed> passed);
  };
  using Passing = std::span<Machine::Passed>;
  // Before a row: it was like that a row ago. So many rows at most are to come.
  void begin(FrameStack& frames, Passing passed, const State& before, uint64_t rows);
  // As it goes: what run_cells() does, an activation that begins, with arguments that were passed
  // under this number (kNone: in another way), the result of a call that the innermost one takes,
  // and one that ends.
  void run(Machine& machine, const Cell* cells, uint64_t* slots, bool tracked);
  void enter(const FunctionCode& function);
  void take_argument(uint32_t slot, uint32_t number);
  void take_result(uint32_t slot, bool returned);
  void must_stay(uint32_t slot);
  void leave();
  void fail() { possible_ = false; }
  // Behind it: whether it holds.
  bool finish(FrameStack& frames, Passing passed);

  uint64_t rows() const { return rows_; }
  // Whether all is, so many rows behind the one that was looked at, as it should be.
  bool is_at(FrameStack& frames, Passing passed, uint64_t rows) const;
  // Makes all as it is so many rows later, except what a row makes anew in any case.
  void jump(FrameStack& frames, Passing passed, uint64_t rows) const;

 private:
  // Of a slot.
  struct Trail {
    uint64_t step = 0;
    bool lost = false;
    bool written = false;     // in this row
    bool read_first = false;  // before that
  };
  using Trails = std::vector<Trail>;
  Trail& read(uint32_t slot) { return read(frames_[depth_ - 1][slot]); }
  static Trail& read(Trail& trail) {
    trail.read_first |= !trail.written;
    return trail;
  }
  void write(uint32_t slot, const Trail& value) { write(frames_[depth_ - 1][slot], value); }
  static void write(Trail& trail, const Trail& value) {
    trail.step = value.lost ? 0 : value.step;
    trail.lost = value.lost;
    trail.written = true;
  }
  const Trail& trail(size_t place) const {
    return place < slots_ ? frames_[0][place] : passed_[place - slots_];
  }
  void compute(Machine& machine, const Cell* at, uint64_t* slots, bool tracked);
  void run_up_to(Machine& machine, const Cell* end, uint64_t* slots, bool tracked);

  bool possible_ = false;
  uint64_t rows_ = 0;
  std::vector<Trails> frames_;  // the first is that of the activation in which rows end
  size_t depth_ = 0;            // how many of them there are
  size_t slots_ = 0;            // of the first
  State begin_, end_;
  std::vector<uint64_t> steps_;  // by place in a state
  Trails passed_;
  Trail returned_;
  const Cell* done_ = nullptr;  // of the path: up to here its cells were run
  std::vector<Cell> scratch_;
};

}  // namespace vestige
