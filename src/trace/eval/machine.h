// The state of a thread that micro-code works on: everything but its frames.
//
// One owner thread.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "trace/eval/first_touches.h"
#include "trace/eval/function_code.h"
#include "trace/eval/micro_code.h"
#include "trace/eval/observer.h"
#include "trace/eval/problem.h"
#include "trace/eval/shadow.h"
#include "trace/eval/told_value_feed.h"

namespace vestige {

struct Word {
  uint64_t value = 0;
  bool known = true;
};

struct Machine {
  explicit Machine(ToldValueSource* source) : told_values(source) {}

  Shadow shadow;
  ToldValueFeed told_values;
  EvaluationProblems problems;
  EvaluationObserver* observer = nullptr;
  bool shows_wide = false;  // to the observer
  bool shows_calls = false;
  AccessLog* log = nullptr;         // of the observer, if it has one
  FirstTouches* touches = nullptr;  // while a keyframe is made
  uint32_t rounding = 0;            // rounding.h

  // The call edge: see program/derive.h.
  Word callee, ack;
  struct Passed {
    uint64_t value = 0;
    bool known = false;
  };
  std::vector<Passed> passed;  // as many as any compiled call has arguments
  uint32_t signature = kNone;  // of the arguments in `passed`: Signatures
  Passed returned;
  ValueKind returned_kind = 0;  // kWidePart: what follows is there instead
  std::array<Passed, Shape::kMostParts> returned_parts;
  uint32_t returned_signature = kNone;

  // Of the path that runs.
  uint64_t time = 0;
  uint64_t time_before = 0;  // of its activation's path before
  uint64_t depth = 0;        // activations below
  const FunctionCode* function = nullptr;
  uint8_t* known = nullptr;  // per slot of the frame; tracked frames only

  // Takes the told value that is wanted for `index`. `held`: what the shadow had there, if that is
  // known. `gap`: 64 minus the bits of the type.
  uint64_t take(uint32_t index, unsigned gap, const uint64_t* held);
  // A told value, or a part of one: the one that is wanted, or what the shadow holds.
  Passed read_told(const FunctionCode& code, uint32_t index, const SimpleType& type);
  // Something was written at an address that is not known.
  void lose_memory();
  uint32_t told_index() const { return told_values.index_at(time); }
  void report(EvaluationProblem::Kind kind, uint32_t statement, uint64_t expected,
              uint64_t found = 0);
};

WideRef make_wide(std::span<const Machine::Passed> parts);

// Runs the cells up to `end` on a frame. `tracked`: with machine.known.
void run_cells(Machine& machine, const Cell* cells, uint64_t* slots, bool tracked);

}  // namespace vestige
