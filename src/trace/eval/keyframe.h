// What an evaluation needs of the past to go on behind a path of its thread, through the paths of
// one window, exactly as if it had come from the beginning.
//
// It holds neither more nor less than the window uses: the activations that become innermost in it,
// with the values its paths take from them; the words of the call edge; and the bytes of the shadow
// that it reads before it writes them. So it is of use for its own window only.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/eval/first_touches.h"
#include "trace/eval/frame_stack.h"
#include "trace/eval/machine.h"

namespace vestige {

struct Keyframe {
  bool beginning = true;     // the thread's: nothing else here counts
  uint64_t time = 0;         // of the last path before
  uint32_t depth = 0;        // activations then
  bool shadow_known = true;  // false: only the bytes below are
  uint32_t rounding = 0;     // rounding.h

  struct Slot {
    uint32_t slot = 0;
    bool known = true;
    uint64_t value = 0;
  };
  struct Frame {
    uint32_t place = 0;         // activations below it
    uint32_t function = kNone;  // kNone: nothing is known but where it was
    uint32_t block = kNone, invoke = kNone;
    uint64_t time = 0;
    bool exact = false;
    std::vector<Slot> slots;  // by rising slot
  };
  std::vector<Frame> frames;  // by rising place

  Word callee, ack;
  Machine::Passed returned;
  ValueKind returned_kind = 0;
  std::vector<ValueKind> returned_kinds;        // of a wide one: the signature of
  std::vector<Machine::Passed> returned_parts;  // these, as many
  std::vector<ValueKind> kinds;                 // the signature of `passed`
  std::vector<Machine::Passed> passed;          // as many

  std::vector<FirstTouches::Run> runs;  // of shadow bytes, by rising place, not touching
  std::vector<uint8_t> bytes;           // theirs, in order
};

struct PathCount {
  uint32_t path = 0;
  uint64_t count = 0;
  bool operator==(const PathCount&) const = default;
};

}  // namespace vestige
