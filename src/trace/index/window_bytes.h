// What the index keeps of a window, as bytes.
//
//   window  := squeezed( flags:u8 time depth words frames shadow told )
//              flags: 1 the thread's beginning (only `told` follows), 4 the shadow is known,
//              8 `told` is not there (what follows from a failure: read the trace's own)
//   words   := callee ack returned kind kinds:list( kind passed )      a word: value, known:u8
//   frames  := list( place function+1 block+1 invoke+1 age exact:u8 list( slot value known:u8 ) )
//   shadow  := list( gap size ) bytes
//   told    := before, list of times, of indices, of values
//   counts  := squeezed( list( path count ) )
//
// Numbers are varints; places, slots, gaps, times and paths are differences from the one before;
// function, block and invoke count from 1, 0 is none (kNone); an age counts back from `time`.
#pragma once

#include <optional>
#include <span>

#include "base/bytes.h"
#include "trace/eval/keyframe.h"
#include "trace/told/inputs.h"
#include "vestige/result.h"

namespace vestige {

struct WindowRecord {
  Keyframe keyframe;
  uint64_t told_before = 0;                    // values told in the thread before the window
  std::optional<std::vector<ToldValue>> told;  // in the window; none: read the trace's own
};

Bytes encode_window(const WindowRecord& record);
Result<WindowRecord> decode_window(ByteView bytes);

Bytes encode_counts(std::span<const PathCount> counts);
Result<std::vector<PathCount>> decode_counts(ByteView bytes);

}  // namespace vestige
